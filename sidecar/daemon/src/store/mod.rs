//! The store: scripts, one round trip each, tried again for as long as the patience lasts.

pub mod answer;
mod caller;
mod expiry;
mod link;
mod reason;
mod refill;
mod scripts;

use std::sync::Arc;

use redis::Value;

use crate::config::StoreConfig;
use crate::key::{Digest, due};
use crate::metrics::Metrics;
use crate::session::plan::Plan;
use crate::session::record::Record;
use crate::session::{Session, Token, snapshot};
use answer::Answer;
use caller::Caller;
pub use caller::{Patience, Unavailable};
pub use expiry::Reaped;
pub use reason::Reason;
pub use refill::{Probed, Refill};
use scripts::{Script, Scripts};

/// A commit whose session is not held: whole values on a version that the client knows.
#[derive(Debug)]
pub struct Blind<'a> {
    /// The client's version.
    pub base: u64,
    /// The record's bytes.
    pub record: &'a [u8],
    /// The idle time.
    pub idle: i64,
}

/// The store, from the daemon's side.
#[derive(Debug)]
pub struct Store {
    cluster: String,
    scripts: Scripts,
    caller: Caller,
}

impl Store {
    /// Begins to connect and returns at once.
    pub fn start(cluster: &str, config: &StoreConfig, metrics: Arc<Metrics>) -> Self {
        Self {
            cluster: cluster.to_owned(),
            scripts: Scripts::new(),
            caller: Caller::start(config, metrics),
        }
    }

    /// Why the store cannot be used, if so.
    pub fn down(&self) -> Option<Reason> {
        self.caller.down()
    }

    /// Asks what changed since `held`.
    pub async fn open(
        &self,
        id: Digest,
        held: Option<&Session>,
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let version = held.map_or(0, |held| held.version).to_string();
        let token = held.map(|held| held.token.0).unwrap_or_default();
        let arguments = [version.as_bytes(), token.as_slice()];
        self.answer(&self.scripts.open, id, &arguments, patience)
            .await
    }

    /// Puts a session where there is none, at the version that it has, with its sealed name.
    pub async fn create(
        &self,
        id: Digest,
        session: &Session,
        name: &[u8],
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let version = session.version.to_string();
        let record = Record {
            token: session.token,
            operations: Vec::new(),
        }
        .encode();
        let snapshot = snapshot::encode(session);
        let (idle, created) = (session.idle.to_string(), session.created.to_string());
        let arguments = [
            version.as_bytes(),
            &record,
            &snapshot,
            idle.as_bytes(),
            created.as_bytes(),
            name,
        ];
        self.answer_indexed(&self.scripts.create, id, &arguments, patience)
            .await
    }

    /// Adds a commit to a session that is held.
    pub async fn commit(
        &self,
        id: Digest,
        held: &Session,
        plan: &Plan,
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let base = held.version.to_string();
        let idle = plan.idle.map(|idle| idle.to_string()).unwrap_or_default();
        let exact: &[u8] = if plan.exact { b"1" } else { b"" };
        let keep = plan
            .snapshot
            .as_ref()
            .map(|(_, keep)| keep.to_string())
            .unwrap_or_default();
        let mut arguments = vec![
            base.as_bytes(),
            &held.token.0,
            &plan.encoded,
            exact,
            idle.as_bytes(),
        ];
        if let Some((snapshot, _)) = &plan.snapshot {
            arguments.extend([snapshot.as_slice(), keep.as_bytes()]);
        }
        if plan.idle.is_some() {
            return self
                .answer_indexed(&self.scripts.commit, id, &arguments, patience)
                .await;
        }
        self.answer(&self.scripts.commit, id, &arguments, patience)
            .await
    }

    /// Adds a commit to a session that is not held.
    pub async fn commit_blind(
        &self,
        id: Digest,
        blind: &Blind<'_>,
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let (base, idle) = (blind.base.to_string(), blind.idle.to_string());
        let arguments = [base.as_bytes(), b"", blind.record, b"", idle.as_bytes()];
        self.answer_indexed(&self.scripts.commit, id, &arguments, patience)
            .await
    }

    /// Starts the idle time anew.
    pub async fn touch(&self, id: Digest) -> Result<(), Unavailable> {
        self.run(&self.scripts.touch, id, &[], Patience::Bounded)
            .await
            .map(|_| ())
    }

    /// Leaves a tombstone: 1 if this call ended the session, 0 if there was none, 2 if its version is not `only`.
    pub async fn end(
        &self,
        id: Digest,
        forward: Option<Digest>,
        only: Option<u64>,
    ) -> Result<i64, Unavailable> {
        let forward = forward.map(|forward| forward.hex()).unwrap_or_default();
        let only = only.map(|only| only.to_string()).unwrap_or_default();
        let token = Token::random().0;
        let arguments = [token.as_slice(), forward.as_bytes(), only.as_bytes()];
        match self
            .run_indexed(&self.scripts.end, id, &arguments, Patience::Bounded)
            .await?
        {
            Value::Int(ended) => Ok(ended),
            other => Err(self.caller.nonsense(&self.scripts.end, &other)),
        }
    }

    async fn answer(
        &self,
        script: &Script,
        id: Digest,
        arguments: &[&[u8]],
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let value = self.run(script, id, arguments, patience).await?;
        // Only a store that is none of ours answers anything else.
        Answer::read(value).ok_or_else(|| self.caller.nonsense(script, &Value::Nil))
    }

    async fn answer_indexed(
        &self,
        script: &Script,
        id: Digest,
        arguments: &[&[u8]],
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let value = self.run_indexed(script, id, arguments, patience).await?;
        Answer::read(value).ok_or_else(|| self.caller.nonsense(script, &Value::Nil))
    }

    async fn run(
        &self,
        script: &Script,
        id: Digest,
        arguments: &[&[u8]],
        patience: Patience,
    ) -> Result<Value, Unavailable> {
        self.caller
            .run(script, &[&id.key(&self.cluster)], arguments, patience)
            .await
    }

    /// With the index of the session's shard, which has the same slot.
    async fn run_indexed(
        &self,
        script: &Script,
        id: Digest,
        arguments: &[&[u8]],
        patience: Patience,
    ) -> Result<Value, Unavailable> {
        let keys = [id.key(&self.cluster), due(id.shard(), &self.cluster)];
        let [key, index] = &keys;
        self.caller
            .run(script, &[key, index], arguments, patience)
            .await
    }
}

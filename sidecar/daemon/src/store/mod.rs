//! The store: five scripts, one round trip each, tried again for as long as the patience lasts.

pub mod answer;
mod link;
mod reason;
mod scripts;

use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, ErrorKind, RedisError, ServerErrorKind, Value};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::error;

use crate::config::StoreConfig;
use crate::key::Digest;
use crate::metrics::{KindLabel, Metrics, ScriptLabel};
use crate::session::plan::Plan;
use crate::session::{Session, Token};
use answer::Answer;
use link::{Connection, Link, State};
pub use reason::Reason;
use scripts::{Script, Scripts};

/// An answer is given this long at first; twice as long after each time-out.
const FIRST_RESPONSE: Duration = Duration::from_millis(500);

/// The store did not do it, or nobody knows whether it did.
#[derive(Debug, Clone, Error)]
#[error("the store did not answer within {patience:?}: {reason}")]
pub struct Unavailable {
    patience: Duration,
    reason: Reason,
}

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
    patience: Duration,
    scripts: Scripts,
    state: watch::Receiver<State>,
    metrics: Arc<Metrics>,
}

/// How long to go on trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as configured; not at all once the store has been away for that long.
    Bounded,
    /// Until it is done.
    Endless,
}

impl Store {
    /// Begins to connect and returns at once.
    pub fn start(cluster: &str, config: &StoreConfig, metrics: Arc<Metrics>) -> Self {
        Self {
            cluster: cluster.to_owned(),
            patience: config.patience,
            scripts: Scripts::new(),
            state: Link::start(config.clone(), Arc::clone(&metrics)),
            metrics,
        }
    }

    /// Why the store cannot be used, if so.
    pub fn down(&self) -> Option<Reason> {
        match &*self.state.borrow() {
            State::Up(_) => None,
            State::Down { reason, .. } => Some(reason.clone()),
        }
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

    /// Puts a session where there is none, at the version that it has.
    pub async fn create(
        &self,
        id: Digest,
        session: &Session,
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let version = session.version.to_string();
        let record = crate::session::record::Record {
            token: session.token,
            operations: Vec::new(),
        }
        .encode();
        let snapshot = crate::session::snapshot::encode(session);
        let (idle, created) = (session.idle.to_string(), session.created.to_string());
        let arguments = [
            version.as_bytes(),
            &record,
            &snapshot,
            idle.as_bytes(),
            created.as_bytes(),
        ];
        self.answer(&self.scripts.create, id, &arguments, patience)
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
        self.answer(&self.scripts.commit, id, &arguments, patience)
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
            .run(&self.scripts.end, id, &arguments, Patience::Bounded)
            .await?
        {
            Value::Int(ended) => Ok(ended),
            other => Err(self.nonsense(&self.scripts.end, &other)),
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
        Answer::read(value).ok_or_else(|| self.nonsense(script, &Value::Nil))
    }

    fn nonsense(&self, script: &Script, value: &Value) -> Unavailable {
        error!(
            script = script.name,
            ?value,
            "store gave an answer that makes no sense"
        );
        let reason = Reason::new(
            "nonsense",
            format!("the answer to {} makes no sense", script.name),
        );
        Unavailable {
            patience: self.patience,
            reason,
        }
    }

    async fn run(
        &self,
        script: &Script,
        id: Digest,
        arguments: &[&[u8]],
        patience: Patience,
    ) -> Result<Value, Unavailable> {
        let key = id.key(&self.cluster);
        let deadline = match patience {
            Patience::Bounded => Some(Instant::now() + self.patience),
            Patience::Endless => None,
        };
        let mut response = FIRST_RESPONSE.min(self.patience);
        loop {
            let connection = self.connection(deadline).await?;
            let reason = match timeout(
                response,
                self.once(connection.clone(), script, &key, arguments),
            )
            .await
            {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => Reason::of(&error),
                Err(_) => Reason::timeout(response),
            };
            self.failed(script, &reason);
            if reason.asks_for_reconnect() {
                connection.report_broken();
            }
            let over = deadline.is_some_and(|deadline| deadline <= Instant::now());
            if over || (deadline.is_some() && !reason.passes()) {
                return Err(Unavailable {
                    patience: self.patience,
                    reason,
                });
            }
            response = (2 * response).min(self.patience);
            // What does not pass by itself is asked for rarely.
            let pause = if reason.passes() { 50 } else { 2_000 };
            sleep(Duration::from_millis(fastrand::u64(pause / 10..pause))).await;
        }
    }

    fn failed(&self, script: &Script, reason: &Reason) {
        self.metrics
            .store_failures
            .get_or_create(&KindLabel { kind: reason.kind })
            .inc();
        if !reason.passes() {
            error!(script = script.name, reason = %reason, mend = reason.mend(), "store refused");
        }
    }

    /// The connection, as soon as there is one.
    async fn connection(&self, deadline: Option<Instant>) -> Result<Connection, Unavailable> {
        let mut state = self.state.clone();
        loop {
            let (since, reason) = match &*state.borrow_and_update() {
                State::Up(connection) => return Ok(connection.clone()),
                State::Down { since, reason } => (*since, reason.clone()),
            };
            let unavailable = Unavailable {
                patience: self.patience,
                reason,
            };
            let changed = match deadline {
                None => state.changed().await,
                // Requests during a long outage do not wait one by one for what has kept others waiting before.
                Some(deadline) => {
                    match timeout_at(deadline.min(since + self.patience), state.changed()).await {
                        Ok(changed) => changed,
                        Err(_) => return Err(unavailable),
                    }
                }
            };
            if changed.is_err() {
                return Err(unavailable);
            }
        }
    }

    async fn once(
        &self,
        mut connection: Connection,
        script: &Script,
        key: &str,
        arguments: &[&[u8]],
    ) -> Result<Value, RedisError> {
        let started = Instant::now();
        let mut command = command("EVALSHA", &script.digest, key, arguments);
        let mut answer = self.send(&mut connection, script, &command).await;
        if matches!(&answer, Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript))
        {
            command = self::command("EVAL", &script.text, key, arguments);
            answer = self.send(&mut connection, script, &command).await;
        }
        self.metrics
            .store_seconds
            .observe(started.elapsed().as_secs_f64());
        if let Ok(value) = &answer {
            self.metrics.store_received.inc_by(size(value) as u64);
        }
        answer
    }

    async fn send(
        &self,
        connection: &mut Connection,
        script: &Script,
        command: &Cmd,
    ) -> Result<Value, RedisError> {
        self.metrics
            .store_commands
            .get_or_create(&ScriptLabel {
                script: script.name,
            })
            .inc();
        self.metrics.store_sent.inc_by(packed_size(command) as u64);
        connection.send(command).await
    }
}

fn command(verb: &str, script: &str, key: &str, arguments: &[&[u8]]) -> Cmd {
    let mut command = redis::cmd(verb);
    command.arg(script).arg(1).arg(key);
    for argument in arguments {
        command.arg(*argument);
    }
    command
}

/// The bytes of a command on the wire, without packing it a second time.
fn packed_size(command: &Cmd) -> usize {
    let framed = |length: usize| length.to_string().len() + length + 5;
    let sizes = command.args_iter().map(|argument| match argument {
        redis::Arg::Simple(bytes) => framed(bytes.len()),
        _ => framed(1),
    });
    let (count, bytes) = sizes.fold((0_usize, 0), |(count, bytes), size| {
        (count + 1, bytes + size)
    });
    count.to_string().len() + 3 + bytes
}

/// The bytes of an answer on the wire.
fn size(value: &Value) -> usize {
    match value {
        Value::BulkString(bytes) => bytes.len().to_string().len() + bytes.len() + 5,
        Value::Int(number) => number.to_string().len() + 3,
        Value::Array(items) => {
            items.len().to_string().len() + 3 + items.iter().map(size).sum::<usize>()
        }
        _ => 5,
    }
}

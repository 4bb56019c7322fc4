//! The store: scripts, one round trip each, tried again for as long as the patience lasts.

pub mod answer;
mod caller;
mod channel;
mod claims;
mod client;
mod cluster;
mod expiry;
mod floor;
mod health;
mod link;
mod reason;
mod refill;
mod replicas;
mod route;
mod scripts;
mod sentinel;
mod slots;
mod target;
mod whole;
mod wire;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use redis::Value;
use tokio::sync::{Notify, mpsc};

use crate::cache::Others;
use crate::claims::Claims;
use crate::claims::id::Claim;
use crate::claims::message::Message;
use crate::claims::page::Page;
use crate::claims::shared::{News, Version};
use crate::config::StoreConfig;
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::session::packing::Packing;
use crate::session::plan::Plan;
use crate::session::{Session, Token};
use answer::{Answer, ended};
use caller::{Caller, Run};
pub use caller::{Patience, Unavailable};
use claims::Call;
pub use expiry::Reaped;
pub use health::Health;
pub use reason::Reason;
pub use refill::{Probed, Refill};
use scripts::Scripts;
use whole::Whole;

/// A record of more than this is not told: whoever wants it asks the store.
const MOST_NEWS: usize = 4 << 10;

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

/// All claims on a session.
#[derive(Debug, Clone, Copy)]
pub struct Brief {
    /// Of this daemon.
    pub own: Claim,
    /// Of another one, which is told of each commit.
    pub other: Option<Claim>,
}

/// On what terms a commit is made.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// How long to go on trying.
    pub patience: Patience,
    /// A claim to make along with it.
    pub want: Option<Claim>,
    /// A claim of somebody else that is over: the store need not remember it any more.
    pub void: Option<Claim>,
    /// A claim that has to be there.
    pub fence: Option<Claim>,
    /// The claim that there is.
    pub has: Option<Claim>,
    /// The session is there, and claimed by these alone: a commit need not say more than what it changes.
    pub brief: Option<Brief>,
    /// How many versions it makes: clients have been told of each.
    pub versions: u64,
    /// They have, and nobody reads what comes of it.
    pub told: bool,
}

impl Terms {
    /// An ordinary commit.
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            want: None,
            void: None,
            fence: None,
            has: None,
            brief: None,
            versions: 1,
            told: false,
        }
    }
}

/// The store, from the daemon's side.
#[derive(Debug)]
pub struct Store {
    cluster: String,
    scripts: Scripts,
    caller: Caller,
    claims: Arc<Claims>,
    metrics: Arc<Metrics>,
    /// The channels have been subscribed to, perhaps anew.
    heard: Arc<Notify>,
    packing: Packing,
}

impl Store {
    /// Begins to connect and returns at once, with what other daemons will say.
    pub fn start(
        cluster: &str,
        config: &StoreConfig,
        metrics: Arc<Metrics>,
        page: Option<Arc<Page>>,
    ) -> (Self, mpsc::UnboundedReceiver<Message>) {
        let claims = Arc::new(Claims::new(cluster, Arc::clone(&metrics), page));
        let heard = Arc::<Notify>::default();
        let caller = Caller::start(config, Arc::clone(&metrics));
        let target = caller.route().target.clone();
        let messages = channel::start(
            config.clone(),
            target,
            Arc::clone(&claims),
            Arc::clone(&heard),
        );
        tokio::spawn(caller.lose_claims(Arc::clone(&claims), Arc::clone(&heard)));
        let store = Self {
            cluster: cluster.to_owned(),
            scripts: Scripts::new(),
            caller,
            claims,
            metrics,
            heard,
            packing: config.packing,
        };
        (store, messages)
    }

    /// What is compressed.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// Why the store cannot be used, if so.
    pub fn down(&self) -> Option<Reason> {
        self.caller.down()
    }

    /// Whether sessions reach it.
    pub fn health(&self) -> Health {
        self.caller.health()
    }

    /// Asks what changed since `held`, and perhaps for a claim.
    pub async fn open(
        &self,
        id: Digest,
        held: Option<&Session>,
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let version = held.map_or(0, |held| held.version).to_string();
        let token = held.map(|held| held.token.0).unwrap_or_default();
        let arguments = [version.as_bytes(), token.as_slice()];
        let call = Call {
            want: terms.want,
            void: terms.void,
            ..Call::of(&self.scripts.open, id, &arguments)
        };
        let mut answer = self.ask(call, terms.patience).await?;
        // Who knows of that version may go on saying so.
        let news = match &answer {
            Answer::Listing(listing) if may_share(terms) => Some(News::read_at(listing.at())),
            _ => None,
        };
        self.tell_others(id, &mut answer, news.as_ref(), terms.patience)
            .await?;
        Ok(answer)
    }

    /// Puts a session where there is none, at the version that it has, with its sealed name.
    pub async fn create(
        &self,
        id: Digest,
        session: &Session,
        name: &[u8],
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let whole = Whole::of(session, self.packing);
        let arguments = whole.arguments(name);
        let call = Call {
            want: terms.want,
            indexed: true,
            ..Call::of(&self.scripts.create, id, &arguments)
        };
        self.answer(call, terms.patience).await
    }

    /// Adds a commit to a session that is held.
    pub async fn commit(
        &self,
        id: Digest,
        held: &Session,
        plan: &Plan,
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let base = held.version.to_string();
        let idle = plan.idle.map(|idle| idle.to_string()).unwrap_or_default();
        let exact: &[u8] = if plan.exact { b"1" } else { b"" };
        let snapshot = plan.snapshot.as_ref();
        let keep = snapshot
            .map(|(_, keep)| keep.to_string())
            .unwrap_or_default();
        let fence = terms.fence.as_ref().map_or(&b""[..], Claim::bytes);
        let versions = terms.versions.to_string();
        let stub = (terms.versions > 1).then(|| plan.record.stub().encode(self.packing));
        let mut arguments = vec![
            base.as_bytes(),
            &held.token.0,
            &plan.encoded,
            exact,
            idle.as_bytes(),
            fence,
            versions.as_bytes(),
            stub.as_deref().unwrap_or_default(),
        ];
        if let Some((snapshot, _)) = snapshot {
            arguments.extend([snapshot.as_slice(), keep.as_bytes()]);
        }
        let call = Call {
            want: terms.want,
            void: terms.void,
            indexed: plan.idle.is_some(),
            ..Call::of(&self.scripts.commit, id, &arguments)
        };
        let mut answer = self.ask(call, terms.patience).await?;
        let news = match &answer {
            // Of several the first to know would say it before the last one does.
            Answer::Done(done) if done.going.len() == 1 => {
                let own = terms.want.or(terms.has.filter(|_| done.claimed));
                news(held, plan, terms, own)
            }
            _ => None,
        };
        self.tell_others(id, &mut answer, news.as_ref(), terms.patience)
            .await?;
        Ok(answer)
    }

    /// Adds a commit to a session that is held, and claimed as the terms say, with as little as that takes; `None`: nothing was done. The key's
    /// life does not begin anew. What is answered is about the other's claim.
    pub async fn commit_brief(
        &self,
        id: Digest,
        held: &Session,
        plan: &Plan,
        terms: &Terms,
    ) -> Result<Option<Others>, Unavailable> {
        let Some(Brief { own, other }) = terms.brief.filter(|_| plan.is_record_alone()) else {
            return Ok(None);
        };
        let Some(now) = self.claims.store_time(Instant::now()) else {
            return Ok(None);
        };
        let now = now.to_string();
        let field = format!("r:{}", held.version + 1);
        let arguments = [
            own.bytes(),
            &held.token.0,
            field.as_bytes(),
            &plan.encoded,
            now.as_bytes(),
            other.as_ref().map_or(&b""[..], Claim::bytes),
        ];
        let key = id.key(&self.cluster);
        let done = self
            .caller
            .run(
                Run {
                    script: &self.scripts.brief,
                    keys: &[&key],
                    arguments: &arguments,
                },
                terms.patience,
            )
            .await?;
        if done != Value::Int(1) {
            return Ok(None);
        }
        let mut going: Vec<Claim> = other.into_iter().collect();
        let news = other.and_then(|_| news(held, plan, terms, Some(own)));
        self.until_let_go(id, &mut going, news.as_ref(), terms.patience)
            .await?;
        Ok(Some(Others::told(other.as_slice(), &going)))
    }

    /// Adds a commit to a session that is not held: no claim is made.
    pub async fn commit_blind(
        &self,
        id: Digest,
        blind: &Blind<'_>,
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let (base, idle) = (blind.base.to_string(), blind.idle.to_string());
        let fence = terms.fence.as_ref().map_or(&b""[..], Claim::bytes);
        let arguments = [
            base.as_bytes(),
            b"",
            blind.record,
            b"",
            idle.as_bytes(),
            fence,
            b"1",
            b"",
        ];
        let call = Call {
            indexed: true,
            ..Call::of(&self.scripts.commit, id, &arguments)
        };
        self.answer(call, terms.patience).await
    }

    /// Tells of an access that was so long ago; whether the session is there.
    pub async fn touch(&self, id: Digest, ago: Duration) -> Result<bool, Unavailable> {
        let ago = ago.as_millis().to_string();
        let arguments = [ago.as_bytes()];
        let call = Call::of(&self.scripts.touch, id, &arguments);
        let touched = self.run(call, Patience::Bounded).await?;
        Ok(touched == Value::Int(1))
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
        let call = Call {
            indexed: true,
            ..Call::of(&self.scripts.end, id, &arguments)
        };
        let answer = self.run(call, Patience::Bounded).await?;
        let Some((ended, mut going)) = ended(&answer) else {
            return Err(self.caller.nonsense(&self.scripts.end, &answer));
        };
        self.until_let_go(id, &mut going, None, Patience::Bounded)
            .await?;
        Ok(ended)
    }

    async fn answer(&self, call: Call<'_>, patience: Patience) -> Result<Answer, Unavailable> {
        let mut answer = self.ask(call, patience).await?;
        self.tell_others(call.id, &mut answer, None, patience)
            .await?;
        Ok(answer)
    }

    async fn ask(&self, call: Call<'_>, patience: Patience) -> Result<Answer, Unavailable> {
        let script = call.script;
        let value = self.run(call, patience).await?;
        // Only a store that is none of ours answers anything else.
        Answer::read(value).ok_or_else(|| self.caller.nonsense(script, &Value::Nil))
    }

    async fn tell_others(
        &self,
        id: Digest,
        answer: &mut Answer,
        news: Option<&News>,
        patience: Patience,
    ) -> Result<(), Unavailable> {
        let Some(going) = answer.going() else {
            return Ok(());
        };
        let all = going.clone();
        self.until_let_go(id, going, news, patience).await?;
        let others = Others::told(&all, going);
        match answer {
            Answer::Done(done) => done.others = others,
            Answer::Listing(listing) => listing.shared |= others.any,
            _ => {}
        }
        Ok(())
    }
}

/// Whether others may have claims beside the asker's.
fn may_share(terms: &Terms) -> bool {
    terms.fence.is_none() && terms.want.is_none_or(|want| want.is_shared())
}

/// What to tell who holds the version before, so that he may keep his claim; none where that is too much, or not all, or where a claim beside
/// the asker's must not be. `own`: the asker's.
fn news(held: &Session, plan: &Plan, terms: &Terms, own: Option<Claim>) -> Option<News> {
    let is_all = plan.is_record_alone() && terms.versions == 1;
    (is_all && may_share(terms) && plan.encoded.len() <= MOST_NEWS).then(|| News {
        before: Version {
            number: held.version,
            token: held.token,
        },
        beside: own,
        record: Bytes::copy_from_slice(&plan.encoded),
    })
}

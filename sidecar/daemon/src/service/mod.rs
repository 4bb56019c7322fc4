//! What the commands mean. Requests of one session run one after another, those of others beside them.

mod claims;
mod commit;
mod ends;
mod exclusive;
mod expiry;
mod page;
mod patch;
mod queue;
pub mod reaper;
mod recovery;
mod refill;
mod release;
mod rename;
mod rightful;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use thiserror::Error;
use tracing::{debug, error};

use crate::cache::{Cache, Slot};
use crate::claims::accesses::Accesses;
use crate::claims::calls::Calls;
use crate::claims::id::Claim;
use crate::claims::message::Message;
use crate::claims::page::Page;
use crate::command::Commit;
use crate::config::{Config, Mode};
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::pace::Pace;
use crate::seal::Sealer;
use crate::session::rewind::{Lost, lost};
use crate::session::{Lack, Session, Token};
use crate::store::answer::{Answer, Listing, Loaded};
use crate::store::{Patience, Store, Unavailable};
use crate::subscribers::Subscribers;
use claims::Reached;
use ends::Ends;
use exclusive::Locks;
use queue::Queue;
use recovery::Recovery;

/// Why a request was not done.
#[derive(Debug, Clone, Error)]
pub enum Failure {
    /// There is nothing to commit to.
    #[error("the session has ended")]
    Gone,
    /// The store is away.
    #[error("{0}")]
    Unavailable(String),
    /// A delta cannot be applied: the client has to send the value.
    #[error("the value that '{0}' was changed from is not held here: send it whole")]
    Missing(String),
    /// The session would pass its limit.
    #[error("the session would have {would} bytes, the limit is {limit}")]
    TooLarge {
        /// Its size.
        would: usize,
        /// What is allowed.
        limit: usize,
    },
    /// Another daemon has claimed it and does not let go.
    #[error("{0}")]
    Held(String),
    /// Another request has it for itself, or has taken it over.
    #[error("{0}")]
    Busy(String),
    /// What was asked for is not possible with this store.
    #[error("{0}")]
    NoClaims(String),
}

impl Failure {
    /// The prefix of the reply.
    pub fn prefix(&self) -> &'static str {
        match self {
            Self::Gone => "GONE",
            Self::Unavailable(_) | Self::Held(_) => "UNAVAILABLE",
            Self::Missing(_) => "MISSING",
            Self::Busy(_) => "BUSY",
            Self::NoClaims(_) => "ERR",
            Self::TooLarge { .. } => "TOOLARGE",
        }
    }
}

impl From<Unavailable> for Failure {
    fn from(unavailable: Unavailable) -> Self {
        if unavailable.is_claimed() {
            Self::Held(unavailable.to_string())
        } else {
            Self::Unavailable(unavailable.to_string())
        }
    }
}

/// The answer to `SJ.OPEN`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The session's version.
    pub version: u64,
    /// When it was created.
    pub created: u64,
    /// The access before this one.
    pub accessed: u64,
    /// Seconds until it ends unused.
    pub idle: i64,
    /// What the client lacks.
    pub lack: Lack,
    /// The session's ticket on the page of claims, if it was asked for; 0 if it has none.
    pub ticket: Option<u64>,
}

/// The answer to `SJ.COMMIT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The session's version.
    pub version: u64,
    /// What the client lacks.
    pub lack: Lack,
}

/// Everything behind the protocol.
#[derive(Debug)]
pub struct Service {
    store: Store,
    cache: Mutex<Cache>,
    queue: Queue,
    accesses: Mutex<Accesses>,
    calls: Mutex<Calls>,
    locks: Mutex<Locks>,
    mode: Mode,
    max_session: usize,
    patience: Duration,
    metrics: Arc<Metrics>,
    sealer: Sealer,
    pace: Arc<Pace>,
    subscribers: Arc<Subscribers>,
    ends: Ends,
    recovery: Recovery,
}

impl Service {
    /// A service that begins to connect to its store.
    pub fn start(config: &Config, metrics: Arc<Metrics>, page: Option<Arc<Page>>) -> Arc<Self> {
        let (store, messages) =
            Store::start(&config.cluster, &config.store, Arc::clone(&metrics), page);
        let service = Arc::new(Self {
            store,
            cache: Mutex::new(Cache::new(config.memory)),
            queue: Queue::new(config.queue, Arc::clone(&metrics)),
            accesses: Mutex::default(),
            calls: Mutex::default(),
            locks: Mutex::default(),
            mode: config.mode,
            max_session: config.max_session,
            patience: config.store.patience,
            metrics,
            sealer: Sealer::new(config),
            pace: Arc::new(Pace::new(config.background.limits)),
            subscribers: Subscribers::new(),
            ends: Ends::default(),
            recovery: Recovery::new(config.store.settle),
        });
        tokio::spawn(Arc::clone(&service).listen(messages));
        tokio::spawn(Arc::clone(&service).live());
        service
    }

    /// The store, to ask how it does.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Who listens on the channel.
    pub fn subscribers(&self) -> &Arc<Subscribers> {
        &self.subscribers
    }

    /// How fast the daemon works by itself.
    pub fn pace(&self) -> &Arc<Pace> {
        &self.pace
    }

    /// When commits are answered.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// `SJ.OPEN`; `patch`: the client can apply deltas; `ticket`: it looks at the page of claims.
    pub async fn open(
        &self,
        session: &[u8],
        held: u64,
        patch: bool,
        ticket: bool,
    ) -> Result<Option<Opened>, Failure> {
        let id = Digest::of(session);
        let slot = self.cache().slot(id);
        let opened = {
            let _turn = self.turn(id, &slot).await;
            let opened = self.open_slot(id, &slot, held, Ask::IfEarned).await;
            opened.map(|opened| {
                opened.map(|mut opened| {
                    if patch {
                        opened = patch::shorten(&slot, held, opened);
                    }
                    opened.ticket = ticket.then(|| self.ticket(id, &slot));
                    opened
                })
            })
        };
        Self::name(&mut slot.state().held, session);
        self.settle(id, slot);
        opened
    }

    /// An open by who has the gate.
    async fn open_slot(
        &self,
        id: Digest,
        slot: &Slot,
        held: u64,
        ask: Ask,
    ) -> Result<Option<Opened>, Failure> {
        if let Some(opened) = self.open_claimed(id, slot, held) {
            return Ok(Some(opened));
        }
        self.wait_until_flushed(slot).await?;
        let want = match ask {
            Ask::IfEarned => self.claim_for_open(slot),
            Ask::Always => self.store.claims().next_even_draining(),
        };
        let mut ours = slot.state().held.take();
        if ours.is_none() {
            // A daemon before this one may have told a version that came out differently, or the store may have lost it since and given the number
            // away again: whoever holds it without us holds nothing that we could tell apart.
            self.cache().doubt(id, held);
        }
        let before = ours.as_ref().map(|ours| (ours.version, ours.token));
        let sent = Instant::now();
        let refreshed = self.refresh(id, &mut ours, want).await;
        let after = ours.as_ref().map(|ours| (ours.version, ours.token));
        let opened = refreshed.map(|refreshed| match (&ours, refreshed) {
            (Some(session), Refreshed::Accessed { accessed, made }) => {
                let opened = Opened {
                    version: session.version,
                    created: session.created,
                    accessed,
                    idle: session.idle,
                    lack: self.lack(id, session, held, &BTreeSet::new()),
                    ticket: None,
                };
                Some((opened, made))
            }
            _ => None,
        });
        slot.state().held = ours;
        let Some((opened, made)) = opened? else {
            slot.state().set_claim(None);
            return Ok(None);
        };
        let disturbed = before.is_some() && before != after;
        self.reached(id, slot, sent, Reached::Opened { made, disturbed });
        Ok(Some(opened))
    }

    /// Brings what we hold up to what the store holds; one round trip, more where the store has lost something.
    async fn refresh(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        want: Option<Claim>,
    ) -> Result<Refreshed, Unavailable> {
        let bounded = Patience::Bounded;
        let mut answer = self.store.open(id, held.as_ref(), want, bounded).await?;
        if matches!(answer, Answer::Absent) {
            let again = match held {
                Some(_) => self.put_back(id, held, bounded).await?,
                None => self.recovery.refilled_by_others().await,
            };
            if again {
                answer = self.store.open(id, held.as_ref(), want, bounded).await?;
            }
        }
        match answer {
            Answer::Listing(listing) => {
                let (accessed, written) = (listing.accessed, listing.written);
                let seen = self.load(id, listing, held);
                // What is put back is put back without a claim.
                let right = !self.put_right(id, held, seen, bounded).await?;
                let made = want.filter(|_| written && right);
                Ok(Refreshed::Accessed { accessed, made })
            }
            Answer::Ended(forward) => {
                self.ends.hear(id, forward);
                *held = None;
                Ok(Refreshed::Ended(forward))
            }
            _ => {
                *held = None;
                Ok(Refreshed::Absent)
            }
        }
    }

    /// Brings `held` up to a listing; nothing is held of what cannot be read.
    fn load(&self, id: Digest, listing: Listing, held: &mut Option<Session>) -> Seen {
        let Some(loaded) = listing.load(held.take()) else {
            // Nothing is deleted: another version of this daemon may be able to read it.
            error!(session = id.hex(), "session unreadable");
            self.metrics.unreadable.inc();
            return Seen::default();
        };
        let Loaded {
            session,
            replaced,
            unreadable,
            mut tokens,
        } = loaded;
        if unreadable > 0 {
            error!(
                session = id.hex(),
                records = unreadable,
                "records unreadable and skipped"
            );
            self.metrics.unreadable.inc_by(unreadable as u64);
        }
        let replaced = replaced.filter(|ours| self.may_be_put_right(id, ours, &session));
        tokens.push(session.token);
        *held = Some(session);
        Seen { tokens, replaced }
    }

    /// Whether the store lost something of what we held; otherwise what it has is the truth for whoever holds ours.
    fn may_be_put_right(&self, id: Digest, ours: &Session, store: &Session) -> bool {
        let may = lost(ours, store) != Lost::Nothing;
        if !may {
            debug!(
                session = id.hex(),
                before = ours.version,
                now = store.version,
                "session replaced by the store's"
            );
            self.cache().doubt(id, ours.version);
        }
        may
    }

    /// `SJ.COMMIT`, perhaps under a lock.
    pub async fn commit(
        self: &Arc<Self>,
        mut commit: Commit,
        lock: Option<u64>,
    ) -> Result<Committed, Failure> {
        let id = Digest::of(&commit.session);
        let slot = self.cache().slot(id);
        if let Err(failure) = patch::resolve(self, id, &slot, &mut commit).await {
            self.settle(id, slot);
            return Err(failure);
        }
        let committed = match (lock, self.mode) {
            (Some(lock), _) => self.commit_exclusive(id, &slot, &commit, lock).await,
            (None, Mode::Sync) => self.commit_sync(id, &slot, &commit, None).await,
            (None, Mode::Async) => self.commit_async(id, &slot, commit).await,
        };
        self.settle(id, slot);
        committed
    }

    /// `SJ.TOUCH`: answered before it is done.
    pub fn touch(self: &Arc<Self>, session: &[u8]) {
        let id = Digest::of(session);
        if self.touch_claimed(id) {
            return;
        }
        let service = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(unavailable) = service.store.touch(id, Duration::ZERO).await {
                // The next access starts the idle time anew just as well.
                debug!(session = id.hex(), %unavailable, "touch lost");
            }
        });
    }

    /// `SJ.END`: whether this call ended it.
    pub async fn end(self: &Arc<Self>, session: &[u8]) -> Result<bool, Failure> {
        let id = Digest::of(session);
        let slot = self.cache().slot(id);
        let ended = self.end_slot(id, &slot).await;
        self.settle(id, slot);
        if matches!(ended, Ok(true)) {
            self.announce_end(id, None);
        }
        ended
    }

    /// Tells the other daemons, without waiting for that.
    fn announce_end(self: &Arc<Self>, id: Digest, forward: Option<Digest>) {
        let service = Arc::clone(self);
        let end = Message::End { id, forward };
        tokio::spawn(async move { service.store.tell_all(&end).await });
    }

    async fn end_slot(&self, id: Digest, slot: &Slot) -> Result<bool, Failure> {
        let _turn = self.turn(id, slot).await;
        // What has not begun its way to the store need not: and it must not come after the end.
        let was_pending = self.drop_pending(slot);
        self.wait_until_flushed(slot).await?;
        let was_held = slot.state().held.take().is_some();
        // Known before the store takes it: if it does not, the tombstone follows when it is back.
        self.ends.hear(id, None);
        let ended = self.store.end(id, None, None).await?;
        if ended == 0 && (was_held || self.recovery.was_emptied_lately()) {
            // The store may have lost it, and somebody else put it back.
            self.store.bury(id, None).await?;
        }
        slot.state().set_claim(None);
        self.accesses().take(id);
        Ok(ended == 1 || was_pending)
    }

    /// What a client lacks that holds version `held`.
    fn lack(&self, id: Digest, session: &Session, held: u64, except: &BTreeSet<Bytes>) -> Lack {
        let doubted = self.cache().take_doubt(id, held);
        session.lack_unless(doubted, held, except)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accesses(&self) -> MutexGuard<'_, Accesses> {
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn locks(&self) -> MutexGuard<'_, Locks> {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, id: Digest, slot: Arc<Slot>) {
        self.cache().settle(id, slot);
        self.show_cache();
    }

    fn show_cache(&self) {
        let cache = self.cache();
        self.metrics
            .claims
            .held
            .set(i64::try_from(cache.claimed()).unwrap_or(i64::MAX));
        self.metrics
            .cached_sessions
            .set(i64::try_from(cache.sessions()).unwrap_or(i64::MAX));
        self.metrics
            .cached_bytes
            .set(i64::try_from(cache.weight()).unwrap_or(i64::MAX));
    }
}

/// Whether an open asks for a claim.
#[derive(Debug, Clone, Copy)]
enum Ask {
    IfEarned,
    Always,
}

/// What was found in a listing.
#[derive(Debug, Default)]
struct Seen {
    /// The tokens on the way.
    tokens: Vec<Token>,
    /// What was held before, if the store has lost something of it.
    replaced: Option<Session>,
}

/// What the store said to an open.
enum Refreshed {
    /// It is there (though perhaps not readable).
    Accessed {
        /// The access before this one.
        accessed: u64,
        /// The claim that was made.
        made: Option<Claim>,
    },
    Absent,
    Ended(Option<Digest>),
}

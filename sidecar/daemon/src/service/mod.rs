//! What the commands mean. Requests of one session run one after another, those of others beside them.

mod admission;
mod attempt;
mod claims;
mod commit;
mod end;
mod ends;
mod exclusive;
mod expiry;
mod forward;
mod late;
mod lease;
pub mod moving;
mod notice;
mod open;
mod overview;
mod owed;
mod page;
mod parts;
mod patch;
mod queue;
mod reached;
pub mod reaper;
mod recovery;
mod refill;
mod release;
mod rename;
mod rightful;
mod room;
mod starts;
mod tally;
mod told;
mod untold;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use thiserror::Error;
use tracing::debug;

use crate::cache::{Cache, Slot};
use crate::claims::accesses::{Accesses, Use};
use crate::claims::calls::Calls;
use crate::claims::message::Message;
use crate::claims::page::Page;
use crate::command::Commit;
use crate::config::{Config, Mode, Outage};
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::pace::Pace;
use crate::readers::Readers;
use crate::seal::Sealer;
use crate::session::{Lack, Session};
use crate::store::{Other, Patience, Store, Terms, Unavailable};
use crate::subscribers::Subscribers;
pub use admission::{Admission, Admitted};
use ends::Ends;
use exclusive::Locks;
pub use open::{Ask, Opened};
pub use overview::Overview;
use recovery::Recovery;
use room::Room;
use starts::Starts;

/// How much longer than the patience a request may take for what a store has lost to be put back. Clients give up a daemon that does not answer: the agent
/// after 20 s, where the patience is 15 s.
const GRACE: Duration = Duration::from_secs(4);

/// How many times over a request is there beside itself until it is in the store: in a record, a command, the bytes to send.
const COPIES: usize = 3;
/// Less is not worth giving way to.
const LARGE: usize = 4 << 20;

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
    /// It cannot be had now: another request has it for itself, or has taken it over, or nobody can say whether it is there.
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
        if unavailable.is_held() {
            Self::Held(unavailable.to_string())
        } else {
            Self::Unavailable(unavailable.to_string())
        }
    }
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
    queue: Room,
    starts: Starts,
    admission: Admission,
    accesses: Mutex<Accesses>,
    calls: Mutex<Calls>,
    locks: Mutex<Locks>,
    mode: Mode,
    max_session: usize,
    patience: Duration,
    outage: Outage,
    in_use: bool,
    metrics: Arc<Metrics>,
    sealer: Arc<Sealer>,
    pace: Arc<Pace>,
    subscribers: Arc<Subscribers>,
    readers: Arc<Readers>,
    ends: Ends,
    recovery: Recovery,
}

impl Service {
    /// A service that begins to connect to its store.
    pub fn start(config: &Config, metrics: Arc<Metrics>, page: Option<Arc<Page>>) -> Arc<Self> {
        let sealer = Arc::new(Sealer::new(config, &config.store));
        let other = config.store.other.as_deref();
        let other = other.map(|other| Other::start(config, other, Arc::clone(&sealer)));
        let (store, messages) = Store::start(
            &config.cluster,
            &config.store,
            Arc::clone(&metrics),
            page,
            other,
        );
        let service = Arc::new(Self {
            store,
            cache: Mutex::new(Cache::new(config.memory)),
            queue: Room::new(config.queue, Arc::clone(&metrics)),
            starts: Starts::new(),
            admission: Admission::beside(config.memory, config.max_session),
            accesses: Mutex::default(),
            calls: Mutex::default(),
            locks: Mutex::default(),
            mode: config.mode,
            max_session: config.max_session,
            patience: config.store.patience,
            outage: config.store.outage,
            // Where sessions move there are some.
            in_use: config.store.in_use || config.store.other.is_some(),
            metrics,
            sealer,
            pace: Arc::new(Pace::new(config.background.limits)),
            subscribers: Subscribers::new(),
            readers: Arc::default(),
            ends: Ends::default(),
            recovery: Recovery::new(config.store.settle, config.store.patience),
        });
        tokio::spawn(Arc::clone(&service).listen(messages));
        tokio::spawn(Arc::clone(&service).live());
        tokio::spawn(Arc::clone(&service).speak());
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

    /// Who holds sessions of the page of claims.
    pub fn readers(&self) -> &Arc<Readers> {
        &self.readers
    }

    /// How fast the daemon works by itself.
    pub fn pace(&self) -> &Arc<Pace> {
        &self.pace
    }

    /// The room that requests take until they are answered.
    pub fn admission(&self) -> &Admission {
        &self.admission
    }

    /// What is held gives way to large requests on their way to the store, each of which is there several times over by then. While there is none it is what users are
    /// served from, and what the store is filled from if it comes back empty.
    pub fn give_way(&self) {
        let others = COPIES * self.admission.bytes();
        if others > LARGE && self.store.down().is_none() {
            self.cache().give_way(others);
        }
    }

    /// When commits are answered.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What a request meets whose session cannot be asked for.
    pub fn outage(&self) -> Outage {
        self.outage
    }

    /// `SJ.COMMIT`, perhaps under a lock.
    pub async fn commit(
        self: &Arc<Self>,
        mut commit: Commit,
        lock: Option<u64>,
    ) -> Result<Committed, Failure> {
        let access = (!commit.passive && commit.base > 0).then(Instant::now);
        let patience = self.patience_of_request();
        let id = Digest::of(&commit.session);
        let slot = self.cache().slot(id);
        if let Err(failure) = patch::resolve(self, id, &slot, &mut commit).await {
            self.settle(id, slot);
            return Err(failure);
        }
        let terms = Terms {
            fence: lock.and_then(|lock| self.locks().claim(lock, id)),
            ..Terms::new(patience)
        };
        let committed = match (lock, self.mode) {
            (Some(_), _) => self.commit_exclusive(id, &slot, &commit, &terms).await,
            (None, Mode::Sync) => self.commit_sync(id, &slot, &commit, &terms).await,
            (None, Mode::Async) => self.commit_async(id, &slot, commit, &terms).await,
        };
        self.note_unheard(id, access, &committed);
        self.settle(id, slot);
        committed
    }

    /// `SJ.TOUCH`: answered before it is done.
    pub fn touch(self: &Arc<Self>, session: &[u8]) {
        let id = Digest::of(session);
        if self.touch_claimed(id) {
            return;
        }
        let (service, used) = (Arc::clone(self), Use::at(Instant::now()));
        tokio::spawn(async move {
            let touched = service.store.touch(id, used, Patience::Bounded).await;
            if let Err(unavailable) = touched {
                debug!(session = id.hex(), %unavailable, "touched later");
                service.tell_accesses_later(id, used);
            }
        });
    }

    /// Tells all daemons, without waiting for that.
    fn announce(self: &Arc<Self>, message: Message) {
        let service = Arc::clone(self);
        tokio::spawn(async move { service.store.tell_all(&message).await });
    }

    /// That of a request that has just come, whatever it is to wait for.
    pub(crate) fn patience_of_request(&self) -> Patience {
        Patience::Until(tokio::time::Instant::now() + self.patience + GRACE)
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

//! What the commands mean. Requests of one session run one after another, those of others beside them.

mod commit;
mod expiry;
mod queue;
pub mod reaper;
mod rename;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use thiserror::Error;
use tracing::{debug, error};

use crate::cache::{Cache, Slot};
use crate::command::Commit;
use crate::config::{Config, Mode};
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::pace::Pace;
use crate::seal::Sealer;
use crate::session::{Lack, Session};
use crate::store::answer::{Answer, Listing, Loaded};
use crate::store::{Patience, Store, Unavailable};
use crate::subscribers::Subscribers;
use queue::Queue;

/// Why a request was not done.
#[derive(Debug, Clone, Error)]
pub enum Failure {
    /// There is nothing to commit to.
    #[error("the session has ended")]
    Gone,
    /// The store is away.
    #[error("{0}")]
    Unavailable(String),
    /// The session would pass its limit.
    #[error("the session would have {would} bytes, the limit is {limit}")]
    TooLarge {
        /// Its size.
        would: usize,
        /// What is allowed.
        limit: usize,
    },
}

impl Failure {
    /// The prefix of the reply.
    pub fn prefix(&self) -> &'static str {
        match self {
            Self::Gone => "GONE",
            Self::Unavailable(_) => "UNAVAILABLE",
            Self::TooLarge { .. } => "TOOLARGE",
        }
    }
}

impl From<Unavailable> for Failure {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable.to_string())
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
    mode: Mode,
    max_session: usize,
    patience: Duration,
    metrics: Arc<Metrics>,
    sealer: Sealer,
    pace: Arc<Pace>,
    subscribers: Arc<Subscribers>,
}

impl Service {
    /// A service that begins to connect to its store.
    pub fn start(config: &Config, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            store: Store::start(&config.cluster, &config.store, Arc::clone(&metrics)),
            cache: Mutex::new(Cache::new(config.memory)),
            queue: Queue::new(config.queue, Arc::clone(&metrics)),
            mode: config.mode,
            max_session: config.max_session,
            patience: config.store.patience,
            metrics,
            sealer: Sealer::new(config),
            pace: Arc::new(Pace::new(config.background.limits)),
            subscribers: Subscribers::new(),
        })
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

    /// `SJ.OPEN`
    pub async fn open(&self, session: &[u8], held: u64) -> Result<Option<Opened>, Failure> {
        let id = Digest::of(session);
        let slot = self.cache().slot(id);
        let opened = self.open_slot(id, &slot, held).await;
        self.settle(id, slot);
        opened
    }

    async fn open_slot(
        &self,
        id: Digest,
        slot: &Slot,
        held: u64,
    ) -> Result<Option<Opened>, Failure> {
        let _turn = slot.gate.lock().await;
        self.wait_until_flushed(slot).await?;
        let mut ours = slot.state().held.take();
        let accessed = self.refresh(id, &mut ours).await;
        let opened = accessed.map(|accessed| match (&ours, accessed) {
            (Some(session), Refreshed::Accessed(accessed)) => Some(Opened {
                version: session.version,
                created: session.created,
                accessed,
                idle: session.idle,
                lack: self.lack(id, session, held, &BTreeSet::new()),
            }),
            _ => None,
        });
        slot.state().held = ours;
        Ok(opened?)
    }

    /// Brings what we hold up to what the store holds; one round trip.
    async fn refresh(
        &self,
        id: Digest,
        held: &mut Option<Session>,
    ) -> Result<Refreshed, Unavailable> {
        match self
            .store
            .open(id, held.as_ref(), Patience::Bounded)
            .await?
        {
            Answer::Listing(listing) => {
                let accessed = listing.accessed;
                self.load(id, listing, held);
                Ok(Refreshed::Accessed(accessed))
            }
            Answer::Ended(forward) => {
                *held = None;
                Ok(Refreshed::Ended(forward))
            }
            _ => {
                *held = None;
                Ok(Refreshed::Absent)
            }
        }
    }

    /// Brings `held` up to a listing and returns the tokens on the way; nothing is held of what cannot be read.
    fn load(
        &self,
        id: Digest,
        listing: Listing,
        held: &mut Option<Session>,
    ) -> Vec<crate::session::Token> {
        let before = held.as_ref().map_or(0, |held| held.version);
        let Some(Loaded {
            session,
            replaced,
            unreadable,
            mut tokens,
        }) = listing.load(held.take())
        else {
            // Nothing is deleted: another version of this daemon may be able to read it.
            error!(session = id.hex(), "session unreadable");
            self.metrics.unreadable.inc();
            return Vec::new();
        };
        if unreadable > 0 {
            error!(
                session = id.hex(),
                records = unreadable,
                "records unreadable and skipped"
            );
            self.metrics.unreadable.inc_by(unreadable as u64);
        }
        if replaced {
            debug!(
                session = id.hex(),
                before,
                now = session.version,
                "session replaced by the store's"
            );
            self.cache().doubt(id, before);
        }
        tokens.push(session.token);
        *held = Some(session);
        tokens
    }

    /// `SJ.COMMIT`
    pub async fn commit(self: &Arc<Self>, commit: Commit) -> Result<Committed, Failure> {
        let id = Digest::of(&commit.session);
        let slot = self.cache().slot(id);
        let committed = match self.mode {
            Mode::Sync => self.commit_sync(id, &slot, &commit).await,
            Mode::Async => self.commit_async(id, &slot, commit).await,
        };
        self.settle(id, slot);
        committed
    }

    /// `SJ.TOUCH`: answered before it is done.
    pub fn touch(self: &Arc<Self>, session: &[u8]) {
        let id = Digest::of(session);
        let service = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(unavailable) = service.store.touch(id).await {
                // The next access starts the idle time anew just as well.
                debug!(session = id.hex(), %unavailable, "touch lost");
            }
        });
    }

    /// `SJ.END`: whether this call ended it.
    pub async fn end(&self, session: &[u8]) -> Result<bool, Failure> {
        let id = Digest::of(session);
        let slot = self.cache().slot(id);
        let ended = self.end_slot(id, &slot).await;
        self.settle(id, slot);
        ended
    }

    async fn end_slot(&self, id: Digest, slot: &Slot) -> Result<bool, Failure> {
        let _turn = slot.gate.lock().await;
        // What has not begun its way to the store need not: and it must not come after the end.
        let was_pending = self.drop_pending(slot);
        self.wait_until_flushed(slot).await?;
        let ended = self.store.end(id, None, None).await?;
        slot.state().held = None;
        Ok(ended == 1 || was_pending)
    }

    /// What a client lacks that holds version `held`.
    fn lack(&self, id: Digest, session: &Session, held: u64, except: &BTreeSet<Bytes>) -> Lack {
        if self.cache().take_doubt(id, held) {
            return Lack {
                whole: true,
                ..session.lack(0, &BTreeSet::new())
            };
        }
        session.lack(held, except)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, id: Digest, slot: Arc<Slot>) {
        let mut cache = self.cache();
        cache.settle(id, slot);
        self.metrics
            .cached_sessions
            .set(i64::try_from(cache.sessions()).unwrap_or(i64::MAX));
        self.metrics
            .cached_bytes
            .set(i64::try_from(cache.weight()).unwrap_or(i64::MAX));
    }
}

/// What the store said to an open.
enum Refreshed {
    /// It is there (though perhaps not readable).
    Accessed(u64),
    Absent,
    Ended(Option<Digest>),
}

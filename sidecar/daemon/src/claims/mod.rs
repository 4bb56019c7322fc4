//! Claims: sessions of which this daemon's copy is the newest without asking, as long as nobody calls them back.
//!
//! What decides is pure ([`trust`], [`standing`], [`accesses`], [`calls`], [`message`]); what is here is the state of the daemon.

pub mod accesses;
pub mod calls;
pub mod id;
pub mod message;
pub mod metrics;
pub mod standing;
pub mod trust;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{broadcast, watch};
use tracing::{info, warn};

use crate::key::Digest;
use crate::metrics::Metrics;
use id::{Claim, Node};
use trust::{BEAT, Beat, Moment, Trust};

/// Told at once of so many releases; who lags asks the store again anyway.
const FREED: usize = 1024;

/// Whether this daemon can have claims.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ability {
    /// Beats have not come back yet, or do not any more.
    Waiting,
    /// It can.
    Trusted,
    /// The store does not let it.
    Forbidden(String),
}

/// Why there can be no claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoClaims {
    /// The store does not let this daemon have any.
    Forbidden(String),
    /// Beats did not come back in time.
    Silent,
}

/// What this daemon knows of its claims.
#[derive(Debug)]
pub struct Claims {
    cluster: String,
    node: Node,
    trust: Mutex<Trust>,
    ability: watch::Sender<Ability>,
    numbers: AtomicU32,
    draining: AtomicBool,
    freed: broadcast::Sender<Digest>,
    metrics: Arc<Metrics>,
}

impl Claims {
    /// None yet.
    pub fn new(cluster: &str, metrics: Arc<Metrics>) -> Self {
        Self {
            cluster: cluster.to_owned(),
            node: Node::random(),
            trust: Mutex::default(),
            ability: watch::Sender::new(Ability::Waiting),
            numbers: AtomicU32::new(0),
            draining: AtomicBool::new(false),
            freed: broadcast::Sender::new(FREED),
            metrics,
        }
    }

    /// This daemon.
    pub fn node(&self) -> Node {
        self.node
    }

    /// The channel of this daemon.
    pub fn channel(&self) -> String {
        self.node.channel(&self.cluster)
    }

    /// The channel of all daemons.
    pub fn channel_of_all(&self) -> String {
        format!("sj:{}:all", self.cluster)
    }

    /// Whether a claim counts at this moment. To be asked again after each await: the daemon may have been stopped.
    pub fn trusts(&self, claim: Claim) -> bool {
        self.trust().life(Moment::now()) == Some(claim.life())
    }

    /// A claim to ask the store for; none while claims would not be trusted, or while the pod drains.
    pub fn next(&self) -> Option<Claim> {
        if self.is_draining() {
            return None;
        }
        self.next_even_draining()
    }

    /// A claim to ask the store for, for somebody who cannot do without.
    pub fn next_even_draining(&self) -> Option<Claim> {
        let life = self.trust().life(Moment::now())?;
        Some(Claim::new(self.node, life, self.number()))
    }

    /// Names this daemon to another, whether its claims are trusted or not.
    pub fn name(&self) -> Claim {
        Claim::new(self.node, 0, self.number())
    }

    fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether the pod drains.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Nothing is claimed any more just because it has been earned.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Waits until claims are trusted.
    pub async fn until_trusted(&self, patience: Duration) -> Result<(), NoClaims> {
        let mut ability = self.ability.subscribe();
        let known = async {
            loop {
                if let Ability::Forbidden(reason) = &*ability.borrow_and_update() {
                    return Err(NoClaims::Forbidden(reason.clone()));
                }
                if self.trust().life(Moment::now()).is_some() {
                    return Ok(());
                }
                // What has lapsed is shown with the next beat.
                let _ = tokio::time::timeout(BEAT, ability.changed()).await;
            }
        };
        let outcome = tokio::time::timeout(patience, known).await;
        outcome.unwrap_or(Err(NoClaims::Silent))
    }

    /// The store refuses what claims need: none until it lets us. Said once.
    pub fn forbid(&self, reason: &str) {
        let forbidden = Ability::Forbidden(reason.to_owned());
        let news = self.ability.send_if_modified(|ability| {
            let news = !matches!(ability, Ability::Forbidden(_));
            *ability = forbidden;
            news
        });
        if news {
            self.metrics.claims.trusted.set(0);
            warn!(
                reason,
                mend = "allow the store's user the commands, keys and channels in sidecar/protocol/store.md",
                "no claims: every open asks the store, every commit waits for it, and exclusive sessions are refused"
            );
        }
    }

    /// Whether the store refuses.
    pub fn is_forbidden(&self) -> bool {
        matches!(*self.ability.borrow(), Ability::Forbidden(_))
    }

    /// The connection to the store was lost. It may be another store that answers next, one that never heard of the last
    /// claims: they are void.
    pub fn lose(&self) {
        self.trust().lose();
        self.show();
    }

    /// The next beat to send.
    pub fn beat(&self) -> Beat {
        let beat = self.trust().beat(Moment::now());
        if beat.over.is_some() {
            self.metrics.claims.lapses.inc();
            info!("claims void: the store was away, or slow, or this daemon was");
        }
        self.show();
        beat
    }

    /// The store has set the key of a beat, or (`None`) did not find it.
    pub fn stored(&self, number: u64, store_time: Option<u64>) {
        match store_time {
            Some(time) => self.trust().stored(number, time, Moment::now()),
            None => self.trust().refused(number),
        }
        self.show();
    }

    /// A beat's message came back.
    pub fn echoed(&self, number: u64) {
        self.trust().echoed(number, Moment::now());
        self.show();
    }

    /// Nothing is claimed and nothing trusted any more; the life that this ends.
    pub fn last_life(&self) -> u16 {
        self.draining.store(true, Ordering::Relaxed);
        let mut trust = self.trust();
        trust.lose();
        trust.current()
    }

    /// The store's clock at an instant, once it is known.
    pub fn store_time(&self, at: Instant) -> Option<u64> {
        self.trust().store_time(at)
    }

    /// Tells who waits that a session has been released.
    pub fn free(&self, id: Digest) {
        // Nobody waits: fine.
        let _ = self.freed.send(id);
    }

    /// To hear of releases.
    pub fn releases(&self) -> broadcast::Receiver<Digest> {
        self.freed.subscribe()
    }

    fn show(&self) {
        let trusted = self.trust().life(Moment::now()).is_some();
        let now = if trusted {
            Ability::Trusted
        } else {
            Ability::Waiting
        };
        self.ability.send_if_modified(|ability| {
            // What is forbidden stays so until a beat comes back.
            let news = *ability != now && (trusted || *ability == Ability::Trusted);
            if news {
                *ability = now;
            }
            news
        });
        self.metrics.claims.trusted.set(i64::from(trusted));
    }

    fn trust(&self) -> MutexGuard<'_, Trust> {
        self.trust.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits, bounded, until a session is said to be free.
pub async fn freed(releases: &mut broadcast::Receiver<Digest>, id: Digest, patience: Duration) {
    let freed = async {
        loop {
            match releases.recv().await {
                Ok(freed) if freed != id => {}
                _ => return,
            }
        }
    };
    // In vain, or not: the store is asked either way.
    let _ = tokio::time::timeout(patience, freed).await;
}

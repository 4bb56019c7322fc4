//! Claims: sessions of which this daemon's copy is the newest without asking, as long as nobody calls them back.
//!
//! What decides is pure ([`trust`], [`standing`], [`accesses`], [`calls`], [`message`]); what is here is the state of the daemon.

pub mod accesses;
pub mod calls;
pub mod id;
pub mod let_go;
pub mod message;
pub mod metrics;
pub mod outbox;
pub mod page;
pub mod peers;
pub mod releases;
pub mod shared;
pub mod standing;
pub mod trust;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::{Instant as Deadline, timeout_at};
use tracing::{info, warn};

use crate::metrics::Metrics;
use crate::moment::Moment;
use id::{Claim, Node};
use page::{Page, Place};
use peers::Peers;
use releases::Releases;
use trust::{BEAT, Beat, Trust};

/// The channels are connected to by themselves, up to a second after the store is; then a beat has to come back.
const HEARD: Duration = Duration::from_secs(2);

/// Whether this daemon can have claims.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ability {
    /// Beats have not come back yet, or do not any more, and since when; and since when there is a connection for them, if there is one.
    Waiting {
        since: Deadline,
        connected: Option<Deadline>,
    },
    /// It can.
    Trusted,
    /// The store does not let it.
    Forbidden(String),
}

impl Ability {
    fn waiting() -> Self {
        Self::Waiting {
            since: Deadline::now(),
            connected: None,
        }
    }
}

/// Why there can be no claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoClaims {
    /// The store does not let this daemon have any.
    Forbidden(String),
    /// Beats did not come back in time.
    Silent,
}

/// Who else may have a claim of the same session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any daemon whose copy is the newest too: all that is written is in the store.
    Shared,
    /// Nobody: the store may lack what was written, or one request has the session for itself.
    Sole,
}

/// What this daemon knows of its claims, and of those of others.
#[derive(Debug)]
pub struct Claims {
    cluster: String,
    node: Node,
    trust: Mutex<Trust>,
    ability: watch::Sender<Ability>,
    numbers: AtomicU32,
    draining: AtomicBool,
    releases: Releases,
    peers: Peers,
    metrics: Arc<Metrics>,
    page: Option<Arc<Page>>,
}

impl Claims {
    /// None yet. What there will be is told on the page, if there is one.
    pub fn new(cluster: &str, metrics: Arc<Metrics>, page: Option<Arc<Page>>) -> Self {
        Self {
            cluster: cluster.to_owned(),
            node: Node::random(),
            trust: Mutex::default(),
            ability: watch::Sender::new(Ability::waiting()),
            numbers: AtomicU32::new(0),
            draining: AtomicBool::new(false),
            releases: Releases::new(),
            peers: Peers::default(),
            metrics,
            page,
        }
    }

    /// A place for a claimed session on the page, if there is a page and room.
    pub fn place(&self) -> Option<Place> {
        self.page.as_ref()?.place()
    }

    /// The name of the page, if there is one.
    pub fn page(&self) -> Option<&str> {
        self.page.as_ref().map(|page| page.name())
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
    pub fn next(&self, kind: Kind) -> Option<Claim> {
        if self.is_draining() {
            return None;
        }
        self.next_even_draining(kind)
    }

    /// A claim to ask the store for, for somebody who cannot do without.
    pub fn next_even_draining(&self, kind: Kind) -> Option<Claim> {
        let life = self.trust().life(Moment::now())?;
        Some(match kind {
            Kind::Shared => Claim::shared(self.node, life, self.number()),
            Kind::Sole => Claim::sole(self.node, life, self.number()),
        })
    }

    /// Names this daemon to another, whether its claims are trusted or not.
    pub fn name(&self) -> Claim {
        Claim::sole(self.node, 0, self.number())
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

    /// Waits until claims are trusted, no longer than until `deadline`. Nobody waits anew for what has kept others waiting for the patience, but for as
    /// long as a store that is only just back takes to be heard as well.
    pub async fn until_trusted(
        &self,
        deadline: Deadline,
        patience: Duration,
    ) -> Result<(), NoClaims> {
        let mut ability = self.ability.subscribe();
        loop {
            let until = match &*ability.borrow_and_update() {
                Ability::Forbidden(reason) => return Err(NoClaims::Forbidden(reason.clone())),
                Ability::Waiting { since, connected } => {
                    let heard = connected.map(|connected| connected + HEARD);
                    deadline.min((*since + patience).max(heard.unwrap_or(*since)))
                }
                Ability::Trusted => deadline,
            };
            if self.trust().life(Moment::now()).is_some() {
                return Ok(());
            }
            let now = Deadline::now();
            if until <= now {
                return Err(NoClaims::Silent);
            }
            // What has lapsed is shown with the next beat.
            let _ = timeout_at(until.min(now + BEAT), ability.changed()).await;
        }
    }

    /// The store refuses what claims need: none until it lets us. Said once.
    pub fn forbid(&self, reason: &str) {
        let forbidden = Ability::Forbidden(reason.to_owned());
        let news = self.ability.send_if_modified(|ability| {
            let news = !matches!(ability, Ability::Forbidden(_));
            *ability = forbidden;
            news
        });
        // Nobody could call back what the page says. As long as beats come back all the same, they say so again.
        let trust = self.trust();
        self.tell(None);
        drop(trust);
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
        self.change(Trust::lose);
        self.show();
    }

    /// There is another connection to the store, or none any more.
    pub fn connected(&self, is_up: bool) {
        self.lose();
        let at = is_up.then(Deadline::now);
        self.ability.send_if_modified(|ability| {
            let Ability::Waiting { connected, .. } = ability else {
                return false;
            };
            *connected = at;
            true
        });
    }

    /// The next beat to send.
    pub fn beat(&self) -> Beat {
        let beat = self.change(|trust| trust.beat(Moment::now()));
        if beat.over.is_some() {
            self.metrics.claims.lapses.inc();
            info!("claims void: the store was away, or slow, or this daemon was");
        }
        self.show();
        beat
    }

    /// The store has set the key of a beat, or (`None`) did not find it.
    pub fn stored(&self, number: u64, store_time: Option<u64>) {
        self.change(|trust| match store_time {
            Some(time) => trust.stored(number, time, Moment::now()),
            None => trust.refused(number),
        });
        self.show();
    }

    /// A beat's message came back.
    pub fn echoed(&self, number: u64) {
        self.change(|trust| trust.echoed(number, Moment::now()));
        self.show();
    }

    /// Nothing is claimed and nothing trusted any more; the life that this ends.
    pub fn last_life(&self) -> u16 {
        self.draining.store(true, Ordering::Relaxed);
        self.change(|trust| {
            trust.lose();
            trust.current()
        })
    }

    /// The store's clock at an instant, once it is known.
    pub fn store_time(&self, at: Instant) -> Option<u64> {
        self.trust().store_time(at)
    }

    /// When it was that time by the store's clock, seen from `now`; `None` where its clock is not known, or that is before this machine began.
    pub fn instant_of(&self, store_time: u64, now: Instant) -> Option<Instant> {
        let ago = self.store_time(now)?.saturating_sub(store_time);
        now.checked_sub(Duration::from_millis(ago))
    }

    /// What is said between daemons of shared claims.
    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// To tell of releases, and to wait for one.
    pub fn releases(&self) -> &Releases {
        &self.releases
    }

    fn show(&self) {
        let trusted = self.trust().life(Moment::now()).is_some();
        self.ability.send_if_modified(|ability| {
            let now = match (trusted, &*ability) {
                (true, Ability::Waiting { .. } | Ability::Forbidden(_)) => Ability::Trusted,
                (false, Ability::Trusted) => Ability::waiting(),
                // What is forbidden stays so until a beat comes back.
                _ => return false,
            };
            *ability = now;
            true
        });
        self.metrics.claims.trusted.set(i64::from(trusted));
    }

    /// Changes what is trusted, and what the page says of that in the same moment: it is the only way to do it.
    fn change<T>(&self, change: impl FnOnce(&mut Trust) -> T) -> T {
        let mut trust = self.trust();
        let outcome = change(&mut trust);
        self.tell(trust.until());
        outcome
    }

    /// By who has the lock of the trust: else what is lost might be told before what was still trusted.
    fn tell(&self, until: Option<Moment>) {
        if let Some(page) = &self.page {
            page.trust(until);
        }
    }

    /// To look at it.
    fn trust(&self) -> MutexGuard<'_, Trust> {
        self.trust.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;

//! Ends sessions that nobody used for too long, though no pod may hold them, so that their listeners are told.
//!
//! One daemon of the cluster at a time does it, one with a subscriber to tell. That two do it for a moment does no harm: a
//! session is marked once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, info, warn};

use super::Service;
use super::expiry::SOON;
use super::lease::{Lease, RENEW};
use super::recovery::AGAIN as SHORTLY;
use crate::claims::message::Message;
use crate::key::Digest;
use crate::store::{Reaped, Unavailable};

/// Then somebody else may: whoever has a subscriber that knows applications which ours does not.
const TERM: Duration = Duration::from_mins(1);
/// A session that nobody has taken up within this time is announced again.
const AGAIN: Duration = Duration::from_secs(30);
/// Where nobody in the cluster has a subscriber nothing is told, but the index must not grow for ever.
const SWEEP: Duration = Duration::from_mins(5);
/// Sessions of one shard at a time, so that one shard does not keep the others waiting.
const BATCH: usize = 16;
const SHARDS: u32 = 256;

/// Reaps while it is its turn.
#[derive(Debug)]
pub struct Reaper {
    service: Arc<Service>,
    subscribers: watch::Receiver<usize>,
    draining: watch::Receiver<bool>,
    every: Duration,
    lease: Lease,
}

/// What a reaper does with a session that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// Marks it, says so to all daemons, and tells a subscriber of what nobody has taken up.
    Tell,
    /// Leaves it; only takes out of the index what is gone.
    Sweep,
}

/// Why it stopped for now.
#[derive(Debug)]
enum Stop {
    /// Others may have their turn, or it has nobody to tell any more.
    Over,
    /// Somebody else has the lease.
    Lost,
    Away(Unavailable),
}

impl From<Unavailable> for Stop {
    fn from(unavailable: Unavailable) -> Self {
        Self::Away(unavailable)
    }
}

impl Reaper {
    /// One that goes through all shards `every` so often, until the pod drains.
    pub fn new(service: &Arc<Service>, draining: watch::Receiver<bool>, every: Duration) -> Self {
        Self {
            service: Arc::clone(service),
            subscribers: service.subscribers().count(),
            draining,
            every,
            lease: Lease::of("reaper"),
        }
    }

    /// Until the pod drains.
    pub async fn run(mut self) {
        loop {
            let task = tokio::select! {
                _ = self.draining.wait_for(|draining| *draining) => return,
                _ = self.subscribers.wait_for(|count| *count > 0) => Task::Tell,
                () = sleep(SWEEP) => Task::Sweep,
            };
            let stop = self.term(task).await;
            self.service.metrics.reaper.set(0);
            match stop {
                Stop::Over => self.lease.give_up(&self.service.store).await,
                Stop::Lost => {}
                Stop::Away(unavailable) => debug!(%unavailable, "reaper stopped"),
            }
            if *self.draining.borrow() {
                return;
            }
            // Long enough for another to be first, and not all at the same moment.
            self.pause(RENEW.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
        }
    }

    /// One turn of being the reaper, from taking the lease to the reason of its end.
    async fn term(&mut self, task: Task) -> Stop {
        let end = Instant::now() + TERM;
        let pause = self.every / SHARDS;
        let mut first = true;
        loop {
            for shard in 0..=u8::MAX {
                if let Err(stop) = self.look(shard, task, end).await {
                    return stop;
                }
                if std::mem::take(&mut first) {
                    info!("reaper");
                }
                if task == Task::Tell {
                    self.pause(pause).await;
                }
            }
            if task == Task::Sweep {
                return Stop::Over;
            }
        }
    }

    /// Not once the pod drains: who waits for the lease must not wait until it has run out.
    async fn pause(&mut self, pause: Duration) {
        let drains = self.draining.wait_for(|draining| *draining);
        let _ = timeout(pause, drains).await;
    }

    async fn look(&mut self, shard: u8, task: Task, end: Instant) -> Result<(), Stop> {
        self.keep_on(task, end).await?;
        while self.service.may_lack_accesses() {
            self.pause(SHORTLY).await;
            self.keep_on(task, end).await?;
        }
        for id in self.service.store.due(shard, BATCH).await? {
            self.service.pace.turn(id).await;
            self.keep_on(task, end).await?;
            let mark = (task == Task::Tell).then_some(SOON);
            match self.service.store.reap(id, AGAIN, mark).await {
                Ok(Reaped::Nothing) => {}
                Ok(Reaped::Marked) => self.service.announce(Message::Expired { id }),
                Ok(Reaped::Waits(sealed)) => self.tell(id, &sealed),
                // Its holder does not let go. The others need not wait for that.
                Err(unavailable) if unavailable.is_held() => {
                    debug!(session = id.hex(), "over, and claimed");
                }
                Err(unavailable) => return Err(unavailable.into()),
            }
        }
        Ok(())
    }

    /// Whether to go on; renews the lease where it is time.
    async fn keep_on(&mut self, task: Task, end: Instant) -> Result<(), Stop> {
        let now = Instant::now();
        let nobody = task == Task::Tell && *self.subscribers.borrow() == 0;
        if now >= end || nobody || *self.draining.borrow() {
            return Err(Stop::Over);
        }
        if !self.lease.hold(&self.service.store).await? {
            return Err(Stop::Lost);
        }
        self.service.metrics.reaper.set(1);
        Ok(())
    }

    /// Nobody who has had it has taken it up, or nobody who was told.
    fn tell(&self, id: Digest, sealed: &[u8]) {
        let kind = match self.service.sealer.open(id, sealed) {
            None => {
                warn!(
                    session = id.hex(),
                    mend = "give all daemons the same password or SOJOURN_SEAL_KEY_FILE",
                    "expired session's name unreadable: its listeners are not told"
                );
                "unreadable"
            }
            Some(name) if self.service.tell_one(&name) => "told",
            Some(_) => "nobody",
        };
        self.service.count_expired(kind);
    }
}

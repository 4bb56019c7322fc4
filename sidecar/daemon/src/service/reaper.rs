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
use crate::store::{Due, Patience, Reaped, Unavailable};

/// Then somebody else may: whoever has a subscriber that knows applications which ours does not.
const TERM: Duration = Duration::from_mins(1);
/// What is over goes from the store five minutes after its idle time, and then without its listeners: who knows that it was in use, and had the time to tell,
/// is waited for until then.
const GOES_SOON: Duration = Duration::from_mins(4);
/// Longer than anything is due for.
const NEVER: Duration = Duration::MAX;
/// A session that nobody has taken up within this time is announced again.
const AGAIN: Duration = Duration::from_secs(30);
/// Where nobody in the cluster has a subscriber nothing is told, but the index must not grow for ever.
const SWEEP: Duration = Duration::from_mins(5);
/// Members of an index that are looked at at once: a script must not keep the store for long.
const LOOK: usize = 100;
/// Of those that are over so many at a time, so that one shard does not keep the others waiting.
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
    /// The longest that any has been due for in this round.
    lag: Duration,
    /// For how long what may be over in the shard that is looked at has been due at least.
    least: Duration,
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

fn seconds(lag: Duration) -> i64 {
    i64::try_from(lag.as_secs()).unwrap_or(i64::MAX)
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
            lag: Duration::ZERO,
            least: Duration::ZERO,
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
            self.service.metrics.reaper.on.set(0);
            self.service.metrics.reaper.lag.set(0);
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
            let mut is_behind = false;
            self.lag = Duration::ZERO;
            for shard in 0..=u8::MAX {
                let more = match self.look(shard, task, end).await {
                    Ok(more) => more,
                    Err(stop) => return stop,
                };
                if std::mem::take(&mut first) {
                    info!("reaper");
                }
                is_behind |= more;
                if more {
                    // Else the index would grow where more comes in than is looked at in a round.
                    self.service.pace.turn(Digest::of_none(shard)).await;
                } else if task == Task::Tell {
                    self.pause(pause).await;
                }
            }
            self.service.metrics.reaper.lag.set(seconds(self.lag));
            if task == Task::Sweep && !is_behind {
                return Stop::Over;
            }
        }
    }

    /// Not once the pod drains: who waits for the lease must not wait until it has run out.
    async fn pause(&mut self, pause: Duration) {
        let drains = self.draining.wait_for(|draining| *draining);
        let _ = timeout(pause, drains).await;
    }

    /// Whether there may be more of this shard. Others need not wait for a server that has no room for what becomes of it.
    async fn look(&mut self, shard: u8, task: Task, end: Instant) -> Result<bool, Stop> {
        self.keep_on(task, end).await?;
        match self.look_at(shard, task, end).await {
            Err(Stop::Away(unavailable)) if unavailable.is_full() => Ok(false),
            more => more,
        }
    }

    async fn look_at(&mut self, shard: u8, task: Task, end: Instant) -> Result<bool, Stop> {
        self.least = match task {
            Task::Tell => self.due_at_least(shard),
            // It marks nothing.
            Task::Sweep => Duration::ZERO,
        };
        let due = match self.service.store.due(shard, LOOK, self.least).await {
            Err(unavailable) if unavailable.is_moving() => return Ok(false),
            due => due?,
        };
        self.lags(due.lag);
        let Due { mut members, .. } = due;
        if members.is_empty() {
            return Ok(false);
        }
        if self.service.is_only_just_back() {
            // Those that only sweep have no other round soon.
            return Ok(task == Task::Sweep);
        }
        let again = (task == Task::Sweep).then_some(AGAIN);
        let soon = Patience::Until(Instant::now() + SOON);
        let sifted = self.service.store.sift(shard, &members, again, soon);
        match sifted.await {
            Ok(mut over) => {
                let more = members.len() == LOOK || over.len() > BATCH;
                over.truncate(BATCH);
                self.reap(over, task, end, false).await?;
                Ok(more)
            }
            // Some of them are not where the index is, be it that they are gone: the others are reaped for all that.
            Err(unavailable) if unavailable.is_moving() => {
                members.truncate(BATCH);
                let elsewhere = self.reap(members, task, end, true).await?;
                // Else they would come first in each round, and keep those behind them from their turn for as long as the slot moves.
                self.service
                    .store
                    .look_later(shard, &elsewhere, AGAIN)
                    .await?;
                Ok(false)
            }
            Err(unavailable) => Err(unavailable.into()),
        }
    }

    /// One by one; where their slot `moves` none is waited for that is not where the index is: those are answered.
    async fn reap(
        &mut self,
        members: Vec<Digest>,
        task: Task,
        end: Instant,
        mut moves: bool,
    ) -> Result<Vec<Digest>, Stop> {
        let mut elsewhere = Vec::new();
        let mark = (task == Task::Tell).then_some(SOON);
        for id in members {
            self.service.pace.turn(id).await;
            self.keep_on(task, end).await?;
            if self.service.is_only_just_back() || self.due_at_least(id.shard()) > self.least {
                // Since a moment ago: they may have been in use all the time.
                return Ok(elsewhere);
            }
            let patience = if moves {
                Patience::Until(Instant::now() + SHORTLY)
            } else {
                Patience::Bounded
            };
            match self.service.store.reap(id, AGAIN, mark, patience).await {
                Ok(Reaped::Nothing) => {}
                Ok(Reaped::Marked) => self.service.announce(Message::Expired { id }),
                Ok(Reaped::Waits(sealed)) => self.tell(id, &sealed),
                Err(unavailable) if unavailable.is_moving() => {
                    moves = true;
                    elsewhere.push(id);
                }
                // Its holder does not let go. The others need not wait for that.
                Err(unavailable) if unavailable.is_held() => {
                    debug!(session = id.hex(), "over, and claimed");
                }
                Err(unavailable) => return Err(unavailable.into()),
            }
        }
        Ok(elsewhere)
    }

    /// For how long what is over has been due that need not wait for others: they may have been in use all the time, and others have yet to tell.
    fn due_at_least(&self, shard: u8) -> Duration {
        if self.service.lacks_all_accesses(shard) {
            // Sessions that are in use have been due for longest where it had no room for long.
            return NEVER;
        }
        match self.service.lacks_accesses_until(shard) {
            Some(_) => GOES_SOON,
            None => Duration::ZERO,
        }
    }

    /// At once where it is more than it was: a round takes long while there is much to do.
    fn lags(&mut self, lag: Duration) {
        self.lag = self.lag.max(lag);
        let gauge = &self.service.metrics.reaper.lag;
        gauge.set(gauge.get().max(seconds(self.lag)));
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
        self.service.metrics.reaper.on.set(1);
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

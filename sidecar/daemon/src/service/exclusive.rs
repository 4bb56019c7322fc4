//! Sessions that one request at a time may have in the whole cluster: a claim among the daemons, a lock among the requests of
//! one. The claim is the fence: the store refuses a commit whose claim is not there any more.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, timeout_at};

use super::commit::LOST;
use super::open::{Ask, Claiming};
use super::{Committed, Failure, Opened, Service};
use crate::cache::Slot;
use crate::claims::NoClaims;
use crate::claims::id::Claim;
use crate::command::Commit;
use crate::key::Digest;
use crate::store::{Patience, Terms};

const LIFE_AWAY: &str = "the session's server is there, and the one that says that this daemon lives is away, or was a moment ago";

/// A request's lock.
#[derive(Debug)]
struct Lock {
    connection: i64,
    id: Digest,
    /// The session's name before it was renamed under the lock.
    before: Option<Digest>,
    claim: Claim,
    slot: Arc<Slot>,
    turn: OwnedMutexGuard<()>,
}

/// The locks that requests have.
#[derive(Debug, Default)]
pub(super) struct Locks {
    locks: HashMap<u64, Lock>,
    last: u64,
}

impl Locks {
    fn add(&mut self, lock: Lock) -> u64 {
        lock.slot.state().keep_for_one();
        self.last += 1;
        self.locks.insert(self.last, lock);
        self.last
    }

    fn take(&mut self, number: u64) -> Option<Lock> {
        let lock = self.locks.remove(&number)?;
        lock.slot.state().locked = false;
        Some(lock)
    }

    /// Has a lock go on as another; what it was before.
    fn replace(&mut self, number: u64, lock: Lock) -> Option<Lock> {
        let old = self.take(number)?;
        lock.slot.state().keep_for_one();
        self.locks.insert(number, lock);
        Some(old)
    }

    fn connection(&self, number: u64) -> i64 {
        self.locks.get(&number).map_or(0, |lock| lock.connection)
    }

    /// The claim that a commit under a lock needs; none where the lock is not this session's any more.
    pub(super) fn claim(&self, number: u64, id: Digest) -> Option<Claim> {
        let lock = self.locks.get(&number)?;
        (lock.id == id || lock.before == Some(id)).then_some(lock.claim)
    }

    fn find(&self, wanted: impl Fn(&Lock) -> bool) -> Vec<u64> {
        let found = self.locks.iter().filter(|(_, lock)| wanted(lock));
        found.map(|(number, _)| *number).collect()
    }
}

impl Service {
    /// `SJ.OPEN ... EXCLUSIVE`: as an open, and a lock.
    pub async fn open_exclusive(
        &self,
        session: &[u8],
        ask: Ask,
        connection: i64,
    ) -> Result<Option<(Opened, u64)>, Failure> {
        let access = (!ask.passive).then(std::time::Instant::now);
        let deadline = Instant::now() + self.patience;
        let ask = Ask {
            patience: Patience::Until(deadline),
            ..ask
        };
        let id = Digest::of(session);
        let slot = self.cache().slot(id);
        let opened = self.open_locked(id, &slot, ask, deadline).await;
        let opened = opened.map(|opened| {
            opened.map(|(opened, claim, turn)| {
                let lock = self.locks().add(Lock {
                    connection,
                    id,
                    before: None,
                    claim,
                    slot: Arc::clone(&slot),
                    turn,
                });
                (opened, lock)
            })
        });
        self.note_unheard(id, access, &opened);
        Self::name(&mut slot.state().held, session);
        self.settle(id, slot);
        opened.map_err(|failure| self.undecided(ask.held, failure))
    }

    /// Whatever it waits for, the deadline is one and the same.
    async fn open_locked(
        &self,
        id: Digest,
        slot: &Arc<Slot>,
        ask: Ask,
        deadline: Instant,
    ) -> Result<Option<(Opened, Claim, OwnedMutexGuard<()>)>, Failure> {
        self.until_trusted(id, deadline).await?;
        if slot.lock.try_lock().is_err() {
            self.metrics.claims.lock_waits.inc();
        }
        let turn = timeout_at(deadline, Arc::clone(&slot.lock).lock_owned()).await;
        let turn = turn.map_err(|_| self.not_free())?;
        let opened = self.open_and_claim(id, slot, ask, deadline).await?;
        Ok(opened.map(|(opened, claim)| (opened, claim, turn)))
    }

    /// An open that ends with a claim, or with nothing to claim. On a daemon that was slow for a moment that may take several.
    async fn open_and_claim(
        &self,
        id: Digest,
        slot: &Slot,
        ask: Ask,
        deadline: Instant,
    ) -> Result<Option<(Opened, Claim)>, Failure> {
        loop {
            self.until_trusted(id, deadline).await?;
            let turn = timeout_at(deadline, self.turn(id, slot)).await;
            let _turn = turn.map_err(|_| self.not_free())?;
            let opened = self.open_slot(id, slot, ask, Claiming::Always);
            let opened = opened.await.map_err(|failure| match failure {
                Failure::Held(text) => Failure::Busy(text),
                other => other,
            })?;
            let Some(opened) = opened else {
                return Ok(None);
            };
            let state = slot.state();
            let claim = state.claim().filter(|_| self.is_claimed_alone(&state));
            if let Some(claim) = claim {
                return Ok(Some((opened, claim)));
            }
            drop(state);
            if deadline <= Instant::now() {
                return Err(self.no_claims(NoClaims::Silent));
            }
        }
    }

    async fn until_trusted(&self, id: Digest, deadline: Instant) -> Result<(), Failure> {
        let claims = self.store.claims();
        let trusted = claims.until_trusted(deadline, self.patience).await;
        trusted.map_err(|why| {
            // The one that says that this daemon lives is away too, or is back since a moment ago.
            let is_in_parts = self.store.down().is_some() && self.store.is_up(id.shard());
            if why == NoClaims::Silent && is_in_parts {
                // Others have it for themselves all the while.
                return Failure::Busy(LIFE_AWAY.into());
            }
            self.no_claims(why)
        })
    }

    fn not_free(&self) -> Failure {
        Failure::Busy(format!(
            "another request has had it for {:?}",
            self.patience
        ))
    }

    fn no_claims(&self, why: NoClaims) -> Failure {
        match why {
            NoClaims::Forbidden(reason) => Failure::NoClaims(format!(
                "exclusive sessions need what the store does not allow this daemon ({reason}): allow what is in store.md"
            )),
            NoClaims::Silent => Failure::Unavailable(format!(
                "the store's channels have not answered within {:?}",
                self.patience
            )),
        }
    }

    /// `SJ.COMMIT ... LOCK`: always to the store, in `Async` too. Who wants a session for himself wants his changes to be there.
    pub(super) async fn commit_exclusive(
        &self,
        id: Digest,
        slot: &Slot,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Committed, Failure> {
        let fence = terms.fence;
        let committed = match fence {
            Some(_) => self.commit_sync(id, slot, commit, terms).await,
            None => Err(Failure::Busy(LOST.into())),
        };
        if matches!(committed, Err(Failure::Busy(_))) {
            self.metrics.claims.locks_lost.inc();
            self.unlock_all(|other| Some(other.claim) == fence);
        }
        committed
    }

    /// `SJ.UNLOCK`: whether it was still there.
    pub fn unlock(&self, session: &[u8], lock: u64) -> bool {
        let id = Digest::of(session);
        let Some(claim) = self.locks().claim(lock, id) else {
            return false;
        };
        // With the claims of a life their locks are lost, without a word.
        let was_there = self.store.claims().trusts(claim);
        self.give_back(lock) && was_there
    }

    /// A connection has ended, and with it its locks.
    pub fn unlock_connection(&self, connection: i64) {
        self.unlock_all(|lock| lock.connection == connection);
    }

    /// The claim under a session's lock is let go of all the same.
    pub(super) fn lose_lock(&self, id: Digest, claim: Claim) {
        self.unlock_all(|lock| lock.id == id && lock.claim == claim);
    }

    /// The session under a lock goes on under another name. Without a claim there the lock is lost; and one that was lost before, without a word from whoever
    /// took it, does not come back by the new claim.
    pub(super) fn move_lock(
        &self,
        old: Digest,
        new: Digest,
        slot: &Arc<Slot>,
        claim: Option<Claim>,
    ) {
        let Some(number) = self.lock_of(old) else {
            return;
        };
        let was_there = self.locks().claim(number, old);
        let was_there = was_there.is_some_and(|claim| self.store.claims().trusts(claim));
        let turn = Arc::clone(&slot.lock).try_lock_owned();
        let (true, Some(claim), Ok(turn)) = (was_there, claim, turn) else {
            self.give_back(number);
            return;
        };
        let mut locks = self.locks();
        let moved = Lock {
            connection: locks.connection(number),
            id: new,
            before: Some(old),
            claim,
            slot: Arc::clone(slot),
            turn,
        };
        let before = locks.replace(number, moved);
        drop(locks);
        if let Some(lock) = before {
            drop(lock.turn);
            self.settle(old, lock.slot);
        }
    }

    /// The lock of a session, if a request has it.
    pub(super) fn lock_of(&self, id: Digest) -> Option<u64> {
        self.locks().find(|lock| lock.id == id).pop()
    }

    fn unlock_all(&self, wanted: impl Fn(&Lock) -> bool) {
        let found = self.locks().find(wanted);
        for number in found {
            self.give_back(number);
        }
    }

    /// Whether it was still there.
    fn give_back(&self, number: u64) -> bool {
        let Some(lock) = self.locks().take(number) else {
            return false;
        };
        drop(lock.turn);
        self.settle(lock.id, lock.slot);
        true
    }
}

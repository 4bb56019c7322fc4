//! When the page of claims speaks of a session: only while nobody is at work on it, and only what an open would be answered.
//!
//! Whoever passes a session's gate hides it, and whoever leaves the gate shows it if what is there then is as good as an answer.
//! So nothing that is done under the gate can forget to hide it, whatever way it comes out. Beside the gate there are the end of a
//! claim ([`State::set_claim`] gives the place back), the queue of `Async`, and locks, which hide it themselves.

use std::time::Instant;

use tokio::sync::MutexGuard;

use super::Service;
use crate::cache::{Cache, Slot, State};
use crate::key::Digest;

/// A request's turn at a session. When it ends, the page says what there is, before the gate opens for the next and before the
/// request is answered.
pub(super) struct Turn<'a> {
    service: &'a Service,
    id: Digest,
    slot: &'a Slot,
    _gate: MutexGuard<'a, ()>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.service.show(self.id, self.slot);
    }
}

impl Service {
    /// Waits for a turn at a session, which is hidden then.
    pub(super) async fn turn<'a>(&'a self, id: Digest, slot: &'a Slot) -> Turn<'a> {
        Turn {
            service: self,
            id,
            slot,
            _gate: slot.enter().await,
        }
    }

    /// A turn, if nobody else has one.
    pub(super) fn try_turn<'a>(&'a self, id: Digest, slot: &'a Slot) -> Option<Turn<'a>> {
        Some(Turn {
            service: self,
            id,
            slot,
            _gate: slot.try_enter()?,
        })
    }

    /// The ticket of a session by which its newest version can be seen; 0 if it cannot. This connection is told what becomes of it. By who has a turn.
    pub(super) fn ticket(&self, id: Digest, slot: &Slot, reader: i64) -> u64 {
        let cache = self.cache();
        let mut state = slot.state();
        if self.evident(&cache, id, slot, &state).is_none() {
            return 0;
        }
        if state.ticket().is_none() {
            let place = self.store.claims().place();
            state.settle_at(place);
        }
        state.reader = Some(reader);
        state.ticket().unwrap_or_default()
    }

    /// By who ends his turn.
    fn show(&self, id: Digest, slot: &Slot) {
        // The cache before the state, as everywhere.
        let cache = self.cache();
        let state = slot.state();
        if state.ticket().is_none() {
            return;
        }
        if let Some(version) = self.evident(&cache, id, slot, &state) {
            state.show(version);
        }
    }

    /// The version with which a client lacks nothing, for any open that names it would be answered from what is here, and by
    /// nothing but "that is the newest". The conditions are those of `open_claimed`, and those under which it would say more.
    fn evident(&self, cache: &Cache, id: Digest, slot: &Slot, state: &State) -> Option<u64> {
        // A request that has the session for itself, or waits to, and a call-back, which waits for that.
        if state.locked || slot.lock.try_lock().is_err() {
            return None;
        }
        let session = match &state.view {
            Some(view) => view,
            // What is pending on nothing that is known may be anything.
            None if !state.pending.is_empty() => return None,
            None => state.held.as_ref()?,
        };
        // An open that comes later than that asks whether it is over. The page says nothing of time: a client that looks at it has
        // opened within the last second, which is less than what is left of the idle time then.
        self.untold_until(state, session, Instant::now())?;
        // The same number may stand for something else with a client.
        let doubted = cache.doubts(id, session.version);
        (!doubted && state.accessed.is_some()).then_some(session.version)
    }
}

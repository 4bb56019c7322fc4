//! Sessions that were in use here while the store was not told of it: longer than their idle time, perhaps, and then they are over as far as the store knows.
//!
//! They are not over. But for anybody else they are until the store is told, so it is told at once when it is back, and nobody is taken at its word, nor told
//! anything by a reaper, before all daemons had the time for that. What has been marked as expired meanwhile, or was ended, stays so.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use tracing::debug;

use super::claims::AT_ONCE;
use super::{Failure, Service};
use crate::claims::accesses::{AGAIN, Use};
use crate::key::Digest;
use crate::moment::Moment;
use crate::session::Session;
use crate::session::confirmed::was_lost;
use crate::store::{Patience, Terms, Unavailable};

/// An answer that takes longer than that may be of a session that was not over when it was asked for.
const LATE: Duration = Duration::from_millis(500);

impl Service {
    /// Takes note of the access of a request, if it was one and failed because the store could not be told.
    pub(super) fn note_unheard<T>(
        &self,
        id: Digest,
        access: Option<Instant>,
        outcome: &Result<T, Failure>,
    ) {
        if let (Some(began), Err(Failure::Unavailable(_) | Failure::Held(_))) = (access, outcome) {
            self.tell_accesses_later(id, Use::at(began));
        }
    }

    /// The accesses that the store was not told of, with the one of a request on these terms that it was slow to answer.
    fn untold(&self, id: Digest, terms: &Terms) -> Option<Use> {
        let known = self.accesses().untold(id);
        if terms.passive || terms.began.elapsed() < LATE {
            return known;
        }
        let now = Use::at(terms.began);
        Some(known.map_or(now, |known| known.and(now)))
    }

    /// Tells the store of a session that is over as far as it knows; whether it is not.
    pub(super) async fn was_in_use(&self, id: Digest, terms: &Terms) -> Result<bool, Unavailable> {
        match self.untold(id, terms) {
            Some(used) => self.store.touch(id, used, terms.patience).await,
            None => Ok(false),
        }
    }

    /// How long ago a session was used that the store has no more, if it can only have lost it.
    pub(super) fn lost_since(&self, id: Digest, session: &Session) -> Option<Duration> {
        let confirmed = session.confirmed?;
        let ago = confirmed.elapsed();
        let now = Instant::now();
        let used = self.accesses().untold(id);
        let pause = used.map_or(ago, |used| used.longest_pause(ago, now));
        let unused = used.map_or(ago, |used| ago.min(now - used.last));
        (!session.damaged && was_lost(ago, pause, session.idle)).then_some(unused)
    }

    /// Tells the store of accesses that are due.
    pub(super) fn tell_accesses(self: &Arc<Self>) {
        let due = self.accesses().due(Instant::now());
        if !due.is_empty() {
            let service = Arc::clone(self);
            tokio::spawn(async move { service.tell_of(due).await });
        }
    }

    /// Tells the store of all accesses that it was not told of, when it is back.
    pub(super) async fn tell_all_accesses(&self) {
        let all = self.accesses().all();
        self.tell_of(all).await;
    }

    /// The same when a store has room for them again, which keeps its connection: until the task is dropped.
    pub async fn tell_accesses_when_there_is_room(self: Arc<Self>) {
        loop {
            self.store.has_room_again().await;
            self.tell_all_accesses().await;
        }
    }

    async fn tell_of(&self, accesses: Vec<(Digest, Use)>) {
        let tell = |(id, used): (Digest, Use)| self.tell_access(id, used);
        stream::iter(accesses)
            .for_each_concurrent(AT_ONCE, tell)
            .await;
    }

    /// Without it a session that is held here would end by the access before, up to half of its idle time too early.
    pub(super) fn tell_accesses_later(&self, id: Digest, used: Use) {
        if self.cache().peek(id).is_some() {
            let due = Instant::now() + AGAIN;
            self.accesses().note_all(id, used, due);
        }
    }

    async fn tell_access(&self, id: Digest, used: Use) {
        let told = self.store.touch(id, used, Patience::Bounded).await;
        let slot = self.cache().peek(id);
        match told {
            Ok(true) => {}
            // It may be put back yet.
            Ok(false) if self.is_refilling() => return,
            Ok(false) => {
                // It is over, and nobody has said so here: by a claim it would be there for as long as it is used.
                if let Some(slot) = slot {
                    slot.state().set_claim(None);
                    self.settle(id, slot);
                }
                return self.accesses().told(id, used);
            }
            Err(unavailable) if slot.is_some() => {
                debug!(session = id.hex(), %unavailable, "access not told");
                return;
            }
            // An open that comes much later asks the store.
            Err(_) => return self.accesses().told(id, used),
        }
        self.accesses().told(id, used);
        if let Some(slot) = slot {
            let mut state = slot.state();
            state.written = state.written.max(Some(used.last));
            let claimed = self.is_claimed(&state);
            if let Some(held) = state.held.as_mut().filter(|_| claimed) {
                held.confirmed = Some(Moment::now());
            }
        }
    }
}

//! The end of a session, at once or when the store is back.

use std::sync::Arc;

use super::ends::Begun;
use super::forward::MAX_FORWARDS;
use super::{Failure, Service};
use crate::cache::Slot;
use crate::claims::message::Message;
use crate::key::Digest;
use crate::store::answer::Answer;
use crate::store::{Patience, Probed, Terms, Unavailable};

/// When an end is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Asked,
    /// Again, for the store has not taken it: what is known of the session by whoever asked is not held any more.
    Owed,
}

impl Service {
    /// `SJ.END`: whether this call ended it, with `follow` under whatever name it goes on.
    pub async fn end(self: &Arc<Self>, session: &[u8], follow: bool) -> Result<bool, Failure> {
        let id = Digest::of(session);
        let ended = self.end_wherever(id, follow, When::Asked).await;
        if matches!(ended, Err(Failure::Unavailable(_))) {
            self.ends.owe(id, follow);
        }
        ended
    }

    pub(super) async fn end_wherever(
        self: &Arc<Self>,
        mut id: Digest,
        follow: bool,
        when: When,
    ) -> Result<bool, Failure> {
        let looking = Terms::new(Patience::Bounded).counting(false);
        for _ in 0..MAX_FORWARDS {
            if self.end_id(id, when).await? {
                return Ok(true);
            }
            if !follow {
                break;
            }
            let Answer::Ended {
                forward: Some(forward),
                ..
            } = self.store.open(id, None, &looking).await?
            else {
                break;
            };
            self.ends.hear(id, Some(forward));
            id = forward;
        }
        Ok(false)
    }

    async fn end_id(self: &Arc<Self>, id: Digest, when: When) -> Result<bool, Failure> {
        let slot = self.cache().slot(id);
        let ended = self.end_slot(id, &slot, when).await;
        self.settle(id, slot);
        if matches!(ended, Ok(true)) {
            self.ends.ended_by_hand(id);
            self.announce_end(id, None);
        }
        ended
    }

    pub(super) fn announce_end(self: &Arc<Self>, id: Digest, forward: Option<Digest>) {
        self.announce(Message::End { id, forward });
    }

    async fn end_slot(&self, id: Digest, slot: &Slot, when: When) -> Result<bool, Failure> {
        let _turn = self.turn(id, slot).await;
        // What has not begun its way to the store need not: and it must not come after the end.
        let was_pending = self.drop_pending(slot);
        // Known before the store takes it, and what is on its way there: if it does not, the tombstone follows when it is back, or takes writes again.
        let begun = self.ends.begin(id);
        let connection = self.store.connection_id();
        self.wait_until_flushed(slot).await?;
        let was_here = slot.state().held.take().is_some() || was_pending;
        let answer = self
            .store
            .end(id, begun.token, None, Patience::Bounded)
            .await?;
        let ended = if answer == 1 {
            self.bury_lost(begun, true, true, false).await?
        } else {
            self.end_missing(begun, was_here, when, connection).await?
        };
        slot.state().set_claim(None);
        self.accesses().take(id);
        Ok(ended)
    }

    /// The end of what the store, asked on this connection, does not have: whether there was something to end.
    async fn end_missing(
        &self,
        begun: Begun<'_>,
        was_here: bool,
        when: When,
        connection: Option<u64>,
    ) -> Result<bool, Failure> {
        let (id, is_first) = (begun.id, begun.is_first);
        // Or nobody used it for too long, and it was not marked yet: after this it will not be.
        let may_be_lost = was_here || when == When::Owed || self.may_come_back(id).await;
        let ended = match self.bury_lost(begun, false, true, may_be_lost).await {
            // No room, nor for who would put it back. It stays known for the time when there is.
            Err(full) if !was_here && full.is_out_of_memory() && self.is_absent(id).await => {
                return Ok(false);
            }
            buried => buried?,
        };
        // Else whatever is begun under this name would be taken for ended when tombstones are put back.
        if !ended
            && is_first
            && !self.may_have_ended(id).await
            && self.has_lost_nothing(id.shard(), connection).await
        {
            self.ends.ended_nothing(id);
        }
        Ok(ended)
    }

    /// Whether what is not there may be there again: somebody puts it back, or says that it was in use when it seemed to be over.
    async fn may_come_back(&self, id: Digest) -> bool {
        self.may_have_lost(id.shard()).await
            || (self.lacks_accesses_until(id.shard()).is_some() && !self.is_absent(id).await)
    }

    /// Whether it is not even there as one that seems to be over.
    async fn is_absent(&self, id: Digest) -> bool {
        let probed = self.store.probe(id, 0, Patience::Bounded).await;
        matches!(probed, Ok(Probed::Absent))
    }

    /// Whether somebody else has ended it before, as far as the store says.
    async fn may_have_ended(&self, id: Digest) -> bool {
        let probed = self.store.probe(id, 0, Patience::Bounded).await;
        matches!(probed, Err(_) | Ok(Probed::Ended(_) | Probed::Moved))
    }

    /// Leaves a tombstone of what the store may have lost, and somebody else may put back, or leaves it again where it may have got lost itself; whether the
    /// session has ended. Its listeners have been `told`, or will be: else a mark is left to them.
    pub(super) async fn bury_lost(
        &self,
        begun: Begun<'_>,
        ended: bool,
        told: bool,
        may_be_lost: bool,
    ) -> Result<bool, Unavailable> {
        let (id, token) = (begun.id, begun.token);
        if begun.done() || (!ended && may_be_lost) {
            return Ok(self.store.bury(id, token, None, told).await? != 0 || ended);
        }
        Ok(ended)
    }
}

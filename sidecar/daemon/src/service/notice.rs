//! Notices that a store came back, and whether it lost what it held.

use tokio::time::{Instant, sleep};

use super::Service;
use super::recovery::{AGAIN, Known, News};
use crate::store::{Patience, Unavailable};

impl Service {
    /// Whether the store may still lack something that it had.
    pub fn is_refilling(&self) -> bool {
        let connection = self.store.connection_id();
        !self.recovery.is_looked_through_on(connection)
    }

    /// Whether what others know of accesses may not be in the store yet, for it is only just back.
    pub(super) fn is_only_just_back(&self) -> bool {
        let began = self.recovery.lacks_what_began_until(self.store.back());
        let connection = self.store.connection_id();
        began.is_some() || !self.recovery.is_settled_on(connection)
    }

    /// Until when others may be about to tell the server with this shard of what it could not be told, or had no room for.
    pub(super) fn lacks_accesses_until(&self, shard: u8) -> Option<Instant> {
        let back = self.store.back().max(self.store.full(shard));
        self.recovery.lacks_what_began_until(back)
    }

    /// Whether it lacks all of that as far as is known, for others have had no time yet since it has room again.
    pub(super) fn lacks_all_accesses(&self, shard: u8) -> bool {
        let since = self.store.room_since(shard);
        self.recovery.lacks_what_began_until(since).is_some()
    }

    /// Whether what the server with this shard said on this connection is all that there is: it has not lost anything that somebody might put back.
    pub(super) async fn has_lost_nothing(&self, shard: u8, connection: Option<u64>) -> bool {
        // First: what is known of it may be only just known.
        self.knows_server(shard).await
            && !self.is_only_just_back()
            && self.lacks_accesses_until(shard).is_none()
            && !self.recovery.was_emptied_lately()
            && connection.is_some()
            && self.store.connection_id() == connection
    }

    /// Whether somebody may yet put back what the server with this shard has just said that it does not have. A daemon that has only just begun knows of no
    /// loss, and holds nothing of before.
    pub(super) async fn may_have_lost(&self, shard: u8) -> bool {
        let is_known = self.knows_server(shard).await;
        self.recovery.has_seen_it()
            && (!is_known || self.recovery.may_lag_on(self.store.connection_id()))
    }

    /// Whether it was there before, as far as it says so.
    async fn knows_server(&self, shard: u8) -> bool {
        let Some(first) = self.store.first_of(shard) else {
            return false;
        };
        let epoch = self.store.epoch(first).await;
        epoch.is_ok_and(|epoch| self.recovery.knows(first, &epoch) == Some(true))
    }

    /// Looks whether the store is the one that it was, for who asks for a session of this shard that he `holds` or does not, again and again while it refuses
    /// to say so: one without its replicas does not even take an epoch.
    pub(super) async fn notice_surely(
        &self,
        shard: u8,
        holds: bool,
        patience: Patience,
    ) -> Result<(), Unavailable> {
        let deadline = patience.deadline(self.patience);
        while let Err(unavailable) = self.notice_for(shard, holds).await {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Err(unavailable);
            }
            sleep(AGAIN).await;
        }
        Ok(())
    }

    /// While other servers are away, this one says for itself that it is the one that it was; where it is not, all have to be there to say what is news. Of a
    /// store that was never seen whole each says it by [`Parts`](super::parts::Parts); not to who would put a session back, who has to know whether
    /// others put back its tombstone.
    async fn notice_for(&self, shard: u8, holds: bool) -> Result<(), Unavailable> {
        if self.store.down().is_some()
            && let Some(first) = self.store.first_of(shard)
            && let Some(connection) = self.store.connection_to(first)
            && let Ok(epoch) = self.store.epoch(first).await
            && self
                .recovery
                .knows(first, &epoch)
                .unwrap_or_else(|| !holds && self.recovery.parts.has_all(first, connection, &epoch))
        {
            return Ok(());
        }
        self.notice().await
    }

    /// Looks whether the store is the one that it was.
    pub(super) async fn notice(&self) -> Result<(), Unavailable> {
        let connection = self.store.connection_id();
        let mut epochs = Vec::new();
        for shard in self.store.shards() {
            let epoch = self.store.epoch(shard).await;
            epochs.push((shard, epoch.inspect_err(|_| self.recovery.refused())?));
        }
        if let Some(connection) = connection {
            let news = self.recovery.found(Known { connection, epochs });
            if news == Some(News::Emptied) {
                // It knows of no claim any more: what others put back anybody may change.
                self.store.lose_claims();
            }
        }
        Ok(())
    }
}

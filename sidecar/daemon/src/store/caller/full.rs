//! Servers that have no room for what they are asked to write.

use tokio::time::Instant;

use super::Caller;
use crate::store::link::State;

impl Caller {
    /// Who has a shard has written something that he was asked for, and that takes room.
    pub(in crate::store) fn done(&self, shard: u8) {
        if let State::Up(connection) = &*self.route.way(shard).0.borrow() {
            self.end_trouble(connection, true);
            if connection.conduct().took(self.patience) {
                self.room.notify_one();
            }
        }
    }

    /// When who has a shard was last known to have no room, for as long as requests wait, or found to have some again.
    pub(in crate::store) fn full(&self, shard: u8) -> Option<Instant> {
        match &*self.route.way(shard).0.borrow() {
            State::Up(connection) => connection.conduct().full(self.patience),
            State::Down { .. } => None,
        }
    }

    /// Returns once a server that had no room takes writes again.
    pub(in crate::store) async fn has_room_again(&self) {
        self.room.notified().await;
    }
}

//! When a server last had no room for what it was asked to write.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::Caller;

/// A server that is full, or cannot write its disk, keeps its connection: nothing but its refusals says since when it was not told of accesses, and until when.
/// Each daemon meets one with every beat.
#[derive(Debug, Default)]
pub(super) struct Full {
    last: Mutex<Option<Instant>>,
    ended: Notify,
}

impl Full {
    pub(super) fn refused(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// It takes writes again: others find that out in this moment, too.
    pub(super) fn ended(&self) {
        self.refused();
        self.ended.notify_one();
    }
}

impl Caller {
    /// When a server was last known to have no room, or found to have some again.
    pub(in crate::store) fn full(&self) -> Option<Instant> {
        let last = self.full.last.lock();
        *last.unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns once a server that had no room takes writes again.
    pub(in crate::store) async fn has_room_again(&self) {
        self.full.ended.notified().await;
    }
}

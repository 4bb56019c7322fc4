//! What is known of each server by itself while the store has never been seen whole.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A server, by one of its shards, as it was when it was first asked.
#[derive(Debug)]
struct Part {
    first: u8,
    epoch: Vec<u8>,
    /// The one that it was last asked over, and since when.
    connection: u64,
    since: Instant,
}

#[derive(Debug)]
pub(super) struct Parts {
    seen: Mutex<Vec<Part>>,
    /// How long sessions that began while a server was away take to get there.
    settle: Duration,
}

impl Parts {
    pub(super) fn new(settle: Duration) -> Self {
        Self {
            seen: Mutex::default(),
            settle,
        }
    }

    /// Whether a server that says so may be believed that a session is not there: it has lost nothing since it was first asked, and has been there long
    /// enough for what began while it may have been away.
    pub(super) fn has_all(&self, first: u8, connection: u64, epoch: &[u8]) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(part) = seen.iter_mut().find(|part| part.first == first) else {
            seen.push(Part {
                first,
                epoch: epoch.to_vec(),
                connection,
                since: Instant::now(),
            });
            return self.settle.is_zero();
        };
        if part.connection != connection {
            (part.connection, part.since) = (connection, Instant::now());
        }
        part.epoch == epoch && part.since.elapsed() >= self.settle
    }

    /// The whole was seen: what it says of each is known.
    pub(super) fn forget(&self) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clear();
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SETTLE: Duration = Duration::from_secs(5);

    #[tokio::test(start_paused = true)]
    async fn one_that_is_only_just_there_is_not_believed() {
        let parts = Parts::new(SETTLE);
        assert!(!parts.has_all(0, 1, b"a"));
        advance(SETTLE).await;
        assert!(parts.has_all(0, 1, b"a"));
        assert!(!parts.has_all(7, 1, b"b"), "another server");
        assert!(!parts.has_all(0, 2, b"a"), "it was away");
        advance(SETTLE).await;
        assert!(parts.has_all(0, 2, b"a"));
        assert!(!parts.has_all(0, 2, b"c"), "it was emptied");
        advance(SETTLE).await;
        assert!(
            !parts.has_all(0, 2, b"c"),
            "others may put back what it had"
        );
        parts.forget();
        assert!(!parts.has_all(0, 2, b"c"));
        advance(SETTLE).await;
        assert!(parts.has_all(0, 2, b"c"));
    }
}

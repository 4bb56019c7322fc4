//! The room that commits take up that are not in the store yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::command::Commit;
use crate::metrics::Metrics;

/// What a commit takes beside its bytes.
const OVERHEAD: usize = 256;

/// The room that commits on their way take up.
#[derive(Debug)]
pub(super) struct Room {
    bytes: AtomicUsize,
    limit: usize,
    freed: Notify,
    metrics: Arc<Metrics>,
}

impl Room {
    pub(super) fn new(limit: usize, metrics: Arc<Metrics>) -> Self {
        Self {
            bytes: AtomicUsize::new(0),
            limit,
            freed: Notify::new(),
            metrics,
        }
    }

    /// Takes room, and waits for it. A commit larger than the queue gets its turn when the queue is empty.
    pub(super) async fn take(&self, bytes: usize) {
        loop {
            let freed = self.freed.notified();
            let taken = self.bytes.load(Ordering::Relaxed);
            if taken == 0 || taken + bytes <= self.limit {
                self.bytes.fetch_add(bytes, Ordering::Relaxed);
                self.publish();
                return;
            }
            freed.await;
        }
    }

    pub(super) fn free(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.publish();
        self.freed.notify_waiters();
    }

    pub(super) async fn wait_until_empty(&self) {
        loop {
            let freed = self.freed.notified();
            if self.bytes.load(Ordering::Relaxed) == 0 {
                return;
            }
            freed.await;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn publish(&self) {
        let bytes = self.bytes();
        self.metrics
            .queue
            .bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
}

/// What a commit takes of the queue.
pub(super) fn weight(commit: &Commit) -> usize {
    let sizes = commit
        .changes
        .iter()
        .map(|change| change.name.len() + change.value.as_ref().map_or(0, Bytes::len));
    OVERHEAD + sizes.sum::<usize>()
}

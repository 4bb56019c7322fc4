//! The room that commits take up that are not in the store yet.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::command::Commit;
use crate::metrics::Metrics;

/// What a commit takes beside its changes, with the task that brings it to the store.
const OVERHEAD: usize = 1 << 10;
/// And each change beside its bytes.
const OF_CHANGE: usize = 192;

/// The room that commits on their way take up.
#[derive(Debug)]
pub(super) struct Room {
    bytes: AtomicUsize,
    limit: usize,
    freed: Notify,
    times: Mutex<Times>,
    metrics: Arc<Metrics>,
}

#[derive(Debug)]
struct Times {
    /// When it was empty last, or the store took something of it.
    moved: Instant,
    /// Since when there is none for who asks. What cannot get through by itself may have been there for long, and keeps nobody else from it.
    full: Option<Instant>,
}

impl Times {
    /// Somebody has found room. Where nothing has moved that is because he takes little: for who takes more there still is none.
    fn is_waited_for_no_more(&mut self) {
        let moved = self.moved;
        self.full.take_if(|full| moved > *full);
    }
}

impl Room {
    pub(super) fn new(limit: usize, metrics: Arc<Metrics>) -> Self {
        Self {
            bytes: AtomicUsize::new(0),
            limit,
            freed: Notify::new(),
            times: Mutex::new(Times {
                moved: Instant::now(),
                full: None,
            }),
            metrics,
        }
    }

    /// Takes room, and waits for it: `until` says for how long, by when it last moved, or was first lacking. Whether there is any. A commit larger than the queue gets its turn
    /// when the queue is empty.
    pub(super) async fn take(&self, bytes: usize, until: impl Fn(Instant) -> Instant) -> bool {
        loop {
            let freed = self.freed.notified();
            let taken = self.bytes.load(Ordering::Relaxed);
            if taken == 0 {
                self.moves();
            }
            if taken == 0 || taken + bytes <= self.limit {
                self.bytes.fetch_add(bytes, Ordering::Relaxed);
                self.times().is_waited_for_no_more();
                self.publish();
                return true;
            }
            let until = until(self.waited_for_since());
            if until <= Instant::now() {
                return false;
            }
            // It may have moved by then: asked again.
            let _ = timeout_at(until, freed).await;
        }
    }

    /// The store has taken it.
    pub(super) fn flushed(&self, bytes: usize) {
        self.moves();
        self.free(bytes);
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

    fn moves(&self) {
        self.times().moved = Instant::now();
    }

    fn waited_for_since(&self) -> Instant {
        let times = &mut *self.times();
        let full = *times.full.get_or_insert_with(Instant::now);
        full.max(times.moved)
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
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
        .map(|change| OF_CHANGE + change.name.len() + change.value.as_ref().map_or(0, Bytes::len));
    OVERHEAD + sizes.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::sleep;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(15);

    fn by_patience(moved: Instant) -> Instant {
        moved + PATIENCE
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_drains_slowly_is_waited_for_and_one_that_is_stuck_once_by_all() {
        let room = Room::new(10, Arc::default());
        for _ in 0..10 {
            assert!(room.take(1, by_patience).await);
        }
        let began = Instant::now();
        let drains = async {
            for _ in 0..5 {
                sleep(PATIENCE.mul_f64(0.9)).await;
                room.flushed(1);
            }
        };
        let (taken, ()) = tokio::join!(room.take(5, by_patience), drains);
        assert!(taken);
        assert_eq!(began.elapsed(), 5 * PATIENCE.mul_f64(0.9));
        let stuck = Instant::now();
        for _ in 0..3 {
            assert!(!room.take(1, by_patience).await);
            assert_eq!(stuck.elapsed(), PATIENCE);
        }
        // What was never on its way is no movement.
        room.free(1);
        assert!(!room.take(2, by_patience).await);
        assert_eq!(stuck.elapsed(), PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn who_finds_room_for_little_has_nobody_wait_anew_for_much() {
        let room = Room::new(10, Arc::default());
        assert!(room.take(9, by_patience).await);
        let stuck = Instant::now();
        assert!(!room.take(5, by_patience).await);
        // As a commit that changes nothing.
        assert!(room.take(1, by_patience).await);
        room.free(1);
        assert!(!room.take(5, by_patience).await);
        assert_eq!(stuck.elapsed(), PATIENCE);
        room.flushed(2);
        assert!(room.take(1, by_patience).await);
        assert!(!room.take(5, by_patience).await);
        assert_eq!(stuck.elapsed(), 2 * PATIENCE, "it has moved");
    }

    #[tokio::test(start_paused = true)]
    async fn who_finds_no_room_beside_what_never_gets_through_waits_for_what_does() {
        let room = Room::new(10, Arc::default());
        assert!(room.take(1, by_patience).await);
        sleep(2 * PATIENCE).await;
        assert!(room.take(8, by_patience).await);
        let flushes = async {
            sleep(PATIENCE.mul_f64(0.5)).await;
            room.flushed(8);
        };
        let (taken, ()) = tokio::join!(room.take(8, by_patience), flushes);
        assert!(taken);
    }
}

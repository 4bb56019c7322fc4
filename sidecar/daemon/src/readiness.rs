//! When a pod may have requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// A pod that starts while there is no store must come to serve all the same; one that only takes longer to find it, on a node that has
/// just started for instance, would log users out whose sessions the others could read.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Waits for the store once, and not for ever. Later the store may go: pods that are taken out for that would all go at once.
#[derive(Debug)]
pub struct Readiness {
    started: Instant,
    store_was_there: AtomicBool,
}

impl Readiness {
    /// From now on.
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
            store_was_there: AtomicBool::new(false),
        }
    }

    /// Sessions have reached the store.
    pub fn found_store(&self) {
        self.store_was_there.store(true, Ordering::Relaxed);
    }

    /// Whether they have.
    pub fn has_found_store(&self) -> bool {
        self.store_was_there.load(Ordering::Relaxed)
    }

    /// Whether the pod may have requests.
    pub fn look(&self) -> bool {
        self.has_found_store() || self.started.elapsed() >= LONGEST_WAIT
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_for_the_store_once_and_not_for_ever() {
        let readiness = Readiness::start();
        assert!(!readiness.look());
        readiness.found_store();
        assert!(readiness.look());

        let without = Readiness::start();
        advance(Duration::from_secs(59)).await;
        assert!(!without.look());
        advance(Duration::from_secs(1)).await;
        assert!(without.look());
    }
}

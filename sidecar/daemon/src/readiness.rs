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

    /// Whether the pod may have requests, told how the store is by now.
    pub fn look(&self, store_is_up: bool) -> bool {
        if store_is_up {
            self.store_was_there.store(true, Ordering::Relaxed);
        }
        self.store_was_there.load(Ordering::Relaxed) || self.started.elapsed() >= LONGEST_WAIT
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_for_the_store_once_and_not_for_ever() {
        let readiness = Readiness::start();
        assert!(!readiness.look(false));
        assert!(readiness.look(true));
        assert!(readiness.look(false));

        let without = Readiness::start();
        advance(Duration::from_secs(59)).await;
        assert!(!without.look(false));
        advance(Duration::from_secs(1)).await;
        assert!(without.look(false));
    }
}

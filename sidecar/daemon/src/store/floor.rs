//! Keeps time-outs cheap while the store is used.
//!
//! Each command has a time-out, which hardly ever comes. The runtime that sets a timer earlier than all others there are
//! writes to itself, a system call, so that it does not sleep past it: with every command, if nothing else is due that early. So
//! while commands are sent there is always something due earlier.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

#[derive(Debug, Default)]
struct Shared {
    used: AtomicBool,
    idle: AtomicBool,
    wake: Notify,
}

/// A timer that is always due within a while, as long as somebody uses it.
#[derive(Debug)]
pub(super) struct Floor(Arc<Shared>);

impl Floor {
    /// Due after `every`, which is less than the time-outs to come. Ends with this value.
    pub(super) fn start(every: Duration) -> Self {
        let shared = Arc::<Shared>::default();
        let floor = Arc::downgrade(&shared);
        tokio::spawn(async move {
            loop {
                sleep(every).await;
                let Some(floor) = floor.upgrade() else { return };
                if !floor.used.swap(false, Ordering::Relaxed) {
                    floor.idle.store(true, Ordering::Relaxed);
                    floor.wake.notified().await;
                }
            }
        });
        Self(shared)
    }

    /// A time-out is about to be set.
    pub(super) fn used(&self) {
        self.0.used.store(true, Ordering::Relaxed);
        if self.0.idle.load(Ordering::Relaxed) {
            self.0.idle.store(false, Ordering::Relaxed);
            self.0.wake.notify_one();
        }
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.0.wake.notify_one();
    }
}

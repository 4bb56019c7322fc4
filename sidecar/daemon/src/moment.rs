//! A moment by both clocks of a machine.

use std::time::{Duration, Instant, SystemTime};

/// A moment by both clocks: one stands still while the machine sleeps, the other can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Never set back.
    pub steady: Instant,
    /// Goes on while the machine sleeps.
    pub wall: SystemTime,
}

impl Moment {
    /// Now.
    pub fn now() -> Self {
        Self {
            steady: Instant::now(),
            wall: SystemTime::now(),
        }
    }

    /// How long ago it was, by the clock that says more.
    pub fn elapsed(self) -> Duration {
        let wall = self.wall.elapsed().unwrap_or_default();
        self.steady.elapsed().max(wall)
    }

    /// So much later, by both.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self {
            steady: self.steady + duration,
            wall: self.wall + duration,
        }
    }

    /// By both clocks: what is over by either is over.
    pub fn is_before(self, other: Self) -> bool {
        self.steady < other.steady && self.wall < other.wall
    }
}

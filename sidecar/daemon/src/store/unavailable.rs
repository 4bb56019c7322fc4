//! For how long the store is asked, and what is said where that was in vain.

use std::time::Duration;

use thiserror::Error;

use super::reason::Reason;

/// The store did not do it, or nobody knows whether it did.
#[derive(Debug, Clone, Error)]
#[error("the store did not answer within {patience:?}: {reason}")]
pub struct Unavailable {
    patience: Duration,
    reason: Reason,
}

impl Unavailable {
    pub(super) fn new(patience: Duration, reason: Reason) -> Self {
        Self { patience, reason }
    }

    /// The store's user may not do it.
    pub fn is_forbidden(&self) -> bool {
        self.reason.kind == "permission"
    }

    /// The store answers, but another daemon holds the session and does not let go.
    pub fn is_claimed(&self) -> bool {
        self.reason.kind == "claimed"
    }
}

/// How long to go on trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as configured; not at all once the store has been away for that long.
    Bounded,
    /// Until it is done.
    Endless,
}

//! For how long the store is asked, and what is said where that was in vain.

use std::time::Duration;

use thiserror::Error;
use tokio::time::Instant;

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

    pub(super) fn reason(&self) -> &Reason {
        &self.reason
    }

    /// The store's user may not do it.
    pub fn is_forbidden(&self) -> bool {
        self.reason.kind == "permission"
    }

    /// The store has no room for it, though it does what takes none.
    pub fn is_out_of_memory(&self) -> bool {
        self.reason.kind == "out of memory"
    }

    /// The server has no room, for what it keeps or on its disk: others do not lack it.
    pub fn is_full(&self) -> bool {
        self.reason.is_full()
    }

    /// What is asked about lies on two nodes, for its slot moves: others do not.
    pub fn is_moving(&self) -> bool {
        self.reason.kind == "moving"
    }

    /// The store answers, but the session cannot be had in time: another daemon does not let go of it, or what came before took the time.
    pub fn is_held(&self) -> bool {
        matches!(self.reason.kind, "claimed" | "late")
    }
}

/// How long to go on trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as configured; not at all once the store has been away for that long.
    Bounded,
    /// The same, and no longer than until then: what waits for one thing after another does not wait anew for each.
    Until(Instant),
    /// The same, and only while there is a server to wait for: of what is done without it once it is away.
    UntilAway(Instant),
    /// Until it is done.
    Endless,
}

impl Patience {
    /// Until when, of what begins now; `usual`: as long as configured.
    pub fn deadline(self, usual: Duration) -> Option<Instant> {
        let deadline = Instant::now() + usual;
        match self {
            Self::Bounded => Some(deadline),
            Self::Until(end) | Self::UntilAway(end) => Some(deadline.min(end)),
            Self::Endless => None,
        }
    }

    /// Whether what ends at that deadline had less time than others have: what came before took the rest.
    pub(super) fn is_cut_short_by(self, deadline: Option<Instant>) -> bool {
        matches!(self, Self::Until(end) | Self::UntilAway(end) if deadline == Some(end))
    }

    /// The same for who does without a server that is away.
    #[must_use]
    pub fn until_away(self) -> Self {
        match self {
            Self::Until(end) => Self::UntilAway(end),
            other => other,
        }
    }
}

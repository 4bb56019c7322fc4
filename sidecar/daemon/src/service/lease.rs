//! What one daemon of the cluster does for all others, for as long as it has the lease of it.

use std::time::Duration;

use tokio::time::Instant;
use tracing::debug;

use crate::store::{Store, Unavailable};

/// One that dies over it is missed for as long.
const TERM: Duration = Duration::from_secs(10);
/// It is renewed after this much of it.
pub(super) const RENEW: Duration = Duration::from_secs(3);

/// A lease that this daemon has, or would like to have.
#[derive(Debug)]
pub(super) struct Lease {
    what: &'static str,
    who: [u8; 8],
    /// When it has to be taken, or renewed.
    due: Instant,
}

impl Lease {
    /// One that nobody has asked for yet.
    pub(super) fn of(what: &'static str) -> Self {
        Self {
            what,
            who: fastrand::u64(..).to_be_bytes(),
            due: Instant::now(),
        }
    }

    /// Takes it, or renews it where it is time; whether it is ours.
    pub(super) async fn hold(&mut self, store: &Store) -> Result<bool, Unavailable> {
        let now = Instant::now();
        if now < self.due {
            return Ok(true);
        }
        let is_ours = store.lease(self.what, &self.who, TERM).await?;
        if is_ours {
            self.due = now + RENEW;
        }
        Ok(is_ours)
    }

    /// Lets others have it at once.
    pub(super) async fn give_up(&mut self, store: &Store) {
        self.due = Instant::now();
        if let Err(unavailable) = store.lease(self.what, &self.who, Duration::ZERO).await {
            debug!(what = self.what, %unavailable, "lease not given up: it ends by itself");
        }
    }
}

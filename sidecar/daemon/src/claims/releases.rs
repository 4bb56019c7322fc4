//! Who waits for a session that another daemon has is told as soon as it is let go.

use std::time::Duration;

use tokio::sync::broadcast::{Receiver, Sender};
use tokio::time::timeout;

use crate::key::Digest;

/// Told at once of so many releases; who lags asks the store again anyway.
const ROOM: usize = 1024;

/// What was let go of late.
#[derive(Debug)]
pub struct Releases(Sender<Digest>);

impl Releases {
    pub(super) fn new() -> Self {
        Self(Sender::new(ROOM))
    }

    /// Tells who waits that a session has been released.
    pub fn free(&self, id: Digest) {
        // Nobody waits: fine.
        let _ = self.0.send(id);
    }

    /// To wait for the release of a session: of any from here on.
    pub fn of(&self, id: Digest) -> Release {
        let releases = self.0.subscribe();
        Release { id, releases }
    }
}

/// The release of one session.
#[derive(Debug)]
pub struct Release {
    id: Digest,
    releases: Receiver<Digest>,
}

impl Release {
    /// Waits, bounded; whether it was released in time. The store is asked either way.
    pub async fn within(mut self, patience: Duration) -> bool {
        let freed = async {
            while self
                .releases
                .recv()
                .await
                .is_ok_and(|freed| freed != self.id)
            {}
        };
        timeout(patience, freed).await.is_ok()
    }
}

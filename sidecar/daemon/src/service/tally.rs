//! What was put back in a store, told once.

use tracing::{info, warn};

use super::recovery::News;

/// What was put back.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) tombstones: usize,
    pub(super) sessions: usize,
    pub(super) looked_at: usize,
}

impl Tally {
    pub(super) fn tell(self, news: News) {
        let Self {
            tombstones,
            sessions,
            looked_at,
        } = self;
        if tombstones + sessions > 0 || news == News::Emptied {
            warn!(
                sessions,
                tombstones, looked_at, "put back what the store had lost"
            );
        } else {
            info!(looked_at, "store has what it had");
        }
    }
}

//! Ends what the store did not take the end of when it was asked.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::task::yield_now;
use tokio::time::sleep;
use tracing::debug;

use super::end::When;
use super::recovery::AGAIN;
use super::{Failure, Service};

/// Once through all that are owed. A server that does not take one is not asked for its others: with thousands of a server that takes none for long, those of one that
/// was away for seconds would wait for hours, and until then who was logged out goes on elsewhere.
#[derive(Debug, Default)]
struct Round {
    /// One shard of each.
    refusing: HashSet<u8>,
    passed: usize,
}

impl Service {
    /// Until the task is dropped. A server that refuses keeps its connection: nothing else says when it takes what it is owed.
    pub async fn end_late(self: Arc<Self>) {
        let mut round = Round::default();
        loop {
            let (id, follow) = self.ends.owed().await;
            let server = self.store.server_of(id.shard());
            if round.refusing.contains(&server) {
                self.ends.owe(id, follow);
                round.passed += 1;
                if round.passed >= self.ends.owing() {
                    sleep(AGAIN).await;
                    round = Round::default();
                } else {
                    yield_now().await;
                }
                continue;
            }
            self.pace.turn(id).await;
            // Not by its tombstone alone: whoever has claimed it goes by that, and has to hear of it.
            match self.end_wherever(id, follow, When::Owed).await {
                Ok(true) => self.count_refilled("tombstone"),
                Ok(false) => {}
                Err(failure) => {
                    debug!(session = id.hex(), %failure, "ended later");
                    // Whoever keeps it has a lock perhaps: only who asks for its end may wait for that.
                    if matches!(failure, Failure::Unavailable(_)) {
                        self.ends.owe(id, follow);
                        round.refusing.insert(server);
                    }
                }
            }
        }
    }
}

//! How many sessions' held commits are made ready for a server, or are on their way to it, at once: each is there several times over by then, as a value, a record and a
//! command, with all that it takes to wait for an answer. The others wait where they take least.

use std::pin::pin;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::sleep;

use super::Service;
use crate::cache::Slot;
use crate::key::Digest;

/// So much of what commits weigh is under way to one server at once; what is larger is alone.
const MOST: usize = 4 << 20;
/// Each counts as this much at least: what it takes to bring one there is about as much for a single byte.
const LEAST: usize = 16 << 10;
/// Who has not come through within this time to a server that is there may wait for somebody else: another daemon's claim perhaps, which that one lets go only after a commit
/// that waits for a start over there. The next one may start by then, whatever the server is at: that it is well can be a mistake.
const ALONE: Duration = Duration::from_secs(1);

/// It is given back when it is dropped.
type Start<'a> = Option<SemaphorePermit<'a>>;

/// By server: one that hangs holds up no other one's.
#[derive(Debug)]
pub(super) struct Starts(Vec<Semaphore>);

impl Starts {
    pub(super) fn new() -> Self {
        let servers = (0..=u8::MAX).map(|_| Semaphore::new(MOST / LEAST));
        Self(servers.collect())
    }

    /// Waits until what weighs so much may be brought to a server.
    async fn begin(&self, server: u8, bytes: usize) -> Start<'_> {
        let places = bytes.clamp(LEAST, MOST).div_ceil(LEAST);
        let places = u32::try_from(places).unwrap_or(u32::MAX);
        // Nobody closes it.
        let server = self.0.get(usize::from(server))?;
        server.acquire_many(places).await.ok()
    }
}

impl Service {
    /// Brings a session's commits to the store in their turn, for as long as it takes.
    pub(super) async fn flush_in_turns(&self, id: Digest, slot: &Slot) {
        let server = self.store.server_of(id.shard());
        while let Some(bytes) = to_flush(slot) {
            let start = self.starts.begin(server, bytes).await;
            match to_flush(slot) {
                None => return,
                // More has come meanwhile, which is to have its room too.
                Some(now) if bytes < MOST && now > 2 * bytes.max(LEAST) => continue,
                Some(_) => {}
            }
            // In a place of its own: while it waits for its start it takes little.
            Box::pin(self.flush_alone_at_first(id, slot, start)).await;
        }
    }

    async fn flush_alone_at_first(&self, id: Digest, slot: &Slot, start: Start<'_>) {
        let mut flush = pin!(self.flush(id, slot));
        let given_back = async {
            loop {
                sleep(ALONE).await;
                // Without it nobody waits for anybody else. What a store has lost all wait for, and for so long only: they would all be made ready at once after it.
                if self.store.is_up(id.shard()) && !self.recovery.is_being_refilled() {
                    break drop(start);
                }
            }
        };
        tokio::select! {
            () = &mut flush => return,
            () = given_back => {}
        }
        flush.await;
    }
}

/// What the commits weigh that wait to be taken to the store; `None`, and the last word, where there are none.
fn to_flush(slot: &Slot) -> Option<usize> {
    let mut state = slot.state();
    if state.pending.is_empty() {
        state.flushing = None;
        state.view = None;
        drop(state);
        slot.flushed.notify_waiters();
        return None;
    }
    Some(state.pending.iter().map(|pending| pending.bytes).sum())
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn those_of_one_server_wait_for_each_other_and_those_of_another_do_not() {
        let starts = Starts::new();
        let large = starts.begin(1, 16 << 20).now_or_never().unwrap();
        assert!(starts.begin(1, 1).now_or_never().is_none());
        assert!(starts.begin(2, 16 << 20).now_or_never().is_some());
        drop(large);
        let many: Vec<_> = (0..MOST / LEAST)
            .map(|_| starts.begin(1, 1).now_or_never().unwrap())
            .collect();
        assert!(starts.begin(1, 1).now_or_never().is_none());
        drop(many);
        assert!(starts.begin(1, 1).now_or_never().is_some());
    }
}

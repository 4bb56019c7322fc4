//! Commits that are being made ready for a server, or are on their way to it: each is there several times over, as a value, a record, a command and bytes to send.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::Service;
use super::room::weight;
use crate::command::Commit;
use crate::key::Digest;
use crate::spare;
use crate::store::{Patience, Unavailable};

/// So much of what commits weigh is at work for one server at once; a larger commit is at work alone. A server that hangs holds up no other one's.
const MOST: usize = 2 << 20;
/// Each counts as this much at least: what it takes to make one ready is about as much for a single byte.
const LEAST: usize = 4 << 10;
/// Smaller ones are not counted where a client waits for each: there are as many as it has threads.
const SMALL: usize = 16 << 10;
/// How many times over a commit that is at work is there beside itself, most of the time.
const COPIES: usize = 5;

/// By server.
#[derive(Debug)]
pub(super) struct AtWork {
    /// Of commits for which a client waits, and which are given up with a server that is away: they do not wait for the others.
    asked: Vec<Semaphore>,
    /// Of those that were answered early, and go on until they are done.
    held: Vec<Semaphore>,
    bytes: AtomicUsize,
}

/// Gives way to others when it is dropped.
#[derive(Debug)]
pub(super) struct Working<'a> {
    bytes: usize,
    all: &'a AtomicUsize,
    _place: Option<SemaphorePermit<'a>>,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
        if self.bytes > spare::LARGE {
            spare::give_back();
        }
    }
}

impl AtWork {
    pub(super) fn new() -> Self {
        let servers = || {
            (0..=u8::MAX)
                .map(|_| Semaphore::new(MOST / LEAST))
                .collect()
        };
        Self {
            asked: servers(),
            held: servers(),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Waits until a commit that weighs so much may be made ready for a server.
    pub(super) async fn begin(&self, is_held: bool, server: u8, bytes: usize) -> Working<'_> {
        let places = bytes.clamp(LEAST, MOST).div_ceil(LEAST);
        let servers = if is_held { &self.held } else { &self.asked };
        let server = servers.get(usize::from(server));
        let place = match server {
            // Nobody closes it.
            Some(server) => {
                let places = u32::try_from(places).unwrap_or(u32::MAX);
                server.acquire_many(places).await.ok()
            }
            None => None,
        };
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Working {
            bytes,
            all: &self.bytes,
            _place: place,
        }
    }

    /// What they take that are at work.
    pub(super) fn bytes(&self) -> usize {
        COPIES.saturating_mul(self.bytes.load(Ordering::Relaxed))
    }
}

impl Service {
    /// The turn of a commit for which a client waits; none where it is small.
    pub(super) async fn work(
        &self,
        id: Digest,
        commit: &Commit,
        patience: Patience,
    ) -> Result<Option<Working<'_>>, Unavailable> {
        let bytes = weight(commit);
        if bytes <= SMALL {
            return Ok(None);
        }
        let working = self.begin_work(false, id, bytes);
        self.store.in_time(patience, working).await.map(Some)
    }

    /// The turn of commits that are held, and weigh so much.
    pub(super) async fn work_on_held(&self, id: Digest, bytes: usize) -> Working<'_> {
        self.begin_work(true, id, bytes).await
    }

    async fn begin_work(&self, is_held: bool, id: Digest, bytes: usize) -> Working<'_> {
        let server = self.store.server_of(id.shard());
        let working = self.at_work.begin(is_held, server, bytes).await;
        self.make_room();
        if bytes > spare::LARGE {
            spare::give_back();
        }
        working
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn those_of_one_server_take_turns_and_those_of_another_do_not_wait_for_them() {
        let at_work = AtWork::new();
        let large = at_work.begin(true, 1, 16 << 20).now_or_never().unwrap();
        assert!(at_work.begin(true, 1, 1).now_or_never().is_none());
        assert!(at_work.begin(true, 2, 16 << 20).now_or_never().is_some());
        assert!(at_work.begin(false, 1, 1).now_or_never().is_some());
        drop(large);
        let many: Vec<_> = (0..MOST / LEAST)
            .map(|_| at_work.begin(true, 1, 1).now_or_never().unwrap())
            .collect();
        assert!(at_work.begin(true, 1, 1).now_or_never().is_none());
        drop(many);
        assert_eq!(at_work.bytes(), 0);
    }
}

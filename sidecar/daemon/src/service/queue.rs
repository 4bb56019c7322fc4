//! `Async`: commits that are held but not in the store yet, and their way there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;
use tracing::{error, warn};

use super::commit::Step;
use super::{Committed, Failure, Service};
use crate::cache::{Pending, Slot};
use crate::command::Commit;
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::session::{Lack, Session};
use crate::store::Patience;

/// What a commit takes beside its bytes.
const OVERHEAD: usize = 256;

/// The room that commits on their way take up.
#[derive(Debug)]
pub(super) struct Queue {
    bytes: AtomicUsize,
    limit: usize,
    freed: Notify,
    metrics: Arc<Metrics>,
}

impl Queue {
    pub(super) fn new(limit: usize, metrics: Arc<Metrics>) -> Self {
        Self {
            bytes: AtomicUsize::new(0),
            limit,
            freed: Notify::new(),
            metrics,
        }
    }

    /// Takes room, and waits for it. A commit larger than the queue gets its turn when the queue is empty.
    async fn take(&self, bytes: usize) {
        loop {
            let freed = self.freed.notified();
            let taken = self.bytes.load(Ordering::Relaxed);
            if taken == 0 || taken + bytes <= self.limit {
                self.bytes.fetch_add(bytes, Ordering::Relaxed);
                self.publish();
                return;
            }
            freed.await;
        }
    }

    fn free(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.publish();
        self.freed.notify_waiters();
    }

    async fn wait_until_empty(&self) {
        loop {
            let freed = self.freed.notified();
            if self.bytes.load(Ordering::Relaxed) == 0 {
                return;
            }
            freed.await;
        }
    }

    fn publish(&self) {
        let bytes = self.bytes.load(Ordering::Relaxed);
        self.metrics
            .queue_bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
}

impl Service {
    /// Answers as soon as the commit is held.
    pub(super) async fn commit_async(
        self: &Arc<Self>,
        id: Digest,
        slot: &Arc<Slot>,
        commit: Commit,
    ) -> Result<Committed, Failure> {
        let _turn = slot.gate.lock().await;
        let sizes = commit
            .changes
            .iter()
            .map(|change| change.name.len() + change.value.as_ref().map_or(0, bytes::Bytes::len));
        let bytes = OVERHEAD + sizes.sum::<usize>();
        if timeout(self.patience, self.queue.take(bytes))
            .await
            .is_err()
        {
            let text = format!(
                "the queue had no room within {:?}: the store is away or slow",
                self.patience
            );
            return Err(Failure::Unavailable(text));
        }
        let base = commit.base;
        let version = match self.hold(slot, commit, bytes) {
            Ok(Held::Pending { version, on }) => {
                let mut cache = self.cache();
                // The reply has no room for what others did: the client would take the new version for what it holds.
                if on != Some(base) || cache.doubts(id, base) {
                    cache.doubt(id, version);
                }
                version
            }
            Ok(Held::Unchanged(version)) => {
                self.queue.free(bytes);
                version
            }
            Err(failure) => {
                self.queue.free(bytes);
                return Err(failure);
            }
        };
        self.ensure_flushing(id, slot);
        Ok(Committed {
            version,
            lack: Lack::nothing(),
        })
    }

    /// Puts the commit among the pending ones.
    fn hold(&self, slot: &Slot, commit: Commit, bytes: usize) -> Result<Held, Failure> {
        let mut state = slot.state();
        if state.pending.is_empty() {
            state.view = match &state.held {
                None if commit.base == 0 => Some(Session::new(commit.created, commit.idle)),
                held => held.clone(),
            };
        }
        self.check_size(state.view.as_ref(), &commit)?;
        let on = state.view.as_ref().map(|view| view.version);
        let provisional = match &mut state.view {
            Some(view) => {
                let changes = view.effective(&commit.changes);
                if changes.is_empty() && view.idle == commit.idle && view.version > 0 {
                    return Ok(Held::Unchanged(view.version));
                }
                view.change(&changes, view.token);
                view.idle = commit.idle;
                view.version
            }
            None => {
                state
                    .pending
                    .back()
                    .map_or(commit.base, |last| last.provisional)
                    + 1
            }
        };
        state.pending.push_back(Pending {
            commit: Arc::new(commit),
            provisional,
            bytes,
        });
        Ok(Held::Pending {
            version: provisional,
            on,
        })
    }

    fn ensure_flushing(self: &Arc<Self>, id: Digest, slot: &Arc<Slot>) {
        let mut state = slot.state();
        if state.pending.is_empty() || state.flushing {
            return;
        }
        state.flushing = true;
        let (service, slot) = (Arc::clone(self), Arc::clone(slot));
        tokio::spawn(async move {
            service.flush(id, &slot).await;
            service.settle(id, slot);
        });
    }

    /// Takes one session's commits to the store, in order, for as long as it takes.
    async fn flush(&self, id: Digest, slot: &Slot) {
        loop {
            let (mut held, next) = {
                let mut state = slot.state();
                let Some(next) = state.pending.front().cloned() else {
                    state.flushing = false;
                    state.view = None;
                    drop(state);
                    slot.flushed.notify_waiters();
                    return;
                };
                (state.held.take(), next)
            };
            let committed = self.flush_one(id, &mut held, &next).await;
            Self::name(&mut held, &next.commit.session);
            let mut state = slot.state();
            state.held = held;
            state.pending.pop_front();
            self.queue.free(next.bytes);
            let as_told = match committed {
                Ok(version) => version == next.provisional,
                Err(failure) => {
                    self.metrics.queue_dropped.inc();
                    warn!(session = id.hex(), %failure, "held commit dropped");
                    false
                }
            };
            if !as_told {
                let last = state
                    .pending
                    .back()
                    .map_or(next.provisional, |last| last.provisional);
                self.cache().doubt(id, last);
            }
        }
    }

    async fn flush_one(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        next: &Pending,
    ) -> Result<u64, Failure> {
        match self
            .commit_at(id, held, &next.commit, Patience::Endless)
            .await?
        {
            Step::Done(committed) => Ok(committed.version),
            Step::Gone => Err(Failure::Gone),
            Step::Forward(to) => {
                self.commit_forwarded(to, &next.commit, Patience::Endless)
                    .await?;
                // Whoever opens the old name finds nothing: no version to be wrong about.
                Ok(next.provisional)
            }
        }
    }

    /// Forgets what has not begun its way to the store; whether there was anything.
    pub(super) fn drop_pending(&self, slot: &Slot) -> bool {
        let mut state = slot.state();
        let on_the_way = usize::from(state.flushing);
        let any = !state.pending.is_empty();
        while state.pending.len() > on_the_way {
            if let Some(dropped) = state.pending.pop_back() {
                self.queue.free(dropped.bytes);
            }
        }
        any
    }

    /// Waits until nothing of a session is on its way to the store.
    pub(super) async fn wait_until_flushed(&self, slot: &Slot) -> Result<(), Failure> {
        let flushed = async {
            loop {
                let flushed = slot.flushed.notified();
                if !slot.state().flushing {
                    return;
                }
                flushed.await;
            }
        };
        timeout(self.patience, flushed).await.map_err(|_| {
            let reason = self
                .store
                .down()
                .map_or_else(|| "it is slow".to_owned(), |reason| reason.to_string());
            Failure::Unavailable(format!(
                "the store did not take what is held within {:?}: {reason}",
                self.patience
            ))
        })
    }

    /// Waits, bounded, until everything is in the store.
    pub async fn flush_all(&self, patience: Duration) {
        if timeout(patience, self.queue.wait_until_empty())
            .await
            .is_err()
        {
            let bytes = self.queue.bytes.load(Ordering::Relaxed);
            error!(bytes, after = ?patience, "commits lost: the store did not take them before the end");
        }
    }
}

enum Held {
    /// The version that it will have, and the one that it was made on, if we hold that.
    Pending {
        version: u64,
        on: Option<u64>,
    },
    Unchanged(u64),
}

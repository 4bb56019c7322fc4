//! `Async`: commits that are held but not in the store yet, and their way there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use tracing::{error, warn};

use super::commit::Step;
use super::room::weight;
use super::{Committed, Failure, Service};
use crate::cache::{Pending, Slot, State};
use crate::claims::accesses::Use;
use crate::command::Commit;
use crate::key::Digest;
use crate::session::{Lack, Session};
use crate::store::{Patience, Terms};

impl Service {
    /// Answers as soon as the commit is held, where nobody else can ask for the session before it is in the store; otherwise
    /// once the store has it.
    pub(super) async fn commit_async(
        self: &Arc<Self>,
        id: Digest,
        slot: &Arc<Slot>,
        commit: Commit,
        terms: &Terms,
    ) -> Result<Committed, Failure> {
        let commit = Arc::new(commit);
        let step = {
            let _turn = self.turn(id, slot).await;
            // While our connection is only being made anew others may have theirs, and open the session.
            self.store.until_up_or_away(id.shard()).await;
            if let Some(version) = self.commit_early(id, slot, &commit, terms).await? {
                return Ok(told(version));
            }
            let shorter = Terms {
                patience: patience(&slot.state(), terms.patience),
                ..*terms
            };
            match self.commit_slot(id, slot, &commit, &shorter).await {
                // The store has gone away meanwhile.
                Err(Failure::Unavailable(why)) => {
                    let early = self.commit_early(id, slot, &commit, terms).await?;
                    return early.map(told).ok_or(Failure::Unavailable(why));
                }
                step => step?,
            }
        };
        self.follow(step, &commit, terms).await
    }

    /// Holds the commit if it may be answered early; the version that the client is told.
    async fn commit_early(
        self: &Arc<Self>,
        id: Digest,
        slot: &Arc<Slot>,
        commit: &Arc<Commit>,
        terms: &Terms,
    ) -> Result<Option<u64>, Failure> {
        if !self.answers_early(id, slot) {
            return Ok(None);
        }
        let bytes = weight(commit) + weight_of_view(&slot.state());
        let end = terms.patience.deadline(self.patience);
        // As with a store that is away: who comes once others have waited in vain is refused at once. Else those of one session, which wait one after the other, would add up.
        let until = |moved: tokio::time::Instant| {
            let back = self.recovery.back(self.store.back());
            let stuck = moved.max(back.unwrap_or(moved)) + self.patience;
            end.map_or(stuck, |end| end.min(stuck))
        };
        if !self.queue.take(bytes, until).await {
            self.metrics.queue.full.inc();
            let text = format!(
                "the queue had no room within {:?}: the store is away or slow",
                self.patience
            );
            return Err(Failure::Unavailable(text));
        }
        // The claim may have become void while there was no room.
        if !self.answers_early(id, slot) {
            self.queue.free(bytes);
            return Ok(None);
        }
        let held = self
            .hold(slot, commit, bytes)
            .inspect_err(|_| self.queue.free(bytes))?;
        if !held.is_pending {
            self.queue.free(bytes);
        }
        let mut cache = self.cache();
        // The reply has no room for what others did: the client would take the new version for what it holds.
        if held.on != Some(commit.base) || cache.doubts(id, commit.base) {
            cache.doubt(id, held.version);
        }
        drop(cache);
        if !commit.passive {
            self.tell_accesses_later(id, Use::at(Instant::now()));
        }
        self.ensure_flushing(id, slot);
        Ok(Some(held.version))
    }

    /// Whether a commit may be answered before the store has it: nobody else can open a session that is ours alone, and while the
    /// server that has it is away nobody can open it. That ours is the only connection that is lost is another matter.
    fn answers_early(&self, id: Digest, slot: &Slot) -> bool {
        let state = slot.state();
        let is_known = match &state.view {
            Some(_) => true,
            None => state.pending.is_empty() && state.held.is_some(),
        };
        (is_known && self.is_claimed_alone(&state))
            || (is_held(&state) && self.store.is_away(id.shard()))
    }

    /// Puts the commit among the pending ones.
    fn hold(&self, slot: &Slot, commit: &Arc<Commit>, bytes: usize) -> Result<Held, Failure> {
        let mut state = slot.state();
        if state.pending.is_empty() {
            let held = state.held.clone();
            state.view = held;
        }
        let held = self.hold_in(&mut state, commit, bytes);
        if state.pending.is_empty() {
            // It was refused, or changes nothing. No flush comes that would clear the view: it would be taken for the newest long
            // after others have changed the session.
            state.view = None;
        }
        held
    }

    fn hold_in(
        &self,
        state: &mut State,
        commit: &Arc<Commit>,
        bytes: usize,
    ) -> Result<Held, Failure> {
        self.check_size(state.view.as_ref(), commit)?;
        let on = state.view.as_ref().map(|view| view.version);
        let provisional = match &mut state.view {
            Some(view) => {
                let changes = view.effective(&commit.changes);
                if changes.is_empty() && view.idle == commit.idle && view.version > 0 {
                    return Ok(Held {
                        version: view.version,
                        on,
                        is_pending: false,
                    });
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
            commit: Arc::clone(commit),
            provisional,
            bytes,
        });
        Ok(Held {
            version: provisional,
            on,
            is_pending: true,
        })
    }

    fn ensure_flushing(self: &Arc<Self>, id: Digest, slot: &Arc<Slot>) {
        let mut state = slot.state();
        if state.pending.is_empty() || state.flushing.is_some() {
            return;
        }
        state.flushing = Some(Instant::now());
        let (service, slot) = (Arc::clone(self), Arc::clone(slot));
        tokio::spawn(async move {
            service.flush_in_turns(id, &slot).await;
            service.settle(id, slot);
        });
    }

    /// Takes one session's commits to the store for as long as it takes, all that wait as one.
    pub(super) async fn flush(&self, id: Digest, slot: &Slot) {
        let (mut held, batch) = {
            let mut state = slot.state();
            if state.pending.is_empty() {
                return;
            }
            state.on_the_way = state.pending.len();
            state.flushing = Some(Instant::now());
            let batch: Vec<Pending> = state.pending.iter().cloned().collect();
            (state.held.take(), batch)
        };
        let sent = Instant::now();
        let flushed = self.flush_batch(id, &mut held, &batch).await;
        if let Some(first) = batch.first() {
            Self::name(&mut held, &first.commit.session);
        }
        let mut state = slot.state();
        state.held = held;
        if state.held.is_none() {
            // It ended, or goes on under another name. Nobody has the gate now who would hide it.
            state.hide();
        }
        if batch.iter().any(|done| !done.commit.passive) {
            state.written = state.written.max(Some(sent));
            // Of passive ones alone the store does not take the accesses that were answered without it.
            if flushed.is_ok() {
                self.accesses().take(id);
            }
        }
        state.on_the_way = 0;
        for done in state.pending.drain(..batch.len()) {
            self.queue.flushed(done.bytes);
        }
        let told = batch.last().map_or(0, |last| last.provisional);
        let as_told = match flushed {
            Ok(version) => version == told,
            Err(failure) => {
                self.metrics.queue.dropped.inc_by(batch.len() as u64);
                warn!(session = id.hex(), %failure, "held commit dropped");
                false
            }
        };
        if !as_told {
            // Whatever was thought of the session was wrong. Who opens it waits for the store now.
            state.view = None;
            state.set_claim(None);
            let last = state.pending.back().map_or(told, |last| last.provisional);
            drop(state);
            self.cache().doubt(id, last);
        }
    }

    async fn flush_batch(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        batch: &[Pending],
    ) -> Result<u64, Failure> {
        let Some(commit) = merged(batch) else {
            return Err(Failure::Gone);
        };
        let terms = Terms {
            versions: batch.len() as u64,
            told: true,
            ..Terms::new(Patience::Endless)
        };
        match self.commit_at(id, held, &commit, &terms).await? {
            Step::Done(done) => Ok(done.committed.version),
            Step::Gone | Step::Fenced => Err(Failure::Gone),
            Step::Forward(to) => {
                let terms = Terms {
                    told: true,
                    ..Terms::new(Patience::Endless)
                };
                Box::pin(self.commit_forwarded(to, &commit, &terms)).await?;
                // Whoever opens the old name finds nothing: no version to be wrong about.
                Ok(batch.last().map_or(0, |last| last.provisional))
            }
        }
    }

    /// Forgets what has not begun its way to the store; whether there was anything.
    pub(super) fn drop_pending(&self, slot: &Slot) -> bool {
        let mut state = slot.state();
        let any = !state.pending.is_empty();
        while state.pending.len() > state.on_the_way {
            if let Some(dropped) = state.pending.pop_back() {
                self.queue.free(dropped.bytes);
            }
        }
        any
    }

    /// Waits until nothing of a session is on its way to the store. One request after the other has the gate: none waits anew for what has kept others waiting.
    pub(super) async fn wait_until_flushed(&self, slot: &Slot) -> Result<(), Failure> {
        loop {
            let flushed = slot.flushed.notified();
            let Some(since) = slot.state().flushing else {
                return Ok(());
            };
            // It may have waited for its start since before the store was back.
            let back = self.recovery.back(self.store.back());
            let began = back.map_or(since, |back| since.max(back.into_std()));
            let left = (began + self.patience).saturating_duration_since(Instant::now());
            let waited = timeout(left, flushed).await;
            // Another batch is on its way by now, or nothing.
            if waited.is_err() && slot.state().flushing == Some(since) {
                return Err(self.not_flushed());
            }
        }
    }

    fn not_flushed(&self) -> Failure {
        let reason = self
            .store
            .down()
            .map_or_else(|| "it is slow".to_owned(), |reason| reason.to_string());
        Failure::Unavailable(format!(
            "the store did not take what is held within {:?}: {reason}",
            self.patience
        ))
    }

    /// Waits, bounded, until everything is in the store, and what was ended has ended there.
    pub async fn flush_all(&self, patience: Duration) {
        let flushed = async {
            self.queue.wait_until_empty().await;
            self.ends.until_none_is_owed().await;
        };
        if timeout(patience, flushed).await.is_ok() {
            return;
        }
        let (bytes, ends) = (self.queue.bytes(), self.ends.owing());
        if bytes > 0 {
            error!(bytes, after = ?patience, "commits lost: the store did not take them before the end");
        }
        if ends > 0 {
            error!(ends, after = ?patience, "sessions were ended and live on: the store did not take that before the end");
        }
    }
}

/// What the first commit that is held takes beside itself: the session is there once more, but for its values.
fn weight_of_view(state: &State) -> usize {
    let held = state.held.as_ref().filter(|_| state.view.is_none());
    held.map_or(0, |held| held.weight() - held.size())
}

/// A commit that is held, or changes nothing.
struct Held {
    /// The version that it will have.
    version: u64,
    /// The one that it was made on, if we hold that.
    on: Option<u64>,
    is_pending: bool,
}

/// A commit that is held: nobody else's changes are told, for there are none, or they come later.
fn told(version: u64) -> Committed {
    Committed {
        version,
        lack: Lack::nothing(),
    }
}

/// Whether it is known what a commit is made on: then the store need not have it before it is answered, while it is away.
fn is_held(state: &State) -> bool {
    state.view.is_some() || state.held.is_some() || !state.pending.is_empty()
}

/// How long a commit that asks the store first may wait for it: no longer than those that come when it is known to be away.
fn patience(state: &State, usual: Patience) -> Patience {
    if is_held(state) {
        usual.until_away()
    } else {
        usual
    }
}

/// Commits in their order as one.
fn merged(batch: &[Pending]) -> Option<Arc<Commit>> {
    let (first, rest) = batch.split_first()?;
    let Some(last) = rest.last() else {
        return Some(Arc::clone(&first.commit));
    };
    let changes = batch
        .iter()
        .flat_map(|pending| pending.commit.changes.iter().cloned());
    Some(Arc::new(Commit {
        session: first.commit.session.clone(),
        base: first.commit.base,
        idle: last.commit.idle,
        created: first.commit.created,
        changes: changes.collect(),
        patches: Vec::new(),
        passive: batch.iter().all(|pending| pending.commit.passive),
    }))
}

//! Commits: the delta, the merge, and what a commit meets in the store.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::rightful::whole_in_store;
use super::{Committed, Failure, Refreshed, Service};
use crate::cache::Slot;
use crate::command::Commit;
use crate::config::Mode;
use crate::key::Digest;
use crate::session::plan::{Care, Plan, blind};
use crate::session::{Change, Lack, Session, Token};
use crate::store::answer::Answer;
use crate::store::{Blind, Patience, Unavailable};

/// Renames that a late commit follows. More in one request's time is a loop.
const MAX_FORWARDS: usize = 8;

/// What came of a commit under one digest.
pub(super) enum Step {
    Done(Committed),
    /// The session goes on under another digest.
    Forward(Digest),
    Gone,
}

impl Service {
    pub(super) async fn commit_sync(
        &self,
        id: Digest,
        slot: &Slot,
        commit: &Commit,
    ) -> Result<Committed, Failure> {
        match self.commit_slot(id, slot, commit).await? {
            Step::Done(committed) => Ok(committed),
            Step::Forward(to) => self.commit_forwarded(to, commit, Patience::Bounded).await,
            Step::Gone => Err(Failure::Gone),
        }
    }

    async fn commit_slot(&self, id: Digest, slot: &Slot, commit: &Commit) -> Result<Step, Failure> {
        let _turn = slot.gate.lock().await;
        let mut held = slot.state().held.take();
        let step = match self.check_size(held.as_ref(), commit) {
            Ok(()) => self
                .commit_at(id, &mut held, commit, Patience::Bounded)
                .await
                .map_err(Into::into),
            Err(failure) => Err(failure),
        };
        Self::name(&mut held, &commit.session);
        slot.state().held = held;
        step
    }

    /// A commit to a session that was renamed meanwhile.
    pub(super) async fn commit_forwarded(
        &self,
        mut id: Digest,
        commit: &Commit,
        patience: Patience,
    ) -> Result<Committed, Failure> {
        for _ in 0..MAX_FORWARDS {
            let slot = self.cache().slot(id);
            let step = {
                let _turn = slot.gate.lock().await;
                self.wait_until_flushed(&slot).await?;
                let mut held = slot.state().held.take();
                let step = self.commit_at(id, &mut held, commit, patience).await;
                slot.state().held = held;
                step
            };
            self.settle(id, slot);
            match step? {
                Step::Done(committed) => return Ok(committed),
                Step::Forward(to) => id = to,
                Step::Gone => break,
            }
        }
        Err(Failure::Gone)
    }

    pub(super) fn check_size(
        &self,
        held: Option<&Session>,
        commit: &Commit,
    ) -> Result<(), Failure> {
        let would = match held {
            Some(session) => session.size_after(&commit.changes),
            None => Session::new(0, 0).size_after(&commit.changes),
        };
        let limit = self.max_session;
        // One that is too large already may shrink.
        let grows = held.is_none_or(|session| would > session.size());
        if would > limit && grows {
            Err(Failure::TooLarge { would, limit })
        } else {
            Ok(())
        }
    }

    /// Commits to the store: one round trip, two where another commit was in the way, none if nothing changes.
    pub(super) async fn commit_at(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        commit: &Commit,
        patience: Patience,
    ) -> Result<Step, Unavailable> {
        let mut care = Care::Hopeful;
        let creates = held.is_none() && commit.base == 0;
        if creates && let Some(step) = self.create(id, held, commit, patience).await? {
            return Ok(step);
        }
        loop {
            let Some(session) = held.as_mut() else {
                return self.commit_blind(id, held, commit, patience).await;
            };
            let changes = session.effective(&commit.changes);
            let idle = (commit.idle != session.idle).then_some(commit.idle);
            if changes.is_empty() && idle.is_none() {
                return Ok(Step::Done(self.committed(id, session, commit)));
            }
            let plan = Plan {
                idle,
                ..Plan::of(session, &changes, care)
            };
            match self.store.commit(id, session, &plan, patience).await? {
                Answer::Done(_) => {
                    advance(session, &changes, &plan);
                    if plan.snapshot.is_some() {
                        whole_in_store(session);
                    }
                }
                Answer::After(listing) => {
                    self.metrics.conflicts.inc();
                    let seen = self.load(id, listing, held);
                    if let Some(session) = held.as_mut() {
                        advance(session, &changes, &plan);
                    }
                    self.put_right(id, held, seen, patience).await?;
                }
                Answer::Listing(listing) => {
                    self.metrics.conflicts.inc();
                    let seen = self.load(id, listing, held);
                    let done = seen.tokens.contains(&plan.record.token);
                    self.put_right(id, held, seen, patience).await?;
                    if !done {
                        care = Care::Sure;
                        continue;
                    }
                    // The answer to this very commit had been lost on the way.
                }
                Answer::Absent if self.put_back(id, held, patience).await? => continue,
                other => {
                    *held = None;
                    return Ok(self.not_there(id, &other));
                }
            }
            self.metrics.commits.inc();
            return Ok(match held {
                Some(session) => Step::Done(self.committed(id, session, commit)),
                None => Step::Gone,
            });
        }
    }

    /// Creates the session; `None` if there is one already, which is then held if it can be read.
    async fn create(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        commit: &Commit,
        patience: Patience,
    ) -> Result<Option<Step>, Unavailable> {
        let mut session = Session::new(commit.created, commit.idle);
        let token = Token::random();
        session.change(&session.effective(&commit.changes), token);
        if Digest::of(&commit.session) == id {
            session.name = commit.session.clone();
        }
        let name = self.sealed(id, &session.name);
        match self.store.create(id, &session, &name, patience).await? {
            Answer::Done(_) => {
                self.metrics.commits.inc();
                whole_in_store(&mut session);
                let committed = self.committed(id, held.insert(session), commit);
                Ok(Some(Step::Done(committed)))
            }
            Answer::Listing(listing) => {
                // Either the answer to this commit was lost on the way, and nothing is left to change, or somebody else
                // created it.
                if !self.load(id, listing, held).tokens.contains(&token) {
                    self.metrics.conflicts.inc();
                }
                Ok(None)
            }
            other => Ok(Some(self.not_there(id, &other))),
        }
    }

    /// Commits whole values to a session that is not held: after a restart of the daemon, or when it was forgotten.
    async fn commit_blind(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        commit: &Commit,
        patience: Patience,
    ) -> Result<Step, Unavailable> {
        let latest = latest(&commit.changes);
        let record = blind(&latest).encode();
        let request = Blind {
            base: commit.base,
            record: &record,
            idle: commit.idle,
        };
        match self.store.commit_blind(id, &request, patience).await? {
            Answer::Done(version) if version == commit.base + 1 => {
                self.metrics.commits.inc();
                let lack = Lack::nothing();
                Ok(Step::Done(Committed { version, lack }))
            }
            Answer::Done(version) => {
                self.metrics.commits.inc();
                self.metrics.conflicts.inc();
                match (self.refresh(id, held).await?, held) {
                    (Refreshed::Accessed(_), Some(session)) => {
                        Ok(Step::Done(self.committed(id, session, commit)))
                    }
                    // Renamed right after the commit, and the commit was taken along. Nobody opens the old name again.
                    (Refreshed::Accessed(_) | Refreshed::Ended(Some(_)), _) => {
                        let lack = Lack::nothing();
                        Ok(Step::Done(Committed { version, lack }))
                    }
                    // It ended right after the commit.
                    _ => Ok(Step::Gone),
                }
            }
            other => Ok(self.not_there(id, &other)),
        }
    }

    fn not_there(&self, id: Digest, answer: &Answer) -> Step {
        let Answer::Ended(forward) = answer else {
            return Step::Gone;
        };
        self.ends.hear(id, *forward);
        forward.map_or(Step::Gone, Step::Forward)
    }

    fn committed(&self, id: Digest, session: &Session, commit: &Commit) -> Committed {
        if self.mode == Mode::Async {
            // Nobody reads it: a doubt must wait for somebody who does.
            let lack = Lack::nothing();
            return Committed {
                version: session.version,
                lack,
            };
        }
        let own: BTreeSet<Bytes> = commit
            .changes
            .iter()
            .map(|change| change.name.clone())
            .collect();
        Committed {
            version: session.version,
            lack: self.lack(id, session, commit.base, &own),
        }
    }
}

fn advance(session: &mut Session, changes: &[Change], plan: &Plan) {
    session.change(changes, plan.record.token);
    session.record_bytes += plan.encoded.len();
    session.idle = plan.idle.unwrap_or(session.idle);
    session.confirm(plan.record.token);
}

/// One change for each name: the last.
fn latest(changes: &[Change]) -> Vec<Change> {
    let mut seen = BTreeSet::new();
    let last = changes
        .iter()
        .rev()
        .filter(|change| seen.insert(&change.name));
    last.cloned().collect()
}

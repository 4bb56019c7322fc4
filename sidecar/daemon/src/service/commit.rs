//! Commits: the delta, the merge, and what comes of them.

use std::collections::BTreeSet;
use std::time::Instant;

use bytes::Bytes;

use super::attempt::{Attempt, Met};
use super::open::Refreshed;
use super::reached::{ClaimsNow, Known, Reached};
use super::{Committed, Failure, Service};
use crate::cache::Slot;
use crate::command::Commit;
use crate::key::Digest;
use crate::session::plan::{Care, Plan};
use crate::session::{Change, Lack, Session};
use crate::store::answer::Answer;
use crate::store::{Terms, Unavailable};

/// What a client is told whose lock is gone: for what it wants to write may be made of what others have changed since.
pub(super) const LOST: &str = "the lock was lost: the changes were not written";

/// What came of a commit under one digest.
pub(super) enum Step {
    Done(Done),
    /// The session goes on under another digest.
    Forward(Digest),
    Gone,
    /// The claim is not there any more that had to be.
    Fenced,
}

/// A commit as it left.
pub(super) struct Sent {
    pub(super) at: Instant,
    pub(super) passive: bool,
    /// The access that it tells the store of where it is brief.
    pub(super) access: Option<u64>,
}

impl Sent {
    /// One that leaves now.
    pub(super) fn now(commit: &Commit, access: Option<u64>) -> Self {
        Self {
            at: Instant::now(),
            passive: commit.passive,
            access,
        }
    }
}

/// A commit that is done.
pub(super) struct Done {
    pub(super) committed: Committed,
    /// The claims on the session.
    pub(super) claims: ClaimsNow,
    /// Somebody else had changed the session.
    pub(super) disturbed: bool,
    /// Nothing changed, and the store was not asked.
    pub(super) unchanged: bool,
    /// The store does not know of the access.
    pub(super) untold: bool,
}

impl Done {
    fn needless(committed: Committed, disturbed: bool) -> Step {
        Step::Done(Self {
            committed,
            claims: ClaimsNow::unknown(),
            disturbed,
            unchanged: true,
            untold: false,
        })
    }

    pub(super) fn written(committed: Committed, claims: ClaimsNow) -> Step {
        Step::Done(Self {
            committed,
            claims,
            disturbed: false,
            unchanged: false,
            untold: false,
        })
    }
}

/// It was sent by a name that the session has left.
fn is_forwarded(id: Digest, commit: &Commit) -> bool {
    Digest::of(&commit.session) != id
}

/// What was just put there is so without a look at its bytes.
fn is_same(value: Option<&Bytes>, sent: Option<&Bytes>) -> bool {
    let place = |bytes: &Bytes| (bytes.as_ptr(), bytes.len());
    value.map(place) == sent.map(place) || value == sent
}

/// What creates a session anew under a name that another one has left: that one goes on under its new name, and this is none of it.
fn is_another(id: Digest, session: &Session, commit: &Commit) -> bool {
    commit.base == 0 && commit.created != session.created && is_forwarded(id, commit)
}

impl Service {
    /// Answers once the store has it.
    pub(super) async fn commit_sync(
        &self,
        id: Digest,
        slot: &Slot,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Committed, Failure> {
        let step = {
            let _turn = self.turn(id, slot).await;
            self.commit_slot(id, slot, commit, terms).await?
        };
        self.follow(step, commit, terms).await
    }

    /// A commit by who has the gate.
    pub(super) async fn commit_slot(
        &self,
        id: Digest,
        slot: &Slot,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Step, Failure> {
        self.wait_until_flushed(slot).await?;
        self.check_size(slot.state().held.as_ref(), commit)?;
        let brief = match terms.fence {
            None => self.claims_that_say_enough(slot, commit.passive),
            Some(_) => None,
        };
        let want = self.claim_for_commit(slot, commit);
        let (terms, mut held) = {
            let mut state = slot.state();
            state.ask(want);
            let terms = Terms {
                want,
                void: state.others.void,
                has: state.claim(),
                brief,
                fence: terms.fence,
                ..Terms::new(terms.patience)
            };
            (terms, state.held.take())
        };
        let access = brief.and_then(|brief| brief.access);
        let sent = Sent::now(commit, access);
        let step = self.commit_at(id, &mut held, commit, &terms).await;
        Self::name(&mut held, &commit.session);
        slot.state().hold(held, step.is_err());
        let step = step?;
        self.committed_at(id, slot, &sent, &step);
        Ok(step)
    }

    /// What a commit means for the claims on the session, whatever came of it. By who has the gate.
    pub(super) fn committed_at(&self, id: Digest, slot: &Slot, sent: &Sent, step: &Step) {
        match step {
            Step::Done(done) if done.untold => {
                if let Some(access) = sent.access {
                    slot.state().access_told(access);
                }
                let access = (!sent.passive).then_some(sent.at);
                self.reached_briefly(id, slot, access, done.claims.others);
            }
            Step::Done(done) if !done.unchanged => {
                let (claims, disturbed) = (done.claims, done.disturbed);
                let (known, reached) = if claims.created {
                    (Known::Told(sent.at), Reached::Created { made: claims.made })
                } else if sent.passive {
                    (Known::AsBefore, Reached::Committed { claims, disturbed })
                } else {
                    (
                        Known::Told(sent.at),
                        Reached::Committed { claims, disturbed },
                    )
                };
                self.reached(id, slot, known, reached);
            }
            Step::Done(done) if !done.disturbed => {}
            _ => slot.state().set_claim(None),
        }
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
        terms: &Terms,
    ) -> Result<Step, Unavailable> {
        let terms = &terms.counting(!commit.passive);
        let (mut care, mut disturbed) = (Care::Hopeful, false);
        let creates = held.is_none() && commit.base == 0;
        // By whom it is not known what others have set by the other name, which is not to be undone.
        let asks = commit.passive && commit.changes.is_empty() && is_forwarded(id, commit);
        if (creates || asks)
            && let Some(step) = self.create_or_find(id, held, commit, terms).await?
        {
            return Ok(step);
        }
        // Each commit says the idle time that its client knows. Only against what it was made on can be told whether that is another one: what somebody else
        // has set meanwhile is not to be undone.
        let sets_idle = !asks && held.as_ref().is_none_or(|base| base.idle != commit.idle);
        loop {
            // What is there after that may be something else: a delta of what was held before would fit nothing.
            self.await_refill(id, held, terms.patience).await?;
            let Some(session) = held.as_mut() else {
                return Box::pin(self.commit_blind(id, held, commit, terms)).await;
            };
            if is_another(id, session, commit) {
                return Ok(Step::Gone);
            }
            let changes = session.effective(&commit.changes);
            let idle = (sets_idle && commit.idle != session.idle).then_some(commit.idle);
            if changes.is_empty() && idle.is_none() {
                let committed = self.committed(id, session, commit, terms);
                return Ok(Done::needless(committed, disturbed));
            }
            let packing = self.store.packing();
            let plan = Plan::of(session, &changes, care, terms.versions, packing);
            let plan = Plan { idle, ..plan };
            let attempt = Attempt { changes, plan };
            let met = self.attempt(id, held, &attempt, terms).await?;
            let (claims, after_others, untold) = match met {
                Met::Stored {
                    claims,
                    after_others,
                    untold,
                } => (claims, after_others, untold),
                Met::Refused => {
                    (care, disturbed) = (Care::Sure, true);
                    continue;
                }
                Met::PutBack => continue,
                Met::Not(step) => return Ok(step),
            };
            self.metrics.commits.inc();
            let Some(session) = held else {
                return Ok(Step::Gone);
            };
            return Ok(Step::Done(Done {
                committed: self.committed(id, session, commit, terms),
                claims,
                disturbed: disturbed || after_others,
                unchanged: false,
                untold,
            }));
        }
    }

    /// Creates the session; `None` if there is one already, which is then held. Under the name that a session was given after this one it only looks for
    /// that: nobody would find there what is begun in the place of one that is over.
    async fn create_or_find(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Option<Step>, Unavailable> {
        if !is_forwarded(id, commit) {
            return self.create(id, held, commit, terms).await;
        }
        let looking = Terms::new(terms.patience).counting(false);
        let refreshed = self.refresh(id, held, &looking).await?;
        Ok(match (refreshed, held) {
            (Refreshed::Accessed { .. }, Some(_)) => None,
            (Refreshed::Ended(Some(forward)), _) => Some(Step::Forward(forward)),
            _ => Some(Step::Gone),
        })
    }

    pub(super) fn not_there(&self, id: Digest, answer: &Answer) -> Step {
        let Answer::Ended { forward, .. } = answer else {
            return Step::Gone;
        };
        self.ends.hear(id, *forward);
        forward.map_or(Step::Gone, Step::Forward)
    }

    pub(super) fn committed(
        &self,
        id: Digest,
        session: &Session,
        commit: &Commit,
        terms: &Terms,
    ) -> Committed {
        if terms.told {
            // Nobody reads it: a doubt must wait for somebody who does.
            let lack = Lack::nothing();
            return Committed {
                version: session.version,
                lack,
            };
        }
        // One whose answer was lost was made a while ago: what somebody has made of it since the client lacks.
        let is_there =
            |change: &&Change| is_same(session.value(&change.name), change.value.as_ref());
        let own: BTreeSet<Bytes> = commit
            .changes
            .iter()
            .filter(is_there)
            .map(|change| change.name.clone())
            .collect();
        Committed {
            version: session.version,
            lack: self.lack(id, session, commit.base, &own),
        }
    }
}

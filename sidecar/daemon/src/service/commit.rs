//! Commits: the delta, the merge, and what a commit meets in the store.

use std::collections::BTreeSet;
use std::time::Instant;

use bytes::Bytes;

use super::claims::Reached;
use super::rightful::whole_in_store;
use super::{Committed, Failure, Refreshed, Service};
use crate::cache::Slot;
use crate::claims::id::Claim;
use crate::command::Commit;
use crate::config::Mode;
use crate::key::Digest;
use crate::session::plan::{Care, Plan, blind};
use crate::session::{Change, Lack, Session, Token};
use crate::store::answer::Answer;
use crate::store::{Blind, Patience, Terms, Unavailable};

/// Renames that a late commit follows. More in one request's time is a loop.
const MAX_FORWARDS: usize = 8;

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

/// A commit that is done.
pub(super) struct Done {
    pub(super) committed: Committed,
    /// The claim that was made along with it.
    pub(super) made: Option<Claim>,
    /// Somebody else had changed the session.
    pub(super) disturbed: bool,
    /// Nothing changed, and the store was not asked.
    pub(super) unchanged: bool,
    /// The store does not know of the access.
    pub(super) untold: bool,
}

impl Done {
    fn written(committed: Committed, made: Option<Claim>) -> Step {
        Step::Done(Self {
            committed,
            made,
            disturbed: false,
            unchanged: false,
            untold: false,
        })
    }
}

/// A commit as it is sent.
struct Attempt {
    changes: Vec<Change>,
    plan: Plan,
}

/// What it met in the store.
enum Met {
    Stored {
        made: Option<Claim>,
        after_others: bool,
    },
    /// By who has claimed the session; the store does not know of the access.
    StoredBriefly,
    /// It has to be made anew, of whole values.
    Refused,
    /// The session had been lost, and is there again.
    PutBack,
    Not(Step),
}

impl Met {
    fn stored(made: Option<Claim>) -> Self {
        Self::Stored {
            made,
            after_others: false,
        }
    }
}

impl Service {
    /// Answers once the store has it.
    pub(super) async fn commit_sync(
        &self,
        id: Digest,
        slot: &Slot,
        commit: &Commit,
        fence: Option<Claim>,
    ) -> Result<Committed, Failure> {
        let step = {
            let _turn = self.turn(id, slot).await;
            self.commit_slot(id, slot, commit, fence).await?
        };
        self.follow(step, commit, fence).await
    }

    /// What a client is told of a commit; perhaps it has to be made under another digest.
    pub(super) async fn follow(
        &self,
        step: Step,
        commit: &Commit,
        fence: Option<Claim>,
    ) -> Result<Committed, Failure> {
        match step {
            Step::Done(done) => Ok(done.committed),
            Step::Forward(to) => {
                let terms = Terms {
                    fence,
                    ..Terms::new(Patience::Bounded)
                };
                self.commit_forwarded(to, commit, &terms).await
            }
            Step::Gone => Err(Failure::Gone),
            Step::Fenced => Err(Failure::Busy(LOST.into())),
        }
    }

    /// A commit by who has the gate.
    pub(super) async fn commit_slot(
        &self,
        id: Digest,
        slot: &Slot,
        commit: &Commit,
        fence: Option<Claim>,
    ) -> Result<Step, Failure> {
        self.wait_until_flushed(slot).await?;
        self.check_size(slot.state().held.as_ref(), commit)?;
        let brief = fence.is_none().then(|| self.claim_that_says_enough(slot));
        let terms = Terms {
            want: self.claim_for_commit(slot, commit),
            fence,
            brief: brief.flatten(),
            ..Terms::new(Patience::Bounded)
        };
        let mut held = slot.state().held.take();
        let was_held = held.is_some();
        let sent = Instant::now();
        let step = self.commit_at(id, &mut held, commit, &terms).await;
        Self::name(&mut held, &commit.session);
        slot.state().held = held;
        let step = step?;
        match &step {
            Step::Done(done) if done.untold => self.reached_briefly(id, slot, sent),
            Step::Done(done) if !done.unchanged => {
                let (made, disturbed) = (done.made, done.disturbed);
                let reached = if commit.base == 0 && !was_held {
                    Reached::Created { made }
                } else {
                    Reached::Committed { made, disturbed }
                };
                self.reached(id, slot, sent, reached);
            }
            Step::Done(done) if !done.disturbed => {}
            _ => slot.state().set_claim(None),
        }
        Ok(step)
    }

    /// A commit to a session that was renamed meanwhile.
    pub(super) async fn commit_forwarded(
        &self,
        mut id: Digest,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Committed, Failure> {
        for _ in 0..MAX_FORWARDS {
            let slot = self.cache().slot(id);
            let step = {
                let _turn = self.turn(id, &slot).await;
                self.wait_until_flushed(&slot).await?;
                let mut held = slot.state().held.take();
                let step = self.commit_at(id, &mut held, commit, terms).await;
                slot.state().held = held;
                step
            };
            self.settle(id, slot);
            match step? {
                Step::Done(done) => return Ok(done.committed),
                Step::Forward(to) => id = to,
                Step::Gone => break,
                Step::Fenced => return Err(Failure::Busy(LOST.into())),
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
        terms: &Terms,
    ) -> Result<Step, Unavailable> {
        let mut care = Care::Hopeful;
        let mut disturbed = false;
        let creates = held.is_none() && commit.base == 0;
        if creates && let Some(step) = self.create(id, held, commit, terms).await? {
            return Ok(step);
        }
        loop {
            let Some(session) = held.as_mut() else {
                return self.commit_blind(id, held, commit, terms).await;
            };
            let changes = session.effective(&commit.changes);
            let idle = (commit.idle != session.idle).then_some(commit.idle);
            if changes.is_empty() && idle.is_none() {
                return Ok(Step::Done(Done {
                    committed: self.committed(id, session, commit, terms),
                    made: None,
                    disturbed,
                    unchanged: true,
                    untold: false,
                }));
            }
            let plan = Plan {
                idle,
                ..Plan::of(
                    session,
                    &changes,
                    care,
                    terms.versions,
                    self.store.packing(),
                )
            };
            let attempt = Attempt { changes, plan };
            let met = self.attempt(id, held, &attempt, terms).await?;
            let (made, after_others, untold) = match met {
                Met::Stored { made, after_others } => (made, after_others, false),
                Met::StoredBriefly => (None, false, true),
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
                made,
                disturbed: disturbed || after_others,
                unchanged: false,
                untold,
            }));
        }
    }

    /// Sends a commit once, and brings what is held up to what it met.
    async fn attempt(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        Attempt { changes, plan }: &Attempt,
        terms: &Terms,
    ) -> Result<Met, Unavailable> {
        let Some(session) = held.as_mut() else {
            return Ok(Met::Not(Step::Gone));
        };
        if self.store.commit_brief(id, session, plan, terms).await? {
            advance(session, changes, plan, 1);
            return Ok(Met::StoredBriefly);
        }
        match self.store.commit(id, session, plan, terms).await? {
            Answer::Done(_) => {
                advance(session, changes, plan, terms.versions);
                if plan.snapshot.is_some() {
                    whole_in_store(session);
                }
                Ok(Met::stored(terms.want))
            }
            Answer::After(listing) => {
                self.metrics.conflicts.inc();
                let seen = self.load(id, listing, held);
                if let Some(session) = held.as_mut() {
                    advance(session, changes, plan, terms.versions);
                }
                // What is put back is put back without a claim.
                let back = self.put_right(id, held, seen, terms.patience).await?;
                Ok(Met::Stored {
                    made: terms.want.filter(|_| !back),
                    after_others: true,
                })
            }
            Answer::Listing(listing) => {
                self.metrics.conflicts.inc();
                let seen = self.load(id, listing, held);
                let done = seen.tokens.contains(&plan.record.token);
                self.put_right(id, held, seen, terms.patience).await?;
                Ok(if done {
                    // The answer to this very commit had been lost on the way, and with it the claim.
                    Met::stored(None)
                } else {
                    Met::Refused
                })
            }
            Answer::Fenced => Ok(Met::Not(Step::Fenced)),
            Answer::Absent if self.put_back(id, held, terms.patience).await? => Ok(Met::PutBack),
            other => {
                *held = None;
                Ok(Met::Not(self.not_there(id, &other)))
            }
        }
    }

    /// Creates the session; `None` if there is one already, which is then held if it can be read.
    async fn create(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Option<Step>, Unavailable> {
        let mut session = Session::new(commit.created, commit.idle);
        let token = Token::random();
        session.change(&session.effective(&commit.changes), token);
        if Digest::of(&commit.session) == id {
            session.name = commit.session.clone();
        }
        let name = self.sealed(id, &session.name);
        match self.store.create(id, &session, &name, terms).await? {
            Answer::Done(_) => {
                self.metrics.commits.inc();
                whole_in_store(&mut session);
                let committed = self.committed(id, held.insert(session), commit, terms);
                Ok(Some(Done::written(committed, terms.want)))
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
        terms: &Terms,
    ) -> Result<Step, Unavailable> {
        let latest = latest(&commit.changes);
        let record = blind(&latest).encode(self.store.packing());
        let request = Blind {
            base: commit.base,
            record: &record,
            idle: commit.idle,
        };
        match self.store.commit_blind(id, &request, terms).await? {
            Answer::Done(version) if version == commit.base + 1 => {
                self.metrics.commits.inc();
                if self.mode == Mode::Async {
                    // A daemon before this one may have told a base that came out differently.
                    self.cache().doubt(id, version);
                }
                let lack = Lack::nothing();
                Ok(Done::written(Committed { version, lack }, None))
            }
            Answer::Done(version) => {
                self.metrics.commits.inc();
                self.metrics.conflicts.inc();
                match (self.refresh(id, held, None).await?, held) {
                    (Refreshed::Accessed { .. }, Some(session)) => Ok(Done::written(
                        self.committed(id, session, commit, terms),
                        None,
                    )),
                    // Renamed right after the commit, and the commit was taken along. Nobody opens the old name again.
                    (Refreshed::Accessed { .. } | Refreshed::Ended(Some(_)), _) => {
                        let lack = Lack::nothing();
                        Ok(Done::written(Committed { version, lack }, None))
                    }
                    // It ended right after the commit.
                    _ => Ok(Step::Gone),
                }
            }
            Answer::Fenced => Ok(Step::Fenced),
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

    fn committed(
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

fn advance(session: &mut Session, changes: &[Change], plan: &Plan, versions: u64) {
    session.version += versions - 1;
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

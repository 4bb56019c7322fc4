//! What a commit meets in the store.

use std::collections::BTreeSet;

use super::commit::{Done, Step};
use super::open::Refreshed;
use super::reached::ClaimsNow;
use super::rightful::whole_in_store;
use super::{Committed, Service};
use crate::cache::Others;
use crate::command::Commit;
use crate::key::Digest;
use crate::session::plan::{Plan, blind};
use crate::session::{Change, Lack, Session, Token};
use crate::store::answer::Answer;
use crate::store::{Blind, Terms, Unavailable};

/// A commit as it is sent.
pub(super) struct Attempt {
    pub(super) changes: Vec<Change>,
    pub(super) plan: Plan,
}

/// What it met in the store.
pub(super) enum Met {
    Stored {
        claims: ClaimsNow,
        after_others: bool,
        /// By who has claimed the session: the store does not know of the access.
        untold: bool,
    },
    /// It has to be made anew, of whole values.
    Refused,
    /// The session had been lost, and is there again.
    PutBack,
    Not(Step),
}

impl Met {
    fn stored(claims: ClaimsNow) -> Self {
        Self::Stored {
            claims,
            after_others: false,
            untold: false,
        }
    }

    fn stored_briefly(others: Others) -> Self {
        Self::Stored {
            claims: ClaimsNow::committed(None, false, others),
            after_others: false,
            untold: true,
        }
    }
}

impl Service {
    /// Sends a commit once, and brings what is held up to what it met.
    pub(super) async fn attempt(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        Attempt { changes, plan }: &Attempt,
        terms: &Terms,
    ) -> Result<Met, Unavailable> {
        let Some(session) = held.as_mut() else {
            return Ok(Met::Not(Step::Gone));
        };
        if let Some(others) = self.store.commit_brief(id, session, plan, terms).await? {
            advance(session, changes, plan, 1);
            return Ok(Met::stored_briefly(others));
        }
        match self.store.commit(id, session, plan, terms).await? {
            Answer::Done(done) => {
                advance(session, changes, plan, terms.versions);
                if plan.snapshot.is_some() {
                    whole_in_store(session);
                }
                let claims = ClaimsNow::committed(terms.want, !done.claimed, done.others);
                Ok(Met::stored(claims))
            }
            Answer::After(listing) => {
                self.metrics.conflicts.inc();
                let others = Others::told(&listing.going, &listing.going);
                let seen = self.load(id, listing, held);
                if let Some(session) = held.as_mut() {
                    advance(session, changes, plan, terms.versions);
                }
                // What is put back is put back without a claim.
                let back = Box::pin(self.put_right(id, held, seen, terms.patience)).await?;
                Ok(Met::Stored {
                    claims: ClaimsNow::committed(terms.want.filter(|_| !back), true, others),
                    after_others: true,
                    untold: false,
                })
            }
            Answer::Listing(listing) => {
                self.metrics.conflicts.inc();
                let done = listing.repeated;
                let seen = self.load(id, listing, held);
                Box::pin(self.put_right(id, held, seen, terms.patience)).await?;
                Ok(if done {
                    // The answer to this very commit had been lost on the way, and with it the claim.
                    Met::stored(ClaimsNow::unknown())
                } else {
                    Met::Refused
                })
            }
            Answer::Fenced => Ok(Met::Not(Step::Fenced)),
            Answer::Absent if Box::pin(self.put_back(id, held, terms)).await? => Ok(Met::PutBack),
            other => {
                *held = None;
                Ok(Met::Not(self.not_there(id, &other)))
            }
        }
    }

    /// Creates the session, by the name that was sent; `None` if there is one already, which is then held if it can be read.
    pub(super) async fn create(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Option<Step>, Unavailable> {
        let mut session = Session::new(commit.created, commit.idle);
        let token = Token::random();
        session.change(&session.effective(&commit.changes), token);
        session.name = commit.session.clone();
        let name = self.sealed(id, &session.name);
        let answer = self.store.create(id, &session, &name, terms).await?;
        if matches!(answer, Answer::Done(_)) {
            self.found_living(id).await;
        }
        match answer {
            Answer::Done(_) => {
                self.metrics.commits.inc();
                whole_in_store(&mut session);
                let committed = self.committed(id, held.insert(session), commit, terms);
                Ok(Some(Done::written(
                    committed,
                    ClaimsNow::created(terms.want),
                )))
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
    pub(super) async fn commit_blind(
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
        let mut answer = self.store.commit_blind(id, &request, terms).await?;
        // What a store has lost that was emptied others may hold.
        if matches!(answer, Answer::Absent) && Box::pin(self.put_back(id, held, terms)).await? {
            answer = self.store.commit_blind(id, &request, terms).await?;
        }
        if matches!(answer, Answer::Done(_)) {
            self.found_living(id).await;
        }
        match answer {
            Answer::Done(done) if done.version == commit.base + 1 => {
                let version = done.version;
                self.metrics.commits.inc();
                // A daemon before this one may have told a base that came out differently, or the store may have lost it since and given its number away.
                self.cache().doubt(id, version);
                let lack = Lack::nothing();
                let committed = Committed { version, lack };
                Ok(Done::written(committed, ClaimsNow::unknown()))
            }
            Answer::Done(done) => {
                let version = done.version;
                self.metrics.commits.inc();
                self.metrics.conflicts.inc();
                // The base may be lost, with the daemon that told it or by the store, and its number be given away again, to this very commit or to another.
                self.cache().doubt(id, commit.base);
                let looking = Terms::new(terms.patience);
                match (self.refresh(id, held, &looking).await?, held) {
                    (Refreshed::Accessed { .. }, Some(session)) => Ok(Done::written(
                        self.committed(id, session, commit, terms),
                        ClaimsNow::unknown(),
                    )),
                    // Renamed right after the commit, and the commit was taken along. Nobody opens the old name again.
                    (Refreshed::Accessed { .. } | Refreshed::Ended(Some(_)), _) => {
                        let lack = Lack::nothing();
                        let committed = Committed { version, lack };
                        Ok(Done::written(committed, ClaimsNow::unknown()))
                    }
                    // It ended right after the commit.
                    _ => Ok(Step::Gone),
                }
            }
            Answer::Fenced => Ok(Step::Fenced),
            other => Ok(self.not_there(id, &other)),
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

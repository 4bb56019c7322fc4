//! Puts right what a store lost of one session, when somebody asks for it.
//!
//! A session is put back only where neither an end nor its idle time can explain that it is away, and only after everybody had
//! the time to put back the tombstones of those that have ended.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::sleep;
use tracing::debug;

use super::Service;
use super::open::Seen;
use super::recovery::AGAIN;
use crate::key::Digest;
use crate::metrics::KindLabel;
use crate::moment::Moment;
use crate::session::Session;
use crate::session::plan::Plan;
use crate::session::rewind::{Lost, lost};
use crate::store::answer::Answer;
use crate::store::{Patience, Probed, Refill, Terms, Unavailable};

/// Others may be at the same session: then they have put it right.
const MAX_TRIES: usize = 4;

impl Service {
    /// Puts back a session that the store has lost, or takes for one that nobody used; whether it is there now: as held, or, where everybody puts back what
    /// the store has lost, as whoever held the newest put it back. Of one that others may hold, whether it is worth another look.
    pub(super) async fn put_back(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        terms: &Terms,
    ) -> Result<bool, Unavailable> {
        if self.was_in_use(id, terms).await? {
            return Ok(true);
        }
        if held.is_none() {
            // It may have been emptied just now, and we be the first to see it.
            self.notice_surely(id.shard(), false, terms.patience)
                .await?;
            return Ok(self.refilled_by_others(terms.patience).await?
                || self.was_used_elsewhere(id, terms.patience).await?);
        }
        let back = self.put_back_ours(id, held, terms.patience).await?;
        self.refilled_by_others(terms.patience).await?;
        Ok(back || self.was_used_elsewhere(id, terms.patience).await?)
    }

    /// Waits for those who may hold a session of a store that has lately been emptied; whether there was anything to wait for.
    pub(super) async fn refilled_by_others(&self, patience: Patience) -> Result<bool, Unavailable> {
        let refilled = self.recovery.refilled_by_others();
        self.store.in_time(patience, refilled).await
    }

    /// Waits for a session that began elsewhere while no store could take it, or was used there while no store was told; whether it is there now. Not all
    /// daemons reach a store that is back in the same instant: without this the user of such a session would be logged out by the first that does.
    async fn was_used_elsewhere(
        &self,
        id: Digest,
        patience: Patience,
    ) -> Result<bool, Unavailable> {
        let deadline = patience.deadline(self.patience);
        let patience = deadline.map_or(patience, Patience::Until);
        // In each turn anew: it may have no room again before others have told of what they know.
        let lacks = || self.lacks_accesses_until(id.shard()).is_some();
        if !lacks() {
            return Ok(false);
        }
        loop {
            let may_be_told = lacks();
            // Under a store that is only full none begins, and what was in use is still there.
            let began = self.recovery.lacks_what_began_until(self.store.back());
            match self.store.probe(id, 1, patience).await? {
                Probed::Absent if began.is_none() => return Ok(false),
                Probed::Absent | Probed::Over if !may_be_told => return Ok(false),
                Probed::Absent | Probed::Over => {}
                _ => return Ok(true),
            }
            self.store.in_time(patience, sleep(AGAIN)).await?;
        }
    }

    /// The same, without waiting for others.
    pub(super) async fn put_back_ours(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        patience: Patience,
    ) -> Result<bool, Unavailable> {
        let since = |held: &Session| self.lost_since(id, held);
        let Some(ago) = held.as_ref().and_then(since) else {
            return Ok(false);
        };
        debug!(session = id.hex(), ?ago, "session is away from the store");
        self.notice_surely(id.shard(), true, patience).await?;
        let settled = self.recovery.settled();
        self.store.in_time(patience, settled).await?;
        if self.ends.knows(id) {
            return Ok(false);
        }
        let Some(session) = held.as_mut() else {
            return Ok(false);
        };
        let name = self.sealed(id, &session.name);
        let refill = Refill {
            session,
            name: &name,
            ago,
            instead: None,
            moves: None,
        };
        match self.store.refill(id, &refill, patience).await? {
            Answer::Done(_) => {
                whole_in_store(session);
                self.count_refilled("session");
                Ok(true)
            }
            Answer::Listing(listing) => {
                let seen = self.load(id, listing, held);
                self.put_right(id, held, seen, patience).await?;
                Ok(held.is_some())
            }
            Answer::Ended { forward, .. } => {
                self.ends.hear(id, forward);
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Puts back what the store has forgotten of a session that went back in time. `held` is what the store has, `seen`
    /// what was held before. Whether anything was put back.
    pub(super) async fn put_right(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        seen: Seen,
        patience: Patience,
    ) -> Result<bool, Unavailable> {
        let Some(ours) = seen.replaced else {
            return Ok(false);
        };
        let kept = ours.clone();
        let right = self.put_right_by(id, held, ours, patience).await;
        if right.is_err() {
            // Perhaps nobody else holds what the store has lost: it is put back the next time.
            *held = Some(kept);
        }
        right
    }

    async fn put_right_by(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        ours: Session,
        patience: Patience,
    ) -> Result<bool, Unavailable> {
        let terms = Terms::new(patience);
        let mut put_back = false;
        for _ in 0..MAX_TRIES {
            let Some(store) = held.as_ref() else { break };
            let answer = match lost(&ours, store, self.recovery.is_as_put_back()) {
                Lost::Nothing => break,
                Lost::Rewound => {
                    match self.put_in_place_of(store, id, &ours, patience).await? {
                        Answer::Done(_) => {
                            // Everybody's versions are right again.
                            whole_in_store(held.insert(ours));
                            self.count_refilled("rewound");
                            return Ok(true);
                        }
                        other => other,
                    }
                }
                Lost::Forked(changes) => {
                    let plan = Plan::put_back(&changes, ours.token, self.store.packing());
                    let answer = self.store.commit(id, store, &plan, &terms).await?;
                    if let (Answer::Done(_), Some(store)) = (&answer, held.as_mut()) {
                        store.change(&changes, plan.record.token);
                        store.record_bytes += plan.encoded.len();
                        put_back = true;
                        break;
                    }
                    match answer {
                        // Ours went on top of others': what both did is read together.
                        Answer::After(_) => {
                            put_back = true;
                            self.store.open(id, None, &terms).await?
                        }
                        other => other,
                    }
                }
            };
            match answer {
                Answer::Listing(listing) => {
                    self.load(id, listing, held);
                }
                _ => *held = None,
            }
        }
        // Clients that hold a version of ours hold something else than the store.
        self.cache().doubt(id, ours.version);
        if put_back {
            self.count_refilled("forked");
        }
        Ok(put_back)
    }

    /// Puts `ours` in the place of what is in the store, if that is still what it was.
    async fn put_in_place_of(
        &self,
        store: &Session,
        id: Digest,
        ours: &Session,
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let name = self.sealed(id, &ours.name);
        let refill = Refill {
            session: ours,
            name: &name,
            ago: ours.confirmed.map_or(Duration::ZERO, Moment::elapsed),
            instead: Some((store.version, store.token)),
            moves: None,
        };
        self.store.refill(id, &refill, patience).await
    }

    /// The name that a session was asked for by, kept for the time that it has to be put back.
    pub(super) fn name(held: &mut Option<Session>, name: &[u8]) {
        if let Some(session) = held
            && session.name.is_empty()
        {
            session.name = Bytes::copy_from_slice(name);
        }
    }

    pub(super) fn count_refilled(&self, kind: &'static str) {
        let label = KindLabel { kind };
        self.metrics.refilled.get_or_create(&label).inc();
    }
}

/// What was written whole is a snapshot without records.
pub(super) fn whole_in_store(session: &mut Session) {
    session.snapshot_version = session.version;
    session.record_bytes = 0;
    session.confirm(session.token);
}

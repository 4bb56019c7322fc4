//! Puts back what a store has lost: the tombstones of what has ended, and, once all had the time to begin with theirs, what is held. Paced, and told once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{debug, warn};

use super::ends::End;
use super::recovery::{AGAIN, News};
use super::tally::Tally;
use super::{Failure, Service};
use crate::cache::Slot;
use crate::key::Digest;
use crate::session::Session;
use crate::store::answer::Answer;
use crate::store::{Patience, Probed, Terms, Unavailable};

/// How often the epoch's time-out is set anew.
const KEEP: Duration = Duration::from_hours(1);
/// A replica that took over lacks the last of what was written. Where so many of the last sessions in a row are as they
/// were, none before them is missing anything.
const ENOUGH: usize = 64;
/// Ends of before are in any replica.
const LATEST_ENDS: usize = 1024;

/// What came of a look at one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    AsItWas,
    PutBack,
    Left,
}

/// Whether a session's requests are waited for. Those that wait for what others put back would hold up all sessions behind theirs: they have put back
/// theirs by themselves, and come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    IfFree,
    Awaited,
}

/// How a look through all sessions came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Done,
    /// There were news in the middle of it.
    Overtaken,
}

impl Service {
    /// Looks after the store until the task is dropped.
    pub async fn watch_store(self: Arc<Self>) {
        let (mut connection, mut kept) = (None, Instant::now());
        loop {
            let now = self.store.connection_id();
            if now.is_some() {
                connection = now;
                if let Err(unavailable) = self.notice().await {
                    debug!(%unavailable, "epoch not seen");
                }
            }
            if now.is_some() && kept.elapsed() >= KEEP && self.store.keep_epochs().await.is_ok() {
                kept = Instant::now();
            }
            tokio::select! {
                () = self.store.connected_anew(connection) => {}
                () = sleep(self.recovery.look()) => {}
            }
        }
    }

    /// Puts back what is missing whenever there are news, until the task is dropped.
    pub async fn refill_store(self: Arc<Self>) {
        let mut tally = Tally::default();
        loop {
            let Some(news) = self.recovery.take_news() else {
                self.recovery.wake.notified().await;
                continue;
            };
            if news == News::Emptied {
                warn!(
                    mend = "none: sessions that a daemon holds are put back; give the store a disk or a replica",
                    "store has lost everything"
                );
            }
            match self.refill_all(news, &mut tally).await {
                Ok(Pass::Done) => std::mem::take(&mut tally).tell(news),
                // From the beginning, tombstones first, with what is new.
                Ok(Pass::Overtaken) => self.recovery.put_back(news),
                Err(failure) => {
                    debug!(%failure, "refilling goes on when the store is back");
                    self.recovery.put_back(news);
                    sleep(AGAIN).await;
                }
            }
        }
    }

    async fn refill_all(self: &Arc<Self>, news: News, tally: &mut Tally) -> Result<Pass, Failure> {
        if news == News::Reconnected {
            // A reaper, and whoever comes for one of them, waits for it.
            self.tell_all_accesses().await;
        }
        let mut ends = VecDeque::from(self.ends.all());
        if news == News::Reconnected {
            ends.truncate(LATEST_ENDS);
        }
        // Users wait for their sessions: however many ends there are, they do not keep those from them for longer.
        while !self.recovery.is_settled() && self.bury_next(news, &mut ends, tally).await? {}
        if self.recovery.overtaken_before_settled().await {
            return Ok(Pass::Overtaken);
        }
        self.look_through(news, &mut ends, tally).await
    }

    /// Puts back the next tombstone; whether there was one. A store that has not lost everything may have one that has expired since, and only that is
    /// known of it here: its listeners are still to be told.
    async fn bury_next(
        self: &Arc<Self>,
        news: News,
        ends: &mut VecDeque<(Digest, End)>,
        tally: &mut Tally,
    ) -> Result<bool, Failure> {
        let Some(&(id, end)) = ends.front() else {
            return Ok(false);
        };
        self.pace.turn(id).await;
        let told = end.by_hand || news == News::Emptied;
        let buried = self.store.bury(id, end.token, end.forward, told);
        if buried.await? == 1 {
            // Who has claimed it goes by that, and does not ask.
            self.announce_end(id, end.forward);
            self.count_refilled("tombstone");
            tally.tombstones += 1;
        }
        ends.pop_front();
        Ok(true)
    }

    /// Session by session, with a tombstone for each while there are any left.
    async fn look_through(
        self: &Arc<Self>,
        news: News,
        ends: &mut VecDeque<(Digest, End)>,
        tally: &mut Tally,
    ) -> Result<Pass, Failure> {
        let latest = self.cache().latest().into_iter();
        let mut queue: VecDeque<_> = latest.map(|id| (id, Turn::IfFree)).collect();
        // Among the last sessions of all servers those of the one that lags may be few.
        let enough = ENOUGH * self.store.shards().len();
        let mut intact = 0;
        while let Some((id, turn)) = queue.pop_front() {
            // All that are left before those that may wait for long.
            while self.bury_next(news, ends, tally).await? && turn == Turn::Awaited {}
            self.pace.turn(id).await;
            let found = match self.refill_one(id, turn).await {
                // Somebody has it, so it is there. Those behind it must not wait for ever.
                Err(Failure::Held(_)) => Some(Found::Left),
                found => found?,
            };
            let Some(found) = found else {
                queue.push_back((id, Turn::Awaited));
                continue;
            };
            tally.looked_at += 1;
            match found {
                Found::PutBack => {
                    tally.sessions += 1;
                    intact = 0;
                }
                Found::AsItWas => intact += 1,
                Found::Left => {}
            }
            if self.recovery.has_news() {
                return Ok(Pass::Overtaken);
            }
            if news == News::Reconnected && intact >= enough {
                queue.retain(|(_, turn)| *turn == Turn::Awaited);
            }
        }
        while self.bury_next(news, ends, tally).await? {
            if self.recovery.has_news() {
                return Ok(Pass::Overtaken);
            }
        }
        Ok(Pass::Done)
    }

    /// `None`: somebody is at it.
    async fn refill_one(&self, id: Digest, turn: Turn) -> Result<Option<Found>, Failure> {
        let Some(slot) = self.cache().peek(id) else {
            return Ok(Some(Found::Left));
        };
        let found = {
            let ours = match turn {
                Turn::IfFree => self
                    .try_turn(id, &slot)
                    .filter(|_| slot.state().flushing.is_none()),
                Turn::Awaited => Some(self.turn(id, &slot).await),
            };
            match ours {
                None => Ok(None),
                Some(_turn) => self.refill_slot(id, &slot).await.map(Some),
            }
        };
        self.settle(id, slot);
        found
    }

    /// By who has a turn.
    async fn refill_slot(&self, id: Digest, slot: &Slot) -> Result<Found, Failure> {
        self.wait_until_flushed(slot).await?;
        let mut held = slot.state().held.take();
        let found = if self.ends.knows(id) {
            // Its tombstone may be still to come.
            Ok(Found::Left)
        } else {
            // Its requests wait for this meanwhile: while the store is away they do without it.
            let patience = self.patience_of_request().until_away();
            self.refill_held(id, &mut held, patience).await
        };
        let mut state = slot.state();
        state.held = held;
        if !matches!(found, Ok(Found::AsItWas)) {
            // What is put back is put back without a claim.
            state.set_claim(None);
        }
        Ok(found?)
    }

    /// Of a store that has lost everything nobody knows what is the newest before all daemons have put back what they hold: one that was put back by
    /// another daemon may be older than ours, and ours older than a third one's. Puts ours back, and waits for theirs.
    pub(super) async fn await_refill(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        patience: Patience,
    ) -> Result<(), Unavailable> {
        if !self.recovery.is_being_refilled() {
            return Ok(());
        }
        // Rarely: it need not take room in each request that waits.
        Box::pin(self.refill_first(id, held, patience)).await
    }

    async fn refill_first(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        patience: Patience,
    ) -> Result<(), Unavailable> {
        let settled = self.recovery.settled();
        self.store.in_time(patience, settled).await?;
        while let Err(unavailable) = self.refill_held(id, held, patience).await {
            if patience != Patience::Endless {
                return Err(unavailable);
            }
            sleep(AGAIN).await;
        }
        self.refilled_by_others(patience).await?;
        Ok(())
    }

    async fn refill_held(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        patience: Patience,
    ) -> Result<Found, Unavailable> {
        let Some(session) = held.as_ref() else {
            return Ok(Found::Left);
        };
        match self.store.probe(id, session.version, patience).await? {
            Probed::Absent if self.lost_since(id, session).is_none() => *held = None,
            Probed::Absent => {
                return Ok(if self.put_back_ours(id, held, patience).await? {
                    Found::PutBack
                } else {
                    *held = None;
                    Found::Left
                });
            }
            Probed::Over if self.was_in_use(id, &Terms::new(patience)).await? => {
                return Ok(Found::AsItWas);
            }
            Probed::Over | Probed::Moved => *held = None,
            Probed::Ended(forward) => {
                self.ends.hear(id, forward);
                *held = None;
            }
            Probed::At {
                version,
                token,
                ours,
            } => {
                if (version, token) == (session.version, session.token) {
                    return Ok(Found::AsItWas);
                }
                if version > session.version && ours.is_none_or(|ours| ours == session.token) {
                    // Somebody went on from ours, or it is so long ago that nobody can tell.
                    return Ok(Found::Left);
                }
                return self.refill_rewound(id, held, patience).await;
            }
        }
        Ok(Found::Left)
    }

    /// The store has something else under our version, or something older.
    async fn refill_rewound(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        patience: Patience,
    ) -> Result<Found, Unavailable> {
        // An access, for a session that may be idle: it happens only after a fail-over.
        let answer = self
            .store
            .open(id, held.as_ref(), &Terms::new(patience))
            .await?;
        let Answer::Listing(listing) = answer else {
            *held = None;
            return Ok(Found::Left);
        };
        let seen = self.load(id, listing, held);
        let back = self.put_right(id, held, seen, patience).await?;
        Ok(if back { Found::PutBack } else { Found::Left })
    }
}

//! One session's place in the cache: what is known of it, and the gate that its requests pass one after another.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use crate::claims::id::Claim;
use crate::claims::page::Place;
use crate::claims::standing::Standing;
use crate::command::Commit;
use crate::session::Session;

/// A commit that is held but not in the store yet.
#[derive(Debug, Clone)]
pub struct Pending {
    /// What was asked for.
    pub commit: Arc<Commit>,
    /// The version that the client was told.
    pub provisional: u64,
    /// What it takes of the queue.
    pub bytes: usize,
}

/// What is known of the shared claims of other daemons.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Others {
    /// There may be some: a commit has to tell them.
    pub any: bool,
    /// The one that there is, if it is known, and there is no more.
    pub one: Option<Claim>,
    /// One that is over, and that the store may still remember.
    pub void: Option<Claim>,
}

impl Others {
    /// After a commit of which all holders were told, and with which these of their claims were over: the others were kept.
    pub fn told(all: &[Claim], over: &[Claim]) -> Self {
        let kept = over.len() < all.len();
        Self {
            any: kept,
            one: match all {
                [one] if kept => Some(*one),
                _ => None,
            },
            void: over.first().copied(),
        }
    }
}

/// What is known of one session.
#[derive(Debug, Default)]
pub struct State {
    /// As the store had it when we last asked. It is taken out while somebody works on it.
    pub held: Option<Session>,
    /// `Async`: what is on the way to the store, in order.
    pub pending: VecDeque<Pending>,
    /// `Async`: `held` with everything pending applied, if `held` was known.
    pub view: Option<Session>,
    /// A task takes `pending` to the store, and since when what it has taken up last is on its way.
    pub flushing: Option<Instant>,
    /// How many of `pending`, from the front, it has taken up.
    pub on_the_way: usize,
    /// Private: a claim that goes takes its place on the page along.
    claim: Option<Claim>,
    /// Where the page of claims speaks of it: only while there is a claim, and of that one alone.
    place: Option<Place>,
    /// The connection that got its ticket last.
    pub reader: Option<i64>,
    /// The shared claim that the store is being asked for.
    asking: Option<Claim>,
    /// The claims of other daemons.
    pub others: Others,
    /// Somebody has opened it here since the last commit.
    pub opened: bool,
    /// How near the next claim is.
    pub standing: Standing,
    /// A request has it for itself, by a claim that must not be replaced.
    pub locked: bool,
    /// The last access.
    pub accessed: Option<Instant>,
    /// The last access that the store knows of.
    pub written: Option<Instant>,
    /// The second, by the store's clock, of the last access that came along with a brief commit.
    told_in: Option<u64>,
}

impl State {
    /// The claim that was made last; it counts while it is trusted. Only who has the gate makes one.
    pub fn claim(&self) -> Option<Claim> {
        self.claim
    }

    /// Another claim, or none. What the page said was said of the claim before: its place is given back in this moment, before
    /// anybody else can be let have the session.
    pub fn set_claim(&mut self, claim: Option<Claim>) {
        if self.claim != claim {
            self.place = None;
        }
        self.claim = claim;
    }

    /// What is held after the store was asked. If that failed it may be that the store did what it was asked for all the same: then
    /// what is held is not the newest any more, whatever claim there is.
    pub fn hold(&mut self, held: Option<Session>, failed: bool) {
        self.held = held;
        if failed {
            self.set_claim(None);
        }
    }

    /// The store is about to be asked for this claim.
    pub fn ask(&mut self, want: Option<Claim>) {
        self.asking = want;
    }

    /// The store has made the claim that it was asked for; none if it has been taken away since.
    pub fn made(&mut self, made: Option<Claim>) -> Option<Claim> {
        let asked = self.asking.take();
        made.filter(|claim| !claim.is_shared() || asked == Some(*claim))
    }

    /// A shared claim is over. Whichever of the last ones it was, and whether it is known here by now or not: of one that was asked
    /// for in vain nobody here knows whether the store has made it, in place of the one before.
    pub fn taken(&mut self) {
        if self.claim.is_some_and(|claim| claim.is_shared()) {
            self.set_claim(None);
        }
        self.asking = None;
    }

    /// A client has committed; one that had not asked before knew that what it held was the newest.
    pub fn committed(&mut self) {
        if !std::mem::take(&mut self.opened) && self.claim.is_some() {
            self.standing.used();
            self.standing.undisturbed();
        }
    }

    /// An access (ms by the store's clock) as a brief commit has to tell it: none where the store was told of one in the same second.
    pub fn access_to_tell(&self, access: u64) -> Option<u64> {
        (self.told_in != Some(access / 1000)).then_some(access)
    }

    /// The store was told of an access by a brief commit.
    pub fn access_told(&mut self, access: u64) {
        self.told_in = Some(access / 1000);
    }

    /// The ticket of the session's place on the page, if it has one.
    pub fn ticket(&self) -> Option<u64> {
        self.place.as_ref().map(Place::ticket)
    }

    /// Gives it a place on the page. Without a claim it has none.
    pub fn settle_at(&mut self, place: Option<Place>) {
        self.place = place.filter(|_| self.claim.is_some());
    }

    /// Makes the page say nothing of the session until it is shown again.
    pub fn hide(&self) {
        if let Some(place) = &self.place {
            place.hide();
        }
    }

    /// A request has it for itself from now on: no other is to go on without a word to the daemon.
    pub fn keep_for_one(&mut self) {
        self.locked = true;
        self.hide();
    }

    /// Makes the page say that this version is the newest.
    pub fn show(&self, version: u64) {
        if let Some(place) = &self.place {
            place.show(version);
        }
    }
}

/// One session's place. Requests of one session take turns at the gate.
#[derive(Debug, Default)]
pub struct Slot {
    /// Held for a whole request; fair, so that requests run in the order of their arrival. Private: who passes it hides the
    /// session.
    gate: tokio::sync::Mutex<()>,
    /// Held by a request that wants the session for itself, and to let go of the claim; taken before the gate, and fair too.
    pub lock: Arc<tokio::sync::Mutex<()>>,
    /// Told when nothing is pending any more.
    pub flushed: Notify,
    state: Mutex<State>,
}

impl Slot {
    /// Passes the gate. From now on the page says nothing of the session: whatever is done to it, nobody reads of it too early or
    /// too late.
    pub async fn enter(&self) -> tokio::sync::MutexGuard<'_, ()> {
        let gate = self.gate.lock().await;
        self.state().hide();
        gate
    }

    /// The same if nobody else has passed it.
    pub fn try_enter(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        let gate = self.gate.try_lock().ok()?;
        self.state().hide();
        Some(gate)
    }

    /// The state, for a moment: never across an await.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

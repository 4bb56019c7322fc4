//! What claims mean for requests: what needs no store, and when to ask for one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use tokio::time::timeout;

use super::{Ask, Opened, Service};
use crate::cache::{Slot, State};
use crate::claims::Kind;
use crate::claims::accesses::{interval, may_wait};
use crate::claims::id::Claim;
use crate::claims::standing::Standing;
use crate::claims::trust::BEAT;
use crate::command::Commit;
use crate::config::Mode;
use crate::key::Digest;
use crate::session::Session;
use crate::store::Brief;

/// So many beats are left out where the store forbids them: it may allow them by now, and says nothing of that.
const SILENT: u32 = 10;

/// Releases and touches that are on their way at once: others must not wait for them.
pub(super) const AT_ONCE: usize = 64;

impl Service {
    /// The claim that a session has earned, with an open that is about to be made where `opens`. In `Async` a sole one: with the first open already, for
    /// the next commit need not wait then; and where it was called back, and has to be earned anew, a shared one as in `Sync`.
    fn earned(&self, standing: Standing, opens: bool) -> Option<Kind> {
        let alone = match self.mode {
            Mode::Sync => false,
            Mode::Async if opens => standing.earns_now(),
            Mode::Async => standing.has_earned(),
        };
        if alone {
            return Some(Kind::Sole);
        }
        standing.is_lucky().then_some(Kind::Shared)
    }

    /// The claim that counts at this moment.
    pub(super) fn trusted_claim(&self, state: &State) -> Option<Claim> {
        state
            .claim()
            .filter(|claim| self.store.claims().trusts(*claim))
    }

    /// Whether a claim counts at this moment.
    pub(super) fn is_claimed(&self, state: &State) -> bool {
        self.trusted_claim(state).is_some()
    }

    /// Whether nobody else can open the session at this moment: the store need not have what its clients were told.
    pub(super) fn is_claimed_alone(&self, state: &State) -> bool {
        self.trusted_claim(state).map(Claim::kind) == Some(Kind::Sole)
    }

    /// A claim for an open to ask for. One that has a claim and asks the store all the same asks for it anew: the session may have
    /// expired meanwhile, and be another.
    pub(super) fn claim_for_open(&self, slot: &Slot) -> Option<Claim> {
        let state = slot.state();
        if state.locked {
            return None;
        }
        let earned = self.earned(state.standing, true);
        let has = || self.trusted_claim(&state).map(Claim::kind);
        self.store.claims().next(earned.or_else(has)?)
    }

    /// A claim for a commit to ask for.
    pub(super) fn claim_for_commit(&self, slot: &Slot, commit: &Commit) -> Option<Claim> {
        let state = slot.state();
        let creates = commit.base == 0 && state.held.is_none();
        let kind = self.earned(state.standing, creates)?;
        let has = match kind {
            Kind::Shared => self.is_claimed(&state),
            Kind::Sole => self.is_claimed_alone(&state),
        };
        if state.locked || has {
            return None;
        }
        self.store.claims().next(kind)
    }

    /// Until when the store may go without knowing of an access now to a claimed session; `None` if it has to be asked, or told at
    /// once: its word may differ from ours.
    pub(super) fn untold_until(
        &self,
        state: &State,
        session: &Session,
        now: Instant,
    ) -> Option<Instant> {
        let written = state.written?;
        let may = self.is_claimed(state) && may_wait(session.idle, now - written);
        may.then(|| written + interval(session.idle))
    }

    /// The claims by which a session that is held is known to be there and the newest, as for an open that asks nobody; for a commit that is no access where
    /// `passive`.
    pub(super) fn claims_that_say_enough(&self, slot: &Slot, passive: bool) -> Option<Brief> {
        let state = slot.state();
        let other = state.others.one;
        if state.others.any && other.is_none() {
            // All of them have to be told, whoever they are.
            return None;
        }
        let now = Instant::now();
        self.untold_until(&state, state.held.as_ref()?, now)?;
        let own = state.claim()?;
        let access = self.store.claims().store_time(now)?;
        Some(Brief {
            own,
            other,
            access: state.access_to_tell(access).filter(|_| !passive),
        })
    }

    /// The answer to an open of a session that is claimed: no one else has changed it. By who has the gate.
    pub(super) fn open_claimed(&self, id: Digest, slot: &Slot, ask: Ask) -> Option<Opened> {
        let now = Instant::now();
        let (due, accessed) = {
            let state = slot.state();
            let session = state.view.as_ref().or(state.held.as_ref())?;
            let due = self.untold_until(&state, session, now)?;
            (due, self.store.claims().store_time(state.accessed?)?)
        };
        // Only by who answers: the doubt is gone with it.
        let doubted = self.cache().take_doubt(id, ask.held);
        let mut state = slot.state();
        if !ask.passive {
            state.accessed = Some(now);
            self.accesses().note(id, now, due);
        }
        state.standing.used();
        let session = state.view.as_ref().or(state.held.as_ref())?;
        Some(Opened {
            version: session.version,
            created: session.created,
            accessed,
            idle: session.idle,
            lack: session.lack_unless(doubted, ask.held, &BTreeSet::new()),
            ticket: None,
        })
    }

    /// Notes an access of a claimed session; `false` if the store has to be told at once.
    pub(super) fn touch_claimed(&self, id: Digest) -> bool {
        let Some(slot) = self.cache().peek(id) else {
            return false;
        };
        let now = Instant::now();
        let mut state = slot.state();
        let Some(session) = state.view.as_ref().or(state.held.as_ref()) else {
            return false;
        };
        let Some(due) = self.untold_until(&state, session, now) else {
            return false;
        };
        state.accessed = Some(now);
        state.standing.used();
        self.accesses().note(id, now, due);
        true
    }

    /// Beats, and tells the store of accesses, until the task is dropped.
    pub async fn live(self: Arc<Self>) {
        let claims = self.store.claims();
        let (mut told_to, mut silent) = (true, 0);
        loop {
            if told_to || !claims.is_forbidden() || silent >= SILENT {
                silent = 0;
                let beat = claims.beat();
                if let Some(over) = beat.over {
                    self.cache().forget_claims(over);
                    self.show_cache();
                }
                let service = Arc::clone(&self);
                tokio::spawn(async move {
                    service.end_life(beat.over).await;
                    service.store.beat(beat).await;
                });
            } else {
                silent += 1;
            }
            self.tell_accesses();
            if claims.is_draining() {
                // What was claimed by a request that was under way, or for one that had a session for itself.
                tokio::spawn(Arc::clone(&self).let_all_go());
            }
            told_to = timeout(BEAT, self.store.heard()).await.is_ok();
        }
    }

    /// Ends a life that is over. In `Async` it ends by itself, within seconds: commits may be on their way to the store that were answered before, or while its
    /// server seemed to be away, and whoever asks for their sessions meanwhile has to ask for those, not to take the claims for void.
    async fn end_life(&self, over: Option<u16>) {
        if let Some(over) = over
            && self.mode == Mode::Sync
        {
            self.store.end_life(over).await;
        }
    }
}

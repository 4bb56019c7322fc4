//! What the store's answer means for the claims on a session, and for the next one.

use std::time::Instant;

use super::Service;
use crate::cache::{Others, Slot};
use crate::claims::id::Claim;
use crate::key::Digest;

impl Service {
    /// The store has a commit, and does not know of the access, if it was one; by who has the gate.
    pub(super) fn reached_briefly(
        &self,
        id: Digest,
        slot: &Slot,
        access: Option<Instant>,
        others: Others,
    ) {
        let (access, due) = {
            let mut state = slot.state();
            state.committed();
            // What the store still remembers of others before is as it was.
            state.others.void = others.void.or(state.others.void);
            (state.others.any, state.others.one) = (others.any, others.one);
            let Some(access) = access else {
                return;
            };
            state.accessed = Some(access);
            let held = state.held.as_ref();
            let due = held.and_then(|held| self.untold_until(&state, held, access));
            (access, due.unwrap_or(access))
        };
        self.accesses().note(id, access, due);
    }

    /// The store was asked by who has the gate: it knows of an access, and has perhaps made a claim.
    pub(super) fn reached(&self, id: Digest, slot: &Slot, known: Known, now: Reached) {
        let mut state = slot.state();
        match known {
            Known::Told(at) => (state.accessed, state.written) = (Some(at), Some(at)),
            // One that it has not been told of may have been later.
            Known::From(at) => (state.accessed, state.written) = (state.accessed.max(at), at),
            Known::NotOf(at) => state.accessed = Some(at),
            Known::AsBefore => {}
        }
        match now {
            Reached::Opened { found, claims } => {
                let made = state.made(claims.made);
                state.set_claim(made);
                state.others = claims.others;
                state.opened = true;
                match found {
                    Found::Unknown => state.standing.seen(),
                    Found::Same => state.standing.undisturbed(),
                    Found::Changed => state.standing.disturbed(),
                }
            }
            Reached::Created { made } => {
                let made = state.made(made);
                state.set_claim(made);
                state.others = Others::default();
                state.standing.undisturbed();
            }
            Reached::Committed { claims, disturbed } => {
                state.committed();
                let made = state.made(claims.made);
                if disturbed || claims.lost {
                    // Somebody else could commit, or have it for himself: whatever we thought, it was not ours.
                    state.set_claim(None);
                }
                if disturbed {
                    state.standing.disturbed();
                }
                state.others = claims.others;
                let claim = made.or(state.claim());
                state.set_claim(claim);
            }
        }
        drop(state);
        if matches!(known, Known::Told(_)) {
            self.accesses().take(id);
        }
    }
}

/// The last access that the store knows of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known {
    /// This one, of which it was told along with what it was asked.
    Told(Instant),
    /// One that it was told of before, perhaps by others; `None`: our clocks cannot be compared now.
    From(Option<Instant>),
    /// It knew of one before, and has no room for this one.
    NotOf(Instant),
    /// The one that it knew of before.
    AsBefore,
}

/// What the store was asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reached {
    Opened {
        found: Found,
        claims: ClaimsNow,
    },
    Created {
        made: Option<Claim>,
    },
    Committed {
        claims: ClaimsNow,
        /// Somebody else had changed it.
        disturbed: bool,
    },
}

/// What an open found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing was held here to compare it with.
    Unknown,
    /// What is held here.
    Same,
    /// What somebody else has made of it.
    Changed,
}

/// The claims on a session once the store has answered.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClaimsNow {
    /// The one that was made.
    pub(super) made: Option<Claim>,
    /// One that there was before is not there any more.
    pub(super) lost: bool,
    /// Those of other daemons.
    pub(super) others: Others,
    /// There was no session before: nobody else can have claimed it.
    pub(super) created: bool,
}

impl ClaimsNow {
    /// Of a session that was created.
    pub(super) fn created(made: Option<Claim>) -> Self {
        Self {
            made,
            created: true,
            ..Self::default()
        }
    }

    /// After a commit, of which all others were told.
    pub(super) fn committed(made: Option<Claim>, lost: bool, others: Others) -> Self {
        Self {
            made,
            lost,
            others,
            created: false,
        }
    }

    /// What cannot be told: as if there were none of our own, and others.
    pub(super) fn unknown() -> Self {
        Self {
            made: None,
            lost: true,
            others: Others {
                any: true,
                ..Others::default()
            },
            created: false,
        }
    }
}

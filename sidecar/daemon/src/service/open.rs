//! Opens: what a client lacks, and how what we hold is brought up to what the store holds.

use std::collections::BTreeSet;
use std::time::Instant;

use tracing::{debug, error};

use super::reached::{ClaimsNow, Found, Known, Reached};
use super::{Failure, Service, patch};
use crate::cache::{Others, Slot};
use crate::claims::Kind;
use crate::claims::accesses::Use;
use crate::config::Outage;
use crate::key::Digest;
use crate::session::rewind::{Lost, lost};
use crate::session::{Lack, Session, Token};
use crate::store::answer::{Answer, Listing, Loaded};
use crate::store::{Patience, Terms, Unavailable};

/// What an open asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The version that the client holds, 0 for none.
    pub held: u64,
    /// It is no access: the idle time goes on.
    pub passive: bool,
    /// How long it may wait, whatever for.
    pub patience: Patience,
}

/// The answer to `SJ.OPEN`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The session's version.
    pub version: u64,
    /// When it was created.
    pub created: u64,
    /// The access before this one.
    pub accessed: u64,
    /// Seconds until it ends unused.
    pub idle: i64,
    /// What the client lacks.
    pub lack: Lack,
    /// The session's ticket on the page of claims, if it was asked for; 0 if it has none.
    pub ticket: Option<u64>,
}

impl Service {
    /// `SJ.OPEN`; `patch`: the client can apply deltas; `reader`: the connection of who looks at the page of claims.
    pub async fn open(
        &self,
        session: &[u8],
        ask: Ask,
        patch: bool,
        reader: Option<i64>,
    ) -> Result<Option<Opened>, Failure> {
        let access = (!ask.passive).then(Instant::now);
        let id = Digest::of(session);
        let slot = self.cache().slot(id);
        let opened = {
            let _turn = self.turn(id, &slot).await;
            let opened = self.open_slot(id, &slot, ask, Claiming::IfEarned).await;
            opened.map(|opened| {
                opened.map(|mut opened| {
                    if patch {
                        opened = patch::shorten(&slot, ask.held, opened);
                    }
                    opened.ticket = reader.map(|reader| self.ticket(id, &slot, reader));
                    opened
                })
            })
        };
        self.note_unheard(id, access, &opened);
        Self::name(&mut slot.state().held, session);
        self.settle(id, slot);
        opened.map_err(|failure| self.undecided(ask.held, failure))
    }

    /// What becomes of an open whose session cannot be asked for. A client that holds nothing would take it for one that is over, and its user would be
    /// logged out though all is still there; where nobody ever reached the store there is nothing to lose.
    pub(super) fn undecided(&self, held: u64, failure: Failure) -> Failure {
        let lacking = held == 0 || self.outage == Outage::Refuse;
        match failure {
            // What the store does not allow it may have allowed before, and allow again.
            Failure::Held(text) | Failure::NoClaims(text) if lacking => Failure::Busy(text),
            Failure::Unavailable(text)
                if lacking && (self.in_use || self.recovery.has_seen_it()) =>
            {
                Failure::Busy(text)
            }
            other => other,
        }
    }

    /// An open by who has the gate.
    pub(super) async fn open_slot(
        &self,
        id: Digest,
        slot: &Slot,
        ask: Ask,
        claiming: Claiming,
    ) -> Result<Option<Opened>, Failure> {
        if self.answers_by_claim(slot, claiming)
            && let Some(opened) = self.open_claimed(id, slot, ask)
        {
            return Ok(Some(opened));
        }
        self.wait_until_flushed(slot).await?;
        let terms = self.terms_to_open(slot, ask, claiming);
        let mut ours = slot.state().held.take();
        let before = ours.as_ref().map(|ours| (ours.version, ours.token));
        let sent = Instant::now();
        let refreshed = self.refresh_refilled(id, &mut ours, &terms).await;
        if before.is_none() && ours.is_some() {
            // A daemon before this one may have told a version that came out differently, or the store may have lost it since and given the number
            // away again: whoever holds it without us holds nothing that we could tell apart. There is room for so many doubts only: none of what cannot
            // be asked for now, which is in doubt then as well.
            self.cache().doubt(id, ask.held);
        }
        let after = ours.as_ref().map(|ours| (ours.version, ours.token));
        let opened = refreshed.map(|refreshed| match (&ours, refreshed) {
            (
                Some(session),
                Refreshed::Accessed {
                    accessed,
                    written,
                    claims,
                },
            ) => Some((self.opened(id, session, accessed, ask), written, claims)),
            _ => None,
        });
        slot.state().hold(ours, opened.is_err());
        let Some((opened, written, claims)) = opened? else {
            slot.state().set_claim(None);
            // Nobody comes for it again, and there is room for so many only.
            self.cache().take_doubt(id, ask.held);
            return Ok(None);
        };
        let found = match before {
            None => Found::Unknown,
            before if before == after => Found::Same,
            Some(_) => Found::Changed,
        };
        let known = if written || ask.passive {
            self.known_after(ask, opened.accessed, sent)
        } else {
            self.tell_accesses_later(id, Use::at(sent));
            Known::NotOf(sent)
        };
        self.reached(id, slot, known, Reached::Opened { found, claims });
        Ok(Some(opened))
    }

    fn opened(&self, id: Digest, session: &Session, accessed: u64, ask: Ask) -> Opened {
        Opened {
            version: session.version,
            created: session.created,
            accessed,
            idle: session.idle,
            lack: self.lack(id, session, ask.held, &BTreeSet::new()),
            ticket: None,
        }
    }

    fn terms_to_open(&self, slot: &Slot, ask: Ask, claiming: Claiming) -> Terms {
        let want = match claiming {
            Claiming::IfEarned => self.claim_for_open(slot),
            Claiming::Always => self.store.claims().next_even_draining(Kind::Sole),
        };
        let mut state = slot.state();
        state.ask(want);
        Terms {
            want,
            void: state.others.void,
            ..Terms::new(ask.patience).counting(!ask.passive)
        }
    }

    /// Others may have a shared claim just as well: who wants the session for himself asks for one that ends theirs.
    fn answers_by_claim(&self, slot: &Slot, claiming: Claiming) -> bool {
        match claiming {
            Claiming::IfEarned => true,
            Claiming::Always => self.is_claimed_alone(&slot.state()),
        }
    }

    /// The last access that the store knows of: the open of `sent`, or the one that it told of.
    fn known_after(&self, ask: Ask, accessed: u64, sent: Instant) -> Known {
        if ask.passive {
            Known::From(self.store.claims().instant_of(accessed, sent))
        } else {
            Known::Told(sent)
        }
    }

    /// As [`refresh`](Self::refresh), once what the store has lost is there again.
    async fn refresh_refilled(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        terms: &Terms,
    ) -> Result<Refreshed, Unavailable> {
        self.await_refill(id, held, terms.patience).await?;
        self.refresh(id, held, terms).await
    }

    /// Brings what we hold up to what the store holds; one round trip, more where the store has lost something.
    pub(super) async fn refresh(
        &self,
        id: Digest,
        held: &mut Option<Session>,
        terms: &Terms,
    ) -> Result<Refreshed, Unavailable> {
        let connection = self.store.connection_id();
        let mut answer = self.store.open(id, held.as_ref(), terms).await?;
        if matches!(answer, Answer::Absent) && Box::pin(self.put_back(id, held, terms)).await? {
            answer = self.store.open(id, held.as_ref(), terms).await?;
        }
        if matches!(answer, Answer::Listing(_)) {
            self.found_living(id).await;
        }
        match answer {
            Answer::Listing(listing) => {
                let (accessed, written) = (listing.accessed, listing.written);
                let others = Others {
                    any: listing.shared,
                    one: None,
                    void: listing.going.first().copied(),
                };
                let seen = self.load(id, listing, held);
                // What is put back is put back without a claim.
                let right = !Box::pin(self.put_right(id, held, seen, terms.patience)).await?;
                let claims = ClaimsNow {
                    made: terms.want.filter(|_| written && right),
                    lost: true,
                    others,
                    created: false,
                };
                Ok(Refreshed::Accessed {
                    accessed,
                    written,
                    claims,
                })
            }
            Answer::Ended { forward, .. } => {
                self.ends.meet(id, forward, connection);
                *held = None;
                Ok(Refreshed::Ended(forward))
            }
            _ => {
                *held = None;
                Ok(Refreshed::Absent)
            }
        }
    }

    /// The store has a session: what is known to have ended under its name was another one, if its tombstone may have gone by itself.
    pub(super) async fn found_living(&self, id: Digest) {
        if let Some(connection) = self.ends.met_on(id)
            // Rarely: it need not take room in each request.
            && Box::pin(self.has_lost_nothing(id.shard(), Some(connection))).await
        {
            self.ends.is_another(id, connection);
        }
    }

    /// Brings `held` up to a listing; nothing is held of what cannot be read.
    pub(super) fn load(&self, id: Digest, listing: Listing, held: &mut Option<Session>) -> Seen {
        let Some(loaded) = listing.load(held.take()) else {
            // Nothing is deleted: another version of this daemon may be able to read it.
            error!(session = id.hex(), "session unreadable");
            self.metrics.unreadable.inc();
            return Seen::default();
        };
        let Loaded {
            session,
            replaced,
            unreadable,
            mut tokens,
        } = loaded;
        if unreadable > 0 {
            error!(
                session = id.hex(),
                records = unreadable,
                "records unreadable and skipped"
            );
            self.metrics.unreadable.inc_by(unreadable as u64);
        }
        let replaced = replaced.filter(|ours| self.may_be_put_right(id, ours, &session));
        tokens.push(session.token);
        *held = Some(session);
        Seen { tokens, replaced }
    }

    /// Whether the store lost something of what we held; otherwise what it has is the truth for whoever holds ours.
    fn may_be_put_right(&self, id: Digest, ours: &Session, store: &Session) -> bool {
        let may = lost(ours, store, self.recovery.is_as_put_back()) != Lost::Nothing;
        if !may {
            debug!(
                session = id.hex(),
                before = ours.version,
                now = store.version,
                "session replaced by the store's"
            );
            self.cache().doubt(id, ours.version);
        }
        may
    }
}

/// Whether an open asks for a claim.
#[derive(Debug, Clone, Copy)]
pub(super) enum Claiming {
    IfEarned,
    /// For a sole one, if there is none yet.
    Always,
}

/// What was found in a listing.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The tokens on the way.
    pub(super) tokens: Vec<Token>,
    /// What was held before, if the store has lost something of it.
    pub(super) replaced: Option<Session>,
}

/// What the store said to an open.
pub(super) enum Refreshed {
    /// It is there (though perhaps not readable).
    Accessed {
        /// The access before this one.
        accessed: u64,
        /// The store took note of this one.
        written: bool,
        /// The claims on it.
        claims: ClaimsNow,
    },
    Absent,
    Ended(Option<Digest>),
}

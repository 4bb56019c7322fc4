//! What other daemons say of shared claims.

use std::collections::BTreeSet;
use std::time::Instant;

use super::rightful::whole_in_store;
use super::{Opened, Service};
use crate::cache::{Others, State};
use crate::claims::Kind;
use crate::claims::id::Claim;
use crate::claims::shared::{News, Over, Shared, Version};
use crate::key::Digest;
use crate::readers::Tidings;
use crate::session::Session;
use crate::session::record::Record;

impl Service {
    /// Does what another daemon says, and tells it what has become of its news.
    pub(super) fn hear(&self, said: Shared) {
        let peers = self.store.claims().peers();
        for Over { id, claim, news } in said.over {
            if let Some(version) = news.and_then(|news| self.keep(id, claim, &news)) {
                peers.say_kept(said.from, claim, version.token);
            } else {
                self.taken(id);
                peers.say_gone(said.from, claim);
            }
        }
        for (claim, token) in said.kept {
            peers.kept(claim, token);
        }
        for claim in said.gone {
            peers.let_go(claim);
        }
    }

    /// Brings what is claimed up to what somebody else has made of it: the claim goes on and says so. `None`, and nothing is done, where that cannot be
    /// done at once, or is not worth while.
    fn keep(&self, id: Digest, claim: Claim, news: &News) -> Option<Version> {
        if news.record.is_empty() {
            return self.still_says(id, claim, news.before);
        }
        let record = Record::decode(&news.record)?;
        let slot = self.cache().peek(id)?;
        let kept = {
            // Whoever is at work on it finds out by himself.
            let _turn = self.try_turn(id, &slot)?;
            // The same number may stand for something else with a client.
            let doubted = self.cache().doubts(id, news.before.number);
            let mut state = slot.state();
            let keeps = self.may_keep(&state, claim) && state.standing.is_interested();
            let held = state.held.as_mut().filter(|held| {
                keeps && (held.version, held.token) == (news.before.number, news.before.token)
            })?;
            held.apply(Some(&record));
            if held.damaged {
                // What was held is not to be told from it any more. The store has all of it.
                state.held = None;
                return None;
            }
            if news.folded {
                whole_in_store(held);
            } else {
                held.record_bytes += news.record.len();
                held.confirm(record.token);
            }
            state.standing.told();
            state.others = Others {
                any: true,
                one: news.beside,
                ..state.others
            };
            if !news.passive {
                state.accessed = Some(Instant::now());
            }
            if !doubted {
                self.tell_reader(&state, news.before.number);
            }
            news.after()
        };
        self.metrics.claims.kept.inc();
        self.settle(id, slot);
        kept
    }

    /// Whether the claim speaks of nothing older than a version that somebody has read.
    fn still_says(&self, id: Digest, claim: Claim, version: Version) -> Option<Version> {
        let slot = self.cache().peek(id)?;
        let mut state = slot.state();
        let knows = |held: &Session| held.history.knows(version.number, version.token);
        // While somebody is at work on it nothing is held.
        let says = self.may_keep(&state, claim) && state.held.as_ref().is_some_and(knows);
        says.then(|| {
            // He may have it claimed by now.
            state.others = Others {
                any: true,
                one: None,
                ..state.others
            };
            version
        })
    }

    fn may_keep(&self, state: &State, claim: Claim) -> bool {
        let is_shared = self.trusted_claim(state).map(Claim::kind) == Some(Kind::Shared);
        state.claim() == Some(claim) && is_shared && state.pending.is_empty()
    }

    /// Tells who looks at the page what he lacks that holds the version `before`: when he comes for the session he has it already.
    fn tell_reader(&self, state: &State, before: u64) {
        let claims = self.store.claims();
        let told = state.reader.zip(state.ticket()).zip(state.held.as_ref());
        let accessed = state.accessed.and_then(|at| claims.store_time(at));
        let (Some(((reader, ticket), held)), Some(accessed)) = (told, accessed) else {
            return;
        };
        let lack = held.lack(before, &BTreeSet::new());
        let opened = Opened {
            version: held.version,
            created: held.created,
            accessed,
            idle: held.idle,
            lack: held.as_steps(before, lack),
            ticket: Some(ticket),
        };
        self.readers.tell(reader, Tidings { before, opened });
    }

    /// Somebody has committed to a session of which this daemon has or had a shared claim, or was about to have one: from now on
    /// nothing is answered by it.
    fn taken(&self, id: Digest) {
        self.metrics.claims.called_back.inc();
        let Some(slot) = self.cache().peek(id) else {
            return;
        };
        slot.state().taken();
        self.settle(id, slot);
    }
}

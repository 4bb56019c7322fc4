//! The sessions that the daemon holds, bounded by their bytes; the least recently used go first.

mod doubts;
mod latest;
mod names;
mod slot;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;

use crate::claims::id::Claim;
use crate::key::Digest;
use crate::session::Session;
use doubts::Doubts;
use names::Names;
pub use slot::{Others, Pending, Slot, State};

#[derive(Debug)]
struct Entry {
    slot: Arc<Slot>,
    /// As far as it is known.
    name: Bytes,
    weight: usize,
    claimed: bool,
    tick: u64,
}

/// All slots.
#[derive(Debug)]
pub struct Cache {
    entries: HashMap<Digest, Entry>,
    /// Who was used when; the first was not used for longest.
    order: BTreeMap<u64, Digest>,
    /// Kept beside the entries: they must outlive the session's bytes.
    doubts: Doubts,
    names: Names,
    weight: usize,
    claimed: usize,
    limit: usize,
    ticks: u64,
}

impl Cache {
    /// An empty cache of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            entries: HashMap::new(),
            order: BTreeMap::new(),
            doubts: Doubts::default(),
            names: Names::default(),
            weight: 0,
            claimed: 0,
            limit,
            ticks: 0,
        }
    }

    /// The slot of a session, which becomes the most recently used.
    pub fn slot(&mut self, id: Digest) -> Arc<Slot> {
        self.ticks += 1;
        let tick = self.ticks;
        let entry = self.entries.entry(id).or_insert_with(|| Entry {
            slot: Arc::default(),
            name: Bytes::new(),
            weight: 0,
            claimed: false,
            tick,
        });
        self.order.remove(&entry.tick);
        self.order.insert(tick, id);
        entry.tick = tick;
        Arc::clone(&entry.slot)
    }

    /// The slot of a session that there is one of; its turn to go comes as if nobody had asked.
    pub fn peek(&self, id: Digest) -> Option<Arc<Slot>> {
        self.entries.get(&id).map(|entry| Arc::clone(&entry.slot))
    }

    /// The name of a session that is held, or was.
    pub fn name(&self, id: Digest) -> Option<Bytes> {
        let named = self.entries.get(&id).filter(|entry| !entry.name.is_empty());
        named
            .map(|entry| entry.name.clone())
            .or_else(|| self.names.of(id))
    }

    /// All sessions, the most recently used first.
    pub fn latest(&self) -> Vec<Digest> {
        self.order.values().rev().copied().collect()
    }

    /// To be called after each use of a slot: weighs it anew and makes room.
    pub fn settle(&mut self, id: Digest, slot: Arc<Slot>) {
        let is_unnamed = |entry: &Entry| entry.name.is_empty();
        let unnamed = self.entries.get(&id).is_some_and(is_unnamed);
        let (weight, name, claimed) = {
            let state = slot.state();
            let held = state.held.as_ref();
            let name = held.filter(|_| unnamed).and_then(|held| name(id, held));
            let weight = held.map_or(0, Session::weight);
            (weight, name, state.claim().is_some())
        };
        drop(slot);
        if let Some(entry) = self.entries.get_mut(&id) {
            self.weight = self.weight - entry.weight + weight;
            entry.weight = weight;
            if let Some(name) = name {
                entry.name = name;
            }
            self.claimed = self.claimed - usize::from(entry.claimed) + usize::from(claimed);
            entry.claimed = claimed;
            if weight == 0 && is_free(entry) {
                self.remove(id);
            }
        }
        self.make_room(self.limit);
    }

    /// Gives way to others that take so many bytes for a while, with up to a half of what it may have: a store that comes back empty is filled from the rest.
    pub fn give_way(&mut self, others: usize) {
        self.make_room(self.limit.saturating_sub(others).max(self.limit / 2));
    }

    fn make_room(&mut self, limit: usize) {
        let mut oldest = 0;
        while self.weight > limit {
            // Slots in use stay, whatever they weigh.
            let Some((&tick, &id)) = self.order.range(oldest..).next() else {
                return;
            };
            oldest = tick + 1;
            if self.entries.get(&id).is_some_and(is_free) {
                self.remove(id);
            }
        }
    }

    fn remove(&mut self, id: Digest) {
        if let Some(entry) = self.entries.remove(&id) {
            self.order.remove(&entry.tick);
            self.names.keep(id, entry.name);
            self.weight -= entry.weight;
            self.claimed -= usize::from(entry.claimed);
        }
    }

    /// Clients that hold a version up to `version` of this session must get all of it.
    pub fn doubt(&mut self, id: Digest, version: u64) {
        self.doubts.add(id, version);
    }

    /// Whether a client that holds `held` must get all.
    pub fn doubts(&self, id: Digest, held: u64) -> bool {
        self.doubts.any(id, held)
    }

    /// Whether a client that holds `held` must get all. It is then taken to have got it. One that holds nothing says nothing of others who do.
    pub fn take_doubt(&mut self, id: Digest, held: u64) -> bool {
        let doubted = self.doubts(id, held);
        if doubted {
            self.doubts.remove(id);
        }
        doubted
    }

    /// How many sessions are held.
    pub fn sessions(&self) -> usize {
        self.entries.len()
    }

    /// How many of them are claimed.
    pub fn claimed(&self) -> usize {
        self.claimed
    }

    /// The claimed ones, with their claims.
    pub fn claims(&self) -> Vec<(Digest, Claim)> {
        let claimed = self.entries.iter().filter(|(_, entry)| entry.claimed);
        claimed
            .filter_map(|(id, entry)| Some((*id, entry.slot.state().claim()?)))
            .collect()
    }

    /// All claims of a life have become void.
    pub fn forget_claims(&mut self, life: u16) {
        for entry in self.entries.values_mut() {
            let mut state = entry.slot.state();
            if state.claim().is_some_and(|claim| claim.life() == life) {
                state.set_claim(None);
                self.claimed -= usize::from(std::mem::take(&mut entry.claimed));
            }
        }
    }

    /// How many bytes they weigh.
    pub fn weight(&self) -> usize {
        self.weight
    }
}

/// The name that a session has here; a late commit may have called it by one that it has left. A copy: the session's own may be a part of a whole request.
fn name(id: Digest, session: &Session) -> Option<Bytes> {
    let is_its_own = Digest::of(&session.name) == id;
    is_its_own.then(|| Bytes::copy_from_slice(&session.name))
}

/// Nobody else has the slot, so nobody waits at its gate and nothing is pending.
fn is_free(entry: &Entry) -> bool {
    Arc::strong_count(&entry.slot) == 1
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::session::{Change, Token};

    /// Two sessions of 4,000 bytes, with what they take beside.
    const LIMIT: usize = 14_000;

    fn put(cache: &mut Cache, n: u8, bytes: usize) {
        let id = Digest::of(&[n]);
        let slot = cache.slot(id);
        let mut session = Session::new(1, 60);
        let value = Some(Bytes::from(vec![0; bytes]));
        session.change(
            &[Change::whole(Bytes::from_static(b"a"), value)],
            Token([0; 4]),
        );
        slot.state().held = Some(session);
        cache.settle(id, slot);
    }

    fn holds(cache: &mut Cache, n: u8) -> bool {
        let id = Digest::of(&[n]);
        let slot = cache.slot(id);
        let holds = slot.state().held.is_some();
        cache.settle(id, slot);
        holds
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache = Cache::new(LIMIT);
        put(&mut cache, 1, 4_000);
        put(&mut cache, 2, 4_000);
        assert!(holds(&mut cache, 1));
        put(&mut cache, 3, 4_000);
        assert!(holds(&mut cache, 1) && holds(&mut cache, 3));
        assert!(!holds(&mut cache, 2));
        assert!(cache.weight() <= LIMIT);
        assert_eq!(cache.sessions(), 2);
    }

    #[test]
    fn what_is_in_use_stays() {
        let mut cache = Cache::new(LIMIT);
        put(&mut cache, 1, 8_000);
        let in_use = cache.slot(Digest::of(&[1]));
        put(&mut cache, 2, 8_000);
        assert!(!holds(&mut cache, 2));
        assert!(in_use.state().held.is_some());
        cache.settle(Digest::of(&[1]), in_use);
        assert!(holds(&mut cache, 1));
    }

    #[test]
    fn it_gives_way_to_others_with_a_half_at_most() {
        let mut cache = Cache::new(LIMIT);
        put(&mut cache, 1, 4_000);
        put(&mut cache, 2, 4_000);
        cache.give_way(LIMIT / 4);
        assert!(!holds(&mut cache, 1) && holds(&mut cache, 2));
        cache.give_way(LIMIT);
        assert!(holds(&mut cache, 2));
    }

    #[test]
    fn an_empty_slot_leaves_nothing_behind() {
        let mut cache = Cache::new(LIMIT);
        assert!(!holds(&mut cache, 1));
        assert_eq!((cache.sessions(), cache.order.len()), (0, 0));
    }

    #[test]
    fn a_doubt_is_taken_once() {
        let mut cache = Cache::new(1);
        let id = Digest::of(b"a");
        cache.doubt(id, 7);
        assert!(!cache.take_doubt(id, 0) && !cache.take_doubt(id, 8));
        assert!(cache.take_doubt(id, 7));
        assert!(!cache.take_doubt(id, 7));
    }

    #[test]
    fn a_place_on_the_page_ends_with_its_claim_and_with_its_session() {
        use crate::claims::id::Node;
        use crate::claims::page::Page;
        let directory = tempfile::tempdir().unwrap();
        let places = prometheus_client::metrics::gauge::Gauge::default();
        let page = Page::beside(directory.path(), places.clone()).unwrap();
        let claim = Claim::sole(Node::random(), 1, 1);
        let mut cache = Cache::new(LIMIT);
        let claimed = |cache: &mut Cache, n: u8| {
            put(cache, n, 4_000);
            let slot = cache.slot(Digest::of(&[n]));
            slot.state().set_claim(Some(claim));
            slot.state().settle_at(page.place());
            slot
        };
        let slot = claimed(&mut cache, 1);
        slot.state().set_claim(Some(claim));
        assert_eq!(places.get(), 1, "the same claim keeps it");
        slot.state()
            .set_claim(Some(Claim::sole(Node::random(), 1, 2)));
        assert_eq!(places.get(), 0, "another does not");
        slot.state().set_claim(None);
        slot.state().settle_at(page.place());
        assert_eq!(places.get(), 0, "without a claim there is none");
        cache.settle(Digest::of(&[1]), slot);

        for n in 2..4 {
            let slot = claimed(&mut cache, n);
            cache.settle(Digest::of(&[n]), slot);
        }
        assert_eq!(places.get(), 2);
        put(&mut cache, 4, 4_000);
        assert_eq!(places.get(), 1, "one session had to go");
        cache.forget_claims(1);
        assert_eq!(places.get(), 0);
    }
}

//! What is known of the latest sessions, of so many.

use std::collections::HashMap;

use crate::key::Digest;

/// So many are known, and up to twice as many.
pub(super) const KNOWN: usize = 16_384;

/// The latest of them.
#[derive(Debug)]
pub(super) struct Latest<V> {
    latest: HashMap<Digest, V>,
    /// Those before; they are forgotten all at once.
    before: HashMap<Digest, V>,
}

impl<V> Default for Latest<V> {
    fn default() -> Self {
        let (latest, before) = (HashMap::new(), HashMap::new());
        Self { latest, before }
    }
}

impl<V> Latest<V> {
    /// This one is the latest.
    pub(super) fn insert(&mut self, id: Digest, value: V) {
        if self.latest.len() >= KNOWN {
            self.before = std::mem::take(&mut self.latest);
        }
        self.latest.insert(id, value);
    }

    /// What is known of it.
    pub(super) fn get(&self, id: Digest) -> Option<&V> {
        self.latest.get(&id).or_else(|| self.before.get(&id))
    }

    /// Forgets it; what was known of it.
    pub(super) fn remove(&mut self, id: Digest) -> Option<V> {
        let before = self.before.remove(&id);
        self.latest.remove(&id).or(before)
    }
}

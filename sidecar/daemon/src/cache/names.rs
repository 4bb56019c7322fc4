//! The names of sessions that were held: one that nobody uses any more is the first to go for want of room, or found to be over before anybody says so, and its
//! listeners are here all the same.

use std::collections::HashMap;

use bytes::Bytes;

use crate::key::Digest;

/// So many are known, and up to twice as many: a few megabytes.
const KNOWN: usize = 16_384;

/// The latest of them.
#[derive(Debug, Default)]
pub(super) struct Names {
    latest: HashMap<Digest, Bytes>,
    /// Those before; they are forgotten all at once.
    before: HashMap<Digest, Bytes>,
}

impl Names {
    /// One that goes. Of one without a name, which is only known by its digest, nobody can be told.
    pub(super) fn keep(&mut self, id: Digest, name: Bytes) {
        if name.is_empty() {
            return;
        }
        if self.latest.len() >= KNOWN {
            self.before = std::mem::take(&mut self.latest);
        }
        self.latest.insert(id, name);
    }

    /// Its name, if it is one of them.
    pub(super) fn of(&self, id: Digest) -> Option<Bytes> {
        let known = self.latest.get(&id).or_else(|| self.before.get(&id));
        known.cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_known() {
        let name = |n: usize| Bytes::from(n.to_string());
        let id = |n: usize| Digest::of(&name(n));
        let mut names = Names::default();
        for n in 0..=2 * KNOWN {
            names.keep(id(n), name(n));
        }
        let (first, last) = (id(0), 2 * KNOWN);
        assert_eq!(names.of(first), None);
        for n in [KNOWN, last] {
            assert_eq!(names.of(id(n)), Some(name(n)));
        }
        names.keep(first, Bytes::new());
        assert_eq!(names.of(first), None);
    }
}

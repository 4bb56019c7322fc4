//! The names of sessions that were held: one that nobody uses any more is the first to go for want of room, or found to be over before anybody says so, and its
//! listeners are here all the same.

use bytes::Bytes;

use super::latest::Latest;
use crate::key::Digest;

/// The latest of them: a few megabytes.
#[derive(Debug, Default)]
pub(super) struct Names(Latest<Bytes>);

impl Names {
    /// One that goes. Of one without a name, which is only known by its digest, nobody can be told.
    pub(super) fn keep(&mut self, id: Digest, name: Bytes) {
        if name.is_empty() {
            return;
        }
        self.0.insert(id, name);
    }

    /// Its name, if it is one of them.
    pub(super) fn of(&self, id: Digest) -> Option<Bytes> {
        self.0.get(id).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::latest::KNOWN;
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

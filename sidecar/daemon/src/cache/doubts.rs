//! Versions up to which clients may hold something that is not what the store has under that version.

use super::latest::Latest;
use crate::key::Digest;

/// The latest of them: a megabyte.
#[derive(Debug, Default)]
pub(super) struct Doubts(Latest<u64>);

impl Doubts {
    /// Of all versions up to this one.
    pub(super) fn add(&mut self, id: Digest, version: u64) {
        if version == 0 {
            return;
        }
        let version = version.max(self.remove(id));
        self.0.insert(id, version);
    }

    /// Whether there is one of this version.
    pub(super) fn any(&self, id: Digest, version: u64) -> bool {
        let known = self.0.get(id);
        version > 0 && known.is_some_and(|known| version <= *known)
    }

    /// Up to which version there was one; 0 if there was none.
    pub(super) fn remove(&mut self, id: Digest) -> u64 {
        self.0.remove(id).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::latest::KNOWN;
    use super::*;

    fn id(n: usize) -> Digest {
        Digest::of(&n.to_be_bytes())
    }

    #[test]
    fn the_latest_are_known() {
        let mut doubts = Doubts::default();
        for n in 0..=2 * KNOWN {
            doubts.add(id(n), 7);
            assert!(n < KNOWN || doubts.any(id(n - KNOWN + 1), 7), "{n}");
        }
        assert!(!doubts.any(id(0), 7));
    }

    #[test]
    fn one_that_comes_again_is_among_the_latest_with_the_highest_version() {
        let mut doubts = Doubts::default();
        doubts.add(id(0), 7);
        for n in 1..=KNOWN {
            doubts.add(id(n), 7);
        }
        doubts.add(id(0), 3);
        for n in 1..KNOWN {
            doubts.add(id(KNOWN + n), 7);
        }
        assert!(doubts.any(id(0), 7) && !doubts.any(id(0), 8));
        assert_eq!(doubts.remove(id(0)), 7);
        assert!(!doubts.any(id(0), 1));
    }
}

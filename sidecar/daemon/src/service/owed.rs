//! Ends that the store has not taken, each of which is tried again until it does.

use std::collections::{HashMap, VecDeque};

use crate::key::Digest;

/// Each is there once, in the order in which they are tried.
#[derive(Debug, Default)]
pub(super) struct Owed {
    /// What was given up may be among them.
    order: VecDeque<Digest>,
    /// Whether to follow it under whatever name it goes on.
    waiting: HashMap<Digest, bool>,
    /// One that is being tried; it may wait for its next turn already.
    in_hand: Option<Digest>,
}

impl Owed {
    /// Whether it was not waiting before.
    pub(super) fn add(&mut self, id: Digest, follow: bool) -> bool {
        if let Some(followed) = self.waiting.get_mut(&id) {
            *followed |= follow;
            return false;
        }
        self.waiting.insert(id, follow);
        self.order.push_back(id);
        true
    }

    /// The next one to try; who was at the one before is done with it.
    pub(super) fn next(&mut self) -> Option<(Digest, bool)> {
        self.in_hand = None;
        while let Some(id) = self.order.pop_front() {
            if let Some(follow) = self.waiting.remove(&id) {
                self.in_hand = Some(id);
                return Some((id, follow));
            }
        }
        None
    }

    /// It is not to be tried again: the oldest are given up first, while a store takes none for long.
    pub(super) fn give_up(&mut self, id: Digest) {
        self.waiting.remove(&id);
        while let Some(first) = self.order.front()
            && !self.waiting.contains_key(first)
        {
            self.order.pop_front();
        }
    }

    pub(super) fn has(&self, id: Digest) -> bool {
        self.in_hand == Some(id) || self.waiting.contains_key(&id)
    }

    pub(super) fn len(&self) -> usize {
        let is_apart = |id| !self.waiting.contains_key(&id);
        self.waiting.len() + usize::from(self.in_hand.is_some_and(is_apart))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_waits_once_at_a_time() {
        let mut owed = Owed::default();
        let [one, other] = [b"one", b"two"].map(|name| Digest::of(name));
        assert_eq!(
            [one, other, one].map(|id| owed.add(id, false)),
            [true, true, false]
        );
        assert_eq!(owed.next(), Some((one, false)));
        assert_eq!((owed.len(), owed.has(one)), (2, true), "while it is tried");
        assert!(owed.add(one, true));
        assert_eq!(owed.len(), 2, "one that is tried and waits again");
        assert_eq!(owed.next(), Some((other, false)));
        assert_eq!(owed.next(), Some((one, true)));
        assert_eq!((owed.next(), owed.len(), owed.has(one)), (None, 0, false));
    }

    #[test]
    fn it_is_followed_if_anybody_asked_for_that() {
        let mut owed = Owed::default();
        let id = Digest::of(b"s");
        for follow in [false, true, false] {
            owed.add(id, follow);
        }
        assert_eq!(owed.next(), Some((id, true)));
    }

    #[test]
    fn what_was_given_up_is_not_tried_and_may_wait_again() {
        let mut owed = Owed::default();
        let [one, other] = [b"one", b"two"].map(|name| Digest::of(name));
        for id in [one, other] {
            owed.add(id, true);
        }
        owed.give_up(one);
        assert_eq!((owed.len(), owed.has(one), owed.order.len()), (1, false, 1));
        assert!(owed.add(one, false));
        owed.give_up(other);
        assert_eq!(owed.next(), Some((one, false)));
        assert_eq!(owed.next(), None);
    }
}

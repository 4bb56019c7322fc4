//! The ends that this daemon has heard of: a store that lost its tombstones gets them again from here.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::key::Digest;
use crate::session::Token;
use crate::session::confirmed::{Moment, TOMBSTONE};

/// More than a hundred ends a second, for ten minutes; the oldest are forgotten first.
const MAX_ENDS: usize = 65_536;

/// What a tombstone says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    /// The digest of the new name, after a rename.
    pub(super) forward: Option<Digest>,
    /// Of whoever wrote it.
    pub(super) token: Token,
}

/// Ends of the last ten minutes.
#[derive(Debug, Default)]
pub(super) struct Ends {
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    order: VecDeque<(Moment, Digest)>,
    known: HashMap<Digest, End>,
}

impl Ends {
    /// A session has ended, or goes on under another name.
    pub(super) fn hear(&self, id: Digest, forward: Option<Digest>) {
        let token = Token::random();
        self.take(id, End { forward, token });
    }

    /// A client ends a session: the token to do it with. Where its tombstone is written from here before that is done, it is known for its own by that token.
    pub(super) fn begin(&self, id: Digest) -> Token {
        let token = Token::random();
        let forward = None;
        self.take(id, End { forward, token });
        token
    }

    fn take(&self, id: Digest, end: End) {
        let list = &mut *self.list();
        match list.known.entry(id) {
            // The tombstone is as old as the end that was heard of first, and of whoever that was.
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.forward = known.forward.or(end.forward);
            }
            Entry::Vacant(unknown) => {
                unknown.insert(end);
                list.order.push_back((Moment::now(), id));
            }
        }
        while list.order.len() > MAX_ENDS
            || list
                .order
                .front()
                .is_some_and(|(heard, _)| heard.elapsed() >= TOMBSTONE)
        {
            list.forget_first();
        }
    }

    /// Whether it is known to have ended.
    pub(super) fn knows(&self, id: Digest) -> bool {
        self.list().known.contains_key(&id)
    }

    /// All of them, the latest first.
    pub(super) fn all(&self) -> Vec<(Digest, End)> {
        let list = self.list();
        let latest = list.order.iter().rev();
        latest
            .filter(|(heard, _)| heard.elapsed() < TOMBSTONE)
            .filter_map(|(_, id)| Some((*id, *list.known.get(id)?)))
            .collect()
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl List {
    fn forget_first(&mut self) {
        if let Some((_, id)) = self.order.pop_front() {
            self.known.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_is_known_once_with_its_forward() {
        let ends = Ends::default();
        let (old, new) = (Digest::of(b"old"), Digest::of(b"new"));
        ends.hear(old, None);
        ends.hear(old, Some(new));
        ends.hear(old, None);
        ends.hear(new, None);
        let all = ends.all().into_iter().map(|(id, end)| (id, end.forward));
        assert_eq!(all.collect::<Vec<_>>(), [(new, None), (old, Some(new))]);
        assert!(ends.knows(old) && !ends.knows(Digest::of(b"other")));
    }

    #[test]
    fn the_tombstone_is_of_who_ended_it_first() {
        let ends = Ends::default();
        let id = Digest::of(b"s");
        let first = ends.begin(id);
        assert_ne!(ends.begin(id), first);
        ends.hear(id, None);
        assert_eq!(ends.all()[0].1.token, first);
    }

    #[test]
    fn the_oldest_are_forgotten_past_the_bound() {
        let ends = Ends::default();
        let id = |n: u32| Digest::of(&n.to_be_bytes());
        for n in 0..70_000 {
            ends.hear(id(n), None);
        }
        assert_eq!(ends.all().len(), MAX_ENDS);
        assert!(!ends.knows(id(0)) && ends.knows(id(69_999)));
    }
}

//! The ends that this daemon has heard of: a store that lost its tombstones gets them again from here, and one that did not take an end is asked again.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::key::Digest;
use crate::moment::Moment;
use crate::session::Token;
use crate::session::confirmed::TOMBSTONE;

/// More than a hundred ends a second, for ten minutes; the oldest are forgotten first.
const MAX_ENDS: usize = 65_536;

/// What a tombstone says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    /// The digest of the new name, after a rename.
    pub(super) forward: Option<Digest>,
    /// Of whoever wrote it.
    pub(super) token: Token,
    /// A client has ended it here: its listeners have been told.
    pub(super) by_hand: bool,
}

impl End {
    fn new(forward: Option<Digest>) -> Self {
        Self {
            forward,
            token: Token::random(),
            by_hand: false,
        }
    }
}

/// Ends of the last ten minutes, and those that the store has not taken, however long ago that was.
#[derive(Debug, Default)]
pub(super) struct Ends {
    list: Mutex<List>,
    /// Told when the store is owed one.
    wake: Notify,
    /// Told when it is owed none.
    settled: Notify,
}

#[derive(Debug, Default)]
struct List {
    order: VecDeque<(Moment, Digest)>,
    known: HashMap<Digest, Known>,
    /// Those that the store has not taken; some may be forgotten by now.
    owed: VecDeque<Digest>,
    /// One more, which is being tried.
    in_hand: Option<Digest>,
}

#[derive(Debug)]
struct Known {
    end: End,
    heard: Heard,
    is_owed: bool,
    /// Under whatever name it goes on.
    follow: bool,
    /// While who was the first to end it is at it.
    begun: Option<Meanwhile>,
}

/// Who says that it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// Only who is about to end it, or was.
    Not,
    /// The store alone: its tombstone was met on this connection. It may be there for less long than it is known here.
    Met(u64),
    /// Who ended it.
    Told,
}

impl Heard {
    /// What is met later is there for longer; who was told knows how old it is.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Told, _) | (_, Self::Not) => self,
            _ => other,
        }
    }
}

/// What happens while one ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meanwhile {
    Nothing,
    /// Tombstones were put back, but for its own.
    PassedOver,
}

/// An end that is under way.
#[derive(Debug)]
pub(super) struct Begun<'a> {
    ends: &'a Ends,
    pub(super) id: Digest,
    /// To do it with.
    pub(super) token: Token,
    /// Nothing was known of it before.
    pub(super) is_first: bool,
}

impl Begun<'_> {
    /// It is done; whether its tombstone has to be put back, for the store may have lost it since.
    pub(super) fn done(self) -> bool {
        self.ends.over(self.id) == Some(Meanwhile::PassedOver)
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.ends.over(self.id);
    }
}

impl Ends {
    /// A session has ended, or goes on under another name.
    pub(super) fn hear(&self, id: Digest, forward: Option<Digest>) {
        self.take(id, End::new(forward), Heard::Told, None);
    }

    /// The store says so, asked on this connection.
    pub(super) fn meet(&self, id: Digest, forward: Option<Digest>, connection: Option<u64>) {
        let heard = connection.map_or(Heard::Told, Heard::Met);
        self.take(id, End::new(forward), heard, None);
    }

    /// The connection on which its tombstone was met, of whose age nobody else has told.
    pub(super) fn met_on(&self, id: Digest) -> Option<u64> {
        let list = self.list();
        match list.known.get(&id)?.heard {
            Heard::Met(connection) => Some(connection),
            Heard::Not | Heard::Told => None,
        }
    }

    /// A client ends a session, by who has a turn. Until that is done its tombstone is not written from here otherwise: a session that is in another
    /// store yet would be taken for ended by it.
    pub(super) fn begin(&self, id: Digest) -> Begun<'_> {
        let end = End::new(None);
        let is_first = self.take(id, end, Heard::Not, Some(Meanwhile::Nothing));
        Begun {
            ends: self,
            id,
            token: end.token,
            is_first,
        }
    }

    /// A client has ended it.
    pub(super) fn ended_by_hand(&self, id: Digest) {
        if let Some(known) = self.list().known.get_mut(&id) {
            known.end.by_hand = true;
            known.heard = Heard::Told;
        }
    }

    fn over(&self, id: Digest) -> Option<Meanwhile> {
        self.list().known.get_mut(&id)?.begun.take()
    }

    /// There was nothing to end, of which nobody else knows either: another session may have its name from now on.
    pub(super) fn ended_nothing(&self, id: Digest) {
        self.list().forget(id, Heard::Not);
    }

    /// Its tombstone, which was met on this connection, is there no more: another session has its name.
    pub(super) fn is_another(&self, id: Digest, connection: u64) {
        self.list().forget(id, Heard::Met(connection));
    }

    /// Whether nothing was known of it.
    fn take(&self, id: Digest, end: End, heard: Heard, begun: Option<Meanwhile>) -> bool {
        let list = &mut *self.list();
        let is_first = match list.known.entry(id) {
            // The tombstone is as old as the end that was heard of first, and of whoever that was.
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.end.forward = known.end.forward.or(end.forward);
                known.heard = known.heard.and(heard);
                false
            }
            Entry::Vacant(unknown) => {
                unknown.insert(Known {
                    end,
                    heard,
                    is_owed: false,
                    follow: false,
                    begun,
                });
                list.order.push_back((Moment::now(), id));
                true
            }
        };
        while list.order.len() > MAX_ENDS {
            list.forget_first();
        }
        is_first
    }

    /// Whether it is known to have ended.
    pub(super) fn knows(&self, id: Digest) -> bool {
        self.list().known.contains_key(&id)
    }

    /// All whose tombstones are to be put back, the latest first: who is at one sees to it by himself.
    pub(super) fn all(&self) -> Vec<(Digest, End)> {
        let List { order, known, .. } = &mut *self.list();
        let latest = order.iter().rev();
        latest
            .filter_map(|(_, id)| {
                let Known { begun, end, .. } = known.get_mut(id)?;
                if begun.is_some() {
                    *begun = Some(Meanwhile::PassedOver);
                    return None;
                }
                Some((*id, *end))
            })
            .collect()
    }

    /// The store has not taken one that is known, or which has to be followed.
    pub(super) fn owe(&self, id: Digest, follow: bool) {
        let list = &mut *self.list();
        let Some(known) = list.known.get_mut(&id) else {
            return;
        };
        known.follow |= follow;
        if !std::mem::replace(&mut known.is_owed, true) {
            list.owed.push_back(id);
            self.wake.notify_one();
        }
    }

    fn next_owed(&self) -> Option<(Digest, bool)> {
        let list = &mut *self.list();
        list.in_hand = None;
        while let Some(id) = list.owed.pop_front() {
            if let Some(known) = list.known.get_mut(&id) {
                known.is_owed = false;
                list.in_hand = Some(id);
                return Some((id, known.follow));
            }
        }
        None
    }

    /// The next one to try; whoever asks is done with the one before.
    pub(super) async fn owed(&self) -> (Digest, bool) {
        loop {
            if let Some(owed) = self.next_owed() {
                return owed;
            }
            self.settled.notify_waiters();
            self.wake.notified().await;
        }
    }

    /// How many the store has not taken.
    pub(super) fn owing(&self) -> usize {
        let list = self.list();
        // One that is owed again while it is tried is among the others.
        let is_owed = |id: Digest| list.known.get(&id).is_some_and(|known| known.is_owed);
        list.owed.len() + usize::from(list.in_hand.is_some_and(|id| !is_owed(id)))
    }

    pub(super) async fn until_none_is_owed(&self) {
        loop {
            let settled = self.settled.notified();
            if self.owing() == 0 {
                return;
            }
            settled.await;
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.forget_old();
        list
    }
}

impl List {
    /// The name of one whose tombstone is gone may be given again: that is another session.
    fn forget_old(&mut self) {
        while let Some(&(heard, id)) = self.order.front()
            && heard.elapsed() >= TOMBSTONE
        {
            if self.is_to_come(id) {
                self.order.pop_front();
                self.order.push_back((Moment::now(), id));
            } else {
                self.forget_first();
            }
        }
    }

    /// The store has yet to take it: its tombstone will be as old as that.
    fn is_to_come(&self, id: Digest) -> bool {
        let known = self.known.get(&id);
        self.in_hand == Some(id)
            || known.is_some_and(|known| known.is_owed || known.begun.is_some())
    }

    /// If this is all that is known of it, and nobody is at it.
    fn forget(&mut self, id: Digest, heard: Heard) {
        let idle = |known: &Known| !known.is_owed && known.begun.is_none();
        let is_this = |known: &Known| known.heard == heard && idle(known);
        if self.in_hand == Some(id) || !self.known.get(&id).is_some_and(is_this) {
            return;
        }
        self.known.remove(&id);
        // It is one of the latest, most of the time.
        if let Some(at) = self.order.iter().rposition(|(_, known)| *known == id) {
            self.order.remove(at);
        }
    }

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
        let [first, second] = [(); 2].map(|()| ends.begin(id).token);
        assert_ne!(first, second);
        ends.hear(id, None);
        assert_eq!(ends.all()[0].1.token, first);
    }

    #[test]
    fn what_ended_nothing_is_forgotten_unless_somebody_else_knows_of_an_end() {
        let ends = Ends::default();
        let [nothing, heard, before] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
        ends.hear(before, None);
        for id in [nothing, heard, before] {
            let begun = ends.begin(id);
            assert_eq!(begun.is_first, id != before);
            if id == heard {
                ends.hear(id, None);
            }
            ends.ended_nothing(id);
            assert!(ends.knows(id), "while it is under way");
            begun.done();
            ends.ended_nothing(id);
        }
        assert_eq!(
            [nothing, heard, before].map(|id| ends.knows(id)),
            [false, true, true]
        );
        ends.hear(nothing, None);
        assert_eq!(ends.all().len(), ends.list().order.len());
    }

    #[test]
    fn what_was_only_met_is_another_where_it_lives_later() {
        let ends = Ends::default();
        let [met, told, tried] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
        for id in [met, told, tried] {
            ends.meet(id, None, Some(1));
            ends.meet(id, None, Some(2));
            assert_eq!(ends.met_on(id), Some(2));
        }
        ends.hear(told, None);
        ends.meet(told, None, Some(2));
        ends.owe(tried, false);
        for id in [met, told, tried] {
            ends.is_another(id, 1);
            assert!(ends.knows(id), "on another connection");
            ends.is_another(id, 2);
        }
        assert_eq!(
            [met, told, tried].map(|id| ends.knows(id)),
            [false, true, true]
        );
    }

    #[test]
    fn a_tombstone_is_left_to_who_is_the_first_to_end_it_until_he_is_done() {
        let ends = Ends::default();
        let [passed_over, failed, undisturbed] =
            [b"one", b"two", b"six"].map(|name| Digest::of(name));
        assert!(!ends.begin(undisturbed).done());
        let all = [passed_over, failed].map(|id| ends.begin(id));
        assert_eq!(ends.all().len(), 1, "what is done");
        let [passed_over, failed] = all;
        assert!(passed_over.done());
        drop(failed);
        assert_eq!(ends.all().len(), 3);
        let again = ends.begin(undisturbed);
        assert_eq!(ends.all().len(), 3, "it had ended before");
        assert!(!again.done());
    }

    #[test]
    fn an_end_is_owed_once_at_a_time_and_only_while_it_is_known() {
        let ends = Ends::default();
        let [one, other] = [b"one", b"two"].map(|name| Digest::of(name));
        ends.begin(one);
        for id in [one, other, one] {
            ends.owe(id, false);
        }
        assert_eq!(ends.owing(), 1);
        assert_eq!(ends.next_owed(), Some((one, false)));
        assert_eq!(ends.owing(), 1, "while it is tried");
        assert_eq!((ends.next_owed(), ends.owing()), (None, 0));
        ends.owe(one, true);
        assert_eq!(ends.next_owed(), Some((one, true)));
        ends.owe(one, false);
        ends.list().forget_first();
        assert_eq!(ends.next_owed(), None);
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

    /// As if all had been heard of when the first tombstones go.
    fn let_a_tombstones_time_pass(ends: &Ends) {
        let list = &mut *ends.list();
        for (heard, _) in &mut list.order {
            heard.wall -= TOMBSTONE;
        }
    }

    #[test]
    fn what_ended_before_the_tombstones_that_are_left_is_forgotten() {
        let ends = Ends::default();
        let id = Digest::of(b"s");
        ends.hear(id, None);
        assert!(ends.knows(id));
        let_a_tombstones_time_pass(&ends);
        assert!(!ends.knows(id), "another may have its name");
        assert!(ends.all().is_empty());
        ends.hear(id, None);
        let_a_tombstones_time_pass(&ends);
        ends.hear(id, None);
        assert!(ends.knows(id), "that one has ended too");
    }

    #[test]
    fn what_the_store_has_not_taken_is_not_forgotten() {
        let ends = Ends::default();
        let [owed, tried, begun] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
        for id in [tried, owed] {
            ends.hear(id, None);
            ends.owe(id, false);
        }
        assert_eq!(ends.next_owed(), Some((tried, false)));
        let at_it = ends.begin(begun);
        let_a_tombstones_time_pass(&ends);
        assert_eq!([owed, tried, begun].map(|id| ends.knows(id)), [true; 3]);
        ends.owe(begun, false);
        drop(at_it);
        ends.owe(tried, false);
        assert_eq!(ends.next_owed(), Some((owed, false)));
        assert_eq!(ends.next_owed(), Some((begun, false)));
        assert_eq!(ends.next_owed(), Some((tried, false)));
        assert_eq!(ends.next_owed(), None);
        let_a_tombstones_time_pass(&ends);
        assert_eq!([owed, tried, begun].map(|id| ends.knows(id)), [false; 3]);
    }
}

//! The ends that this daemon has heard of: a store that lost its tombstones gets them again from here, and one that did not take an end is asked again.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::owed::Owed;
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
    /// Those of them that the store has not taken.
    owed: Owed,
}

#[derive(Debug)]
struct Known {
    end: End,
    heard: Heard,
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
                unknown.insert(Known { end, heard, begun });
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
        if list.known.contains_key(&id) && list.owed.add(id, follow) {
            self.wake.notify_one();
        }
    }

    /// The next one to try; whoever asks is done with the one before.
    pub(super) async fn owed(&self) -> (Digest, bool) {
        loop {
            if let Some(owed) = self.list().owed.next() {
                return owed;
            }
            self.settled.notify_waiters();
            self.wake.notified().await;
        }
    }

    /// How many the store has not taken.
    pub(super) fn owing(&self) -> usize {
        self.list().owed.len()
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
        let begun = |known: &Known| known.begun.is_some();
        self.owed.has(id) || self.known.get(&id).is_some_and(begun)
    }

    /// If this is all that is known of it, and nobody is at it.
    fn forget(&mut self, id: Digest, heard: Heard) {
        let is_this = |known: &Known| known.heard == heard;
        if self.is_to_come(id) || !self.known.get(&id).is_some_and(is_this) {
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
            self.owed.give_up(id);
        }
    }
}

#[cfg(test)]
mod tests;

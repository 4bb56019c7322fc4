//! A session as bytes: attributes, the versions that they were changed at, and what a commit makes of changes.
//!
//! Everything here is pure: bytes in, bytes out. What lies in the store is in [`record`] and [`snapshot`].

mod change;
pub mod confirmed;
pub mod delta;
mod lack;
mod matching;
pub mod packing;
pub mod plan;
pub mod record;
pub mod rewind;
pub mod snapshot;
mod steps;
mod token;
mod varint;

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::moment::Moment;
pub use change::Change;
use delta::Delta;
pub use lack::{Lack, Patched};
use record::{Operation, Record};
use rewind::History;
use steps::Steps;
pub use token::Token;

/// An attribute's value and when it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The version of the last commit that changed it.
    pub changed: u64,
    /// `None` once it was removed: remembered, so that a client that holds it can be told.
    pub value: Option<Bytes>,
    /// How it got there.
    pub steps: Steps,
}

/// Removed attributes that are remembered. Past it the oldest are forgotten and clients that are as far behind as that get
/// the whole session.
const MAX_REMOVED: usize = 64;

/// What a session takes in memory beside its attributes, roughly, with its place in the cache: where most are small that is nearly all of it.
const SESSION_OVERHEAD: usize = 2 << 10;
/// What an attribute takes in memory beside its bytes, roughly.
const ATTRIBUTE_OVERHEAD: usize = 192;

/// A session at one version, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Counts commits from 1.
    pub version: u64,
    /// The token of the commit that made this version.
    pub token: Token,
    /// When it was created, milliseconds since the epoch.
    pub created: u64,
    /// Seconds until it ends unused; -1 for never.
    pub idle: i64,
    /// Removals up to this version may have been forgotten.
    pub floor: u64,
    /// The version of the snapshot in the store.
    pub snapshot_version: u64,
    /// The bytes of the records since that snapshot.
    pub record_bytes: usize,
    /// Something in the store could not be read: what is here is not all, and must never be folded into a snapshot.
    pub damaged: bool,
    /// The session's name; empty where only its digest was seen.
    pub name: Bytes,
    /// When the store was last known to have this version.
    pub confirmed: Option<Moment>,
    /// The versions that it went through.
    pub history: History,
    attributes: BTreeMap<Bytes, Attribute>,
}

impl Session {
    /// A session before its first commit.
    pub fn new(created: u64, idle: i64) -> Self {
        Self {
            version: 0,
            token: Token([0; 4]),
            created,
            idle,
            floor: 0,
            snapshot_version: 0,
            record_bytes: 0,
            damaged: false,
            name: Bytes::new(),
            confirmed: None,
            history: History::default(),
            attributes: BTreeMap::new(),
        }
    }

    /// The value of an attribute that is there.
    pub fn value(&self, name: &[u8]) -> Option<&Bytes> {
        self.attributes.get(name)?.value.as_ref()
    }

    /// Names and values of all attributes, removed ones too.
    pub fn attributes(&self) -> &BTreeMap<Bytes, Attribute> {
        &self.attributes
    }

    /// The bytes of names and values: what the session limit is about.
    pub fn size(&self) -> usize {
        self.attributes
            .iter()
            .filter_map(|(name, attribute)| Some(name.len() + attribute.value.as_ref()?.len()))
            .sum()
    }

    /// What it takes in memory, roughly.
    pub fn weight(&self) -> usize {
        let more = |(name, had): (&Bytes, &Attribute)| name.len() + had.steps.weight();
        let more: usize = self.attributes.iter().map(more).sum();
        SESSION_OVERHEAD + self.size() + more + ATTRIBUTE_OVERHEAD * self.attributes.len()
    }

    /// The size that it would have after `changes`.
    pub fn size_after(&self, changes: &[Change]) -> usize {
        let latest: BTreeMap<&[u8], Option<&Bytes>> = changes
            .iter()
            .map(|change| (change.name.as_ref(), change.value.as_ref()))
            .collect();
        let kept = self
            .attributes
            .iter()
            .filter(|(name, _)| !latest.contains_key(name.as_ref()));
        let kept = kept.filter_map(|(name, kept)| Some(name.len() + kept.value.as_ref()?.len()));
        let set = latest
            .iter()
            .filter_map(|(name, value)| Some(name.len() + value.as_ref()?.len()));
        kept.sum::<usize>() + set.sum::<usize>()
    }

    /// Those of `changes` that change anything, one for each name.
    pub fn effective(&self, changes: &[Change]) -> Vec<Change> {
        let latest: BTreeMap<&[u8], &Change> = changes
            .iter()
            .map(|change| (change.name.as_ref(), change))
            .collect();
        let differs = |change: &&&Change| {
            let old = self.value(&change.name);
            // A delta of these very bytes: going through both would only tell what it says.
            old.and_then(|old| change.told_of(old)).map_or_else(
                || old != change.value.as_ref(),
                |told| !told.ranges.is_empty(),
            )
        };
        latest
            .values()
            .filter(differs)
            .map(|change| (*change).clone())
            .collect()
    }

    /// Makes `changes` the next version.
    pub fn change(&mut self, changes: &[Change], token: Token) {
        self.version += 1;
        self.token = token;
        self.history.push(self.version, token);
        for change in changes {
            self.put(change.name.clone(), change.value.clone(), Steps::default());
        }
        self.forget_removed();
    }

    /// Applies the record of the next version. `None` is a record that could not be read.
    pub fn apply(&mut self, record: Option<&Record>) {
        self.version += 1;
        let Some(record) = record else {
            self.damaged = true;
            return;
        };
        self.token = record.token;
        self.history.push(self.version, record.token);
        for (name, operation) in &record.operations {
            let (value, steps) = match operation {
                Operation::Delete => (None, Steps::default()),
                Operation::Set(value) => (Some(value.clone()), Steps::default()),
                Operation::Change(delta) => self.step(name, delta),
            };
            self.put(name.clone(), value, steps);
        }
        self.forget_removed();
    }

    /// The store has this version, under this token.
    pub fn confirm(&mut self, token: Token) {
        self.token = token;
        self.confirmed = Some(Moment::now());
        if !self.history.knows(self.version, token) {
            self.history.push(self.version, token);
        }
    }

    fn step(&mut self, name: &Bytes, delta: &Delta) -> (Option<Bytes>, Steps) {
        let old = self.attributes.get_mut(name);
        let new = old.and_then(|old| {
            let value = delta.step(old.value.take()?)?;
            let steps = std::mem::take(&mut old.steps);
            let steps = steps.then(old.changed, delta, value.len());
            Some((value, steps))
        });
        let Some((value, steps)) = new else {
            // Other bytes than the delta was made from: a record before it was lost.
            self.damaged = true;
            return (None, Steps::default());
        };
        (Some(value), steps)
    }

    fn put(&mut self, name: Bytes, value: Option<Bytes>, steps: Steps) {
        let changed = self.version;
        let attribute = Attribute {
            changed,
            value,
            steps,
        };
        self.attributes.insert(name, attribute);
    }

    fn forget_removed(&mut self) {
        let removed = self
            .attributes
            .values()
            .filter(|attribute| attribute.value.is_none());
        let mut versions: Vec<u64> = removed.map(|attribute| attribute.changed).collect();
        if versions.len() <= MAX_REMOVED {
            return;
        }
        versions.sort_unstable();
        // Half at once, so that this is not done at every commit.
        let floor = versions.get(MAX_REMOVED / 2).copied().unwrap_or_default();
        self.floor = self.floor.max(floor);
        self.attributes
            .retain(|_, had| had.value.is_some() || had.changed > floor);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn set(name: &str, value: &str) -> Change {
        let value = Some(Bytes::copy_from_slice(value.as_bytes()));
        Change::whole(Bytes::copy_from_slice(name.as_bytes()), value)
    }

    fn delete(name: &str) -> Change {
        Change::whole(Bytes::copy_from_slice(name.as_bytes()), None)
    }

    fn lack(session: &Session, held: u64) -> (bool, Vec<String>) {
        let lack = session.lack(held, &BTreeSet::new());
        let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
        let one = |(name, value): &(Bytes, Option<Bytes>)| {
            format!("{}={}", text(name), value.as_ref().map_or("-".into(), text))
        };
        (lack.whole, lack.attributes.iter().map(one).collect())
    }

    fn session() -> Session {
        let mut session = Session::new(1, 60);
        session.change(&[set("a", "1"), set("b", "1")], Token::random());
        session.change(&[set("a", "2"), delete("b")], Token::random());
        session.change(&[set("c", "3")], Token::random());
        session
    }

    #[test]
    fn a_reader_gets_what_changed_since() {
        let session = session();
        assert_eq!(lack(&session, 3), (false, vec![]));
        assert_eq!(lack(&session, 2), (false, vec!["c=3".into()]));
        assert_eq!(
            lack(&session, 1),
            (false, vec!["a=2".into(), "b=-".into(), "c=3".into()])
        );
        assert_eq!(lack(&session, 0), (false, vec!["a=2".into(), "c=3".into()]));
    }

    #[test]
    fn a_reader_ahead_of_the_store_gets_all_and_is_told_so() {
        assert_eq!(
            lack(&session(), 9),
            (true, vec!["a=2".into(), "c=3".into()])
        );
    }

    #[test]
    fn what_is_as_it_was_is_dropped() {
        let session = session();
        let changes = [
            set("a", "2"),
            delete("b"),
            delete("x"),
            set("c", "9"),
            set("c", "3"),
        ];
        assert_eq!(session.effective(&changes), vec![]);
        let changes = [set("c", "3"), set("c", "4")];
        assert_eq!(session.effective(&changes), vec![set("c", "4")]);
    }

    #[test]
    fn sizes_count_names_and_values_once() {
        let session = session();
        assert_eq!(session.size(), 4);
        assert_eq!(
            session.size_after(&[set("a", "12345"), set("d", ""), delete("c")]),
            7
        );
        assert_eq!(session.size_after(&[set("a", "12345"), set("a", "1")]), 4);
    }

    #[test]
    fn old_removals_are_forgotten_and_those_who_missed_them_get_all() {
        let mut session = session();
        for n in 0..200 {
            session.change(&[set(&format!("x{n}"), "1")], Token::random());
            session.change(&[delete(&format!("x{n}"))], Token::random());
        }
        assert!(session.attributes().len() <= MAX_REMOVED + 2);
        assert!(session.floor > 3);
        assert_eq!(lack(&session, 3), (true, vec!["a=2".into(), "c=3".into()]));
        assert!(!lack(&session, session.version - 1).0);
    }
}

//! How a commit goes to the store: as a record, or as a record and a new snapshot, or as a snapshot alone.

use bytes::Bytes;

use super::delta::Delta;
use super::packing::Packing;
use super::record::{Operation, Record};
use super::{Change, Session, Token, snapshot};

/// What a record takes of the store beside its bytes: the field's name, and what a hash needs to find it (`MEMORY USAGE`: 60 in Redis 7.0, 25 to 55 in
/// Valkey 8.1).
const RECORD_OVERHEAD: usize = 64;
/// Records may take this much, and three times the session: each new snapshot costs all of its bytes.
const ROOM: usize = 8 << 10;
/// The most records that a reader of the whole session goes through.
const MAX_RECORDS: u64 = 768;
/// A record of more than this is not told: whoever wants it asks the store.
pub const MOST_NEWS: usize = 4 << 10;
/// Records of less are never taken for as good as a snapshot.
const LARGE_RECORD: usize = 1 << 10;
/// Records that stay behind a new snapshot, so that readers a little behind still get deltas.
const KEPT_RECORDS: u64 = 64;
/// A record may come along with a snapshot if it makes the commit at most this part dearer (1/20 is 5 %).
const SMALL_PART: usize = 20;

/// What to send for one commit.
#[derive(Debug)]
pub struct Plan {
    /// The commit's record.
    pub record: Record,
    /// Its bytes.
    pub encoded: Vec<u8>,
    /// What it would be if the snapshot did not say it all, where that is little: for who holds the version before, and needs no snapshot.
    pub whole: Option<Vec<u8>>,
    /// It only makes sense on the version that it was made on.
    pub exact: bool,
    /// The idle time, if it changes.
    pub idle: Option<i64>,
    /// A new snapshot, and how many records before this one stay.
    pub snapshot: Option<(Vec<u8>, u64)>,
}

/// What was refused once is sent so that it cannot be refused again: whole values, no snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// The store most likely holds what we hold.
    Hopeful,
    /// It did not.
    Sure,
}

impl Plan {
    /// The cheapest way to commit `changes`, which all change something, and make so many versions.
    pub fn of(
        session: &Session,
        changes: &[Change],
        care: Care,
        versions: u64,
        packing: Packing,
    ) -> Self {
        let record = record(session, changes, care);
        let plan = Self::without_snapshot(record, packing);
        if care == Care::Sure || session.damaged || !is_due(session, &plan.encoded) {
            return plan;
        }
        let mut next = session.clone();
        next.version += versions - 1;
        next.change(changes, plan.record.token);
        let folded = snapshot::encode(&next, packing);
        if plan.encoded.len() * SMALL_PART <= folded.len() {
            let snapshot = Some((folded, KEPT_RECORDS));
            return Self { snapshot, ..plan };
        }
        Self {
            exact: true,
            snapshot: Some((folded, 0)),
            whole: Some(plan.encoded).filter(|whole| whole.len() <= MOST_NEWS),
            ..Self::without_snapshot(plan.record.stub(), packing)
        }
    }

    /// Puts back what a store lacks of a version with this token, on whatever is there.
    pub fn put_back(changes: &[Change], of: Token, packing: Packing) -> Self {
        let record = Record {
            token: of.put_back(),
            ..blind(changes)
        };
        Self::without_snapshot(record, packing)
    }

    /// Whether it changes nothing of the session but what its record says.
    pub fn is_record_alone(&self) -> bool {
        self.idle.is_none() && self.snapshot.is_none()
    }

    /// A record of all that it changes; `None` where that is much, or more than attributes.
    pub fn news(&self) -> Option<&[u8]> {
        let record = match &self.whole {
            Some(whole) => whole,
            // The snapshot says it.
            None if self.record.operations.is_empty() => return None,
            None => &self.encoded,
        };
        (self.idle.is_none() && record.len() <= MOST_NEWS).then_some(record)
    }

    fn without_snapshot(record: Record, packing: Packing) -> Self {
        let encoded = record.encode(packing);
        let exact = record.has_deltas();
        Self {
            record,
            encoded,
            whole: None,
            exact,
            idle: None,
            snapshot: None,
        }
    }
}

/// The record of a commit on bytes that are not known: whole values.
pub fn blind(changes: &[Change]) -> Record {
    recorded(changes, |_| None)
}

fn record(session: &Session, changes: &[Change], care: Care) -> Record {
    if care == Care::Sure {
        return blind(changes);
    }
    recorded(changes, |change| {
        delta(session.value(&change.name)?, change)
    })
}

fn recorded(changes: &[Change], delta: impl Fn(&Change) -> Option<Delta>) -> Record {
    let operation = |change: &Change| match &change.value {
        None => Operation::Delete,
        Some(value) => {
            delta(change).map_or_else(|| Operation::Set(value.clone()), Operation::Change)
        }
    };
    let operation = |change: &Change| (change.name.clone(), operation(change));
    Record {
        token: Token::random(),
        operations: changes.iter().map(operation).collect(),
    }
}

/// As the client told it where it did: he tells none where a search could find much less, and one costs as much as all else that becomes of a large value.
fn delta(old: &Bytes, change: &Change) -> Option<Delta> {
    let value = change.value.as_ref()?;
    let told = change.told_of(old).filter(|told| told.pays(value.len()));
    told.cloned().or_else(|| Delta::between(old, value))
}

/// Whether the records outweigh what a new snapshot costs: now, or, where nearly all of the session changes, at once.
fn is_due(session: &Session, record: &[u8]) -> bool {
    let (size, count) = (
        session.size(),
        session.version + 1 - session.snapshot_version.min(session.version),
    );
    let overhead = usize::try_from(count)
        .unwrap_or(usize::MAX)
        .saturating_mul(RECORD_OVERHEAD);
    let weight = overhead.saturating_add(session.record_bytes + record.len());
    let replaces = record.len() > LARGE_RECORD && record.len() > size - size / 4;
    replaces || weight > 3 * size + ROOM || count > MAX_RECORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::delta::Range;

    fn set(value: Vec<u8>) -> Vec<Change> {
        vec![Change::whole(
            Bytes::from_static(b"a"),
            Some(Bytes::from(value)),
        )]
    }

    fn random(length: usize) -> Vec<u8> {
        std::iter::repeat_with(|| fastrand::u8(..))
            .take(length)
            .collect()
    }

    /// Commits in turn, as the service does; returns the bytes sent for each.
    fn commit_all(session: &mut Session, values: impl Iterator<Item = Vec<u8>>) -> Vec<usize> {
        let mut sent = Vec::new();
        for value in values {
            let changes = set(value);
            let plan = Plan::of(session, &changes, Care::Hopeful, 1, Packing::OFF);
            session.change(&changes, plan.record.token);
            let snapshot = plan.snapshot.as_ref().map_or(0, |(bytes, _)| bytes.len());
            sent.push(plan.encoded.len() + snapshot);
            if plan.snapshot.is_some() {
                session.snapshot_version = session.version;
                session.record_bytes = 0;
            } else {
                session.record_bytes += plan.encoded.len();
            }
        }
        sent
    }

    fn created(value: Vec<u8>) -> Session {
        let mut session = Session::new(1, 60);
        session.change(&set(value), Token::random());
        session.snapshot_version = 1;
        session
    }

    #[test]
    fn a_change_as_large_as_the_session_never_costs_more_than_five_percent_over_it() {
        for length in [2_000, 20_000] {
            let mut session = created(random(length));
            let values = std::iter::repeat_with(|| random(length)).take(50);
            for sent in commit_all(&mut session, values) {
                assert!(sent * 100 <= length * 105, "{sent} bytes for {length}");
            }
        }
    }

    #[test]
    fn who_holds_the_version_before_is_told_what_a_snapshot_says() {
        let old = random(2_000);
        let mut session = created(old.clone());
        session.record_bytes = 20_000;
        let mut new = old;
        new[..200].copy_from_slice(&random(200));
        let changes = set(new);
        let plan = Plan::of(&session, &changes, Care::Hopeful, 1, Packing::OFF);
        assert!(plan.snapshot.is_some() && plan.record.operations.is_empty());
        let news = Record::decode(plan.news().unwrap()).unwrap();
        assert_eq!(news.token, plan.record.token);
        let mut told = session.clone();
        told.apply(Some(&news));
        session.change(&changes, plan.record.token);
        assert_eq!(told.value(b"a"), session.value(b"a"));
        assert!(
            Plan {
                idle: Some(60),
                ..plan
            }
            .news()
            .is_none()
        );
    }

    #[test]
    fn small_changes_cost_little_even_with_the_snapshots_in_between() {
        let start = random(20_000);
        let mut session = created(start.clone());
        let values = (0..1000_usize).map(|n| {
            let mut value = start.clone();
            value[n * 19..n * 19 + 8].copy_from_slice(&(n as u64 + 1).to_be_bytes());
            value
        });
        let sent = commit_all(&mut session, values);
        assert!(sent.iter().max() <= Some(&21_000));
        assert!(sent.iter().sum::<usize>() / sent.len() < 300, "on average");
    }

    #[test]
    fn a_delta_is_taken_as_it_was_told_if_it_pays_and_is_of_these_bytes() {
        let value = random(2_000);
        let session = created(value.clone());
        let old = session.value(b"a").unwrap();
        // Half of what it inserts is there already: no search would come up with that.
        let told = |length: usize| {
            let zeros = vec![0; length / 2];
            let new = [&zeros, &value[length / 2..]].concat();
            Delta {
                old_length: old.len(),
                check: crc32fast::hash(&new),
                ranges: vec![Range {
                    offset: 0,
                    removed: length,
                    inserted: Bytes::from(new).slice(..length),
                }],
            }
        };
        let planned = |from: &Bytes, delta: &Delta| {
            let change = Change::by(Bytes::from_static(b"a"), from.clone(), delta.clone()).unwrap();
            let plan = Plan::of(&session, &[change], Care::Hopeful, 1, Packing::OFF);
            plan.record.operations[0].1.clone()
        };
        let small = told(100);
        assert_eq!(planned(old, &small), Operation::Change(small.clone()));
        let elsewhere = Bytes::copy_from_slice(old);
        let found = Delta::between(old, &small.apply(old).unwrap()).unwrap();
        assert_ne!(small, found);
        assert_eq!(planned(&elsewhere, &small), Operation::Change(found));
        let large = told(1_900);
        assert_ne!(planned(old, &large), Operation::Change(large.clone()));
    }

    #[test]
    fn a_damaged_session_is_never_folded() {
        let mut session = created(random(2_000));
        session.damaged = true;
        session.record_bytes = 1 << 20;
        assert!(
            Plan::of(
                &session,
                &set(random(2_000)),
                Care::Hopeful,
                1,
                Packing::OFF
            )
            .snapshot
            .is_none()
        );
    }

    #[test]
    fn what_was_refused_once_has_no_deltas() {
        let start = random(2_000);
        let session = created(start.clone());
        let mut value = start;
        value[7] ^= 1;
        assert!(
            Plan::of(
                &session,
                &set(value.clone()),
                Care::Hopeful,
                1,
                Packing::OFF
            )
            .exact
        );
        assert!(!Plan::of(&session, &set(value), Care::Sure, 1, Packing::OFF).exact);
    }
}

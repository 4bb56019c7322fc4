//! Accesses of claimed sessions that the store has not been told of.
//!
//! They are told together, at most once in an interval, and always before the session could be taken as unused: what the
//! store knows lags by an eighth of the idle time at most, and an open that comes after half of it asks the store.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use crate::key::Digest;

const LONGEST: Duration = Duration::from_mins(1);
/// What is due is looked for every second: sessions that live for less long than this are not left untold at all.
const SHORTEST_IDLE: u64 = 8;

/// How soon a store that could not be told is told again.
pub const AGAIN: Duration = Duration::from_secs(5);

/// How long the store may go without being told.
pub fn interval(idle: i64) -> Duration {
    match u64::try_from(idle) {
        Ok(idle) => LONGEST.min(Duration::from_secs(idle) / 8),
        Err(_) => LONGEST,
    }
}

/// Whether an access so long after the last one that the store knows of may stay untold for an interval.
pub fn may_wait(idle: i64, since_written: Duration) -> bool {
    match u64::try_from(idle) {
        Ok(idle) => idle >= SHORTEST_IDLE && since_written < Duration::from_secs(idle) / 2,
        Err(_) => true,
    }
}

/// The untold accesses.
#[derive(Debug, Default)]
pub struct Accesses {
    untold: HashMap<Digest, Untold>,
    by_time: BTreeSet<(Instant, Digest)>,
}

#[derive(Debug)]
struct Untold {
    last: Instant,
    due: Instant,
}

impl Accesses {
    /// There was an access, to be told by `due` if none is to be told before.
    pub fn note(&mut self, id: Digest, now: Instant, due: Instant) {
        let untold = self.untold.entry(id).or_insert_with(|| {
            self.by_time.insert((due, id));
            Untold { last: now, due }
        });
        untold.last = untold.last.max(now);
    }

    /// The last untold access of a session, which is told now.
    pub fn take(&mut self, id: Digest) -> Option<Instant> {
        let untold = self.untold.remove(&id)?;
        self.by_time.remove(&(untold.due, id));
        Some(untold.last)
    }

    /// Those that are due, with the last access of each; they are told now.
    pub fn take_due(&mut self, now: Instant) -> Vec<(Digest, Instant)> {
        let mut due = Vec::new();
        while let Some(&(at, id)) = self.by_time.first() {
            if at > now {
                break;
            }
            due.extend(self.take(id).map(|last| (id, last)));
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_is_told_every_minute_or_eighth_of_the_idle_time() {
        assert_eq!(interval(1800), Duration::from_mins(1));
        assert_eq!(interval(-1), Duration::from_mins(1));
        assert_eq!(interval(80), Duration::from_secs(10));
        assert_eq!(interval(4), Duration::from_millis(500));
        assert!(may_wait(-1, Duration::from_hours(10)));
        assert!(may_wait(60, Duration::from_secs(29)));
        assert!(!may_wait(60, Duration::from_secs(30)));
        assert!(!may_wait(7, Duration::ZERO));
    }

    #[test]
    fn an_access_is_told_once_when_it_is_due_with_the_last_time() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let (a, b) = (Digest::of(b"a"), Digest::of(b"b"));
        let mut accesses = Accesses::default();
        accesses.note(a, at(1), at(60));
        accesses.note(b, at(2), at(30));
        accesses.note(a, at(40), at(99));
        accesses.note(a, at(3), at(99));
        assert_eq!(accesses.take_due(at(29)), vec![]);
        assert_eq!(accesses.take_due(at(30)), vec![(b, at(2))]);
        assert_eq!(accesses.take_due(at(70)), vec![(a, at(40))]);
        assert_eq!(accesses.take_due(at(999)), vec![]);
    }

    #[test]
    fn what_was_told_otherwise_is_not_told_again() {
        let start = Instant::now();
        let id = Digest::of(b"a");
        let mut accesses = Accesses::default();
        accesses.note(id, start, start + BEFORE);
        assert_eq!(accesses.take(id), Some(start));
        assert_eq!(accesses.take(id), None);
        accesses.note(id, start + BEFORE, start + 2 * BEFORE);
        assert_eq!(accesses.take_due(start + BEFORE), vec![]);
        assert_eq!(accesses.take_due(start + 2 * BEFORE).len(), 1);
    }

    const BEFORE: Duration = Duration::from_mins(1);
}

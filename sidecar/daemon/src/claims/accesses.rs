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

/// Accesses of one session, one after another. A session that is over for a store that was away may have been in use all the time: that is so where the
/// first of them was in time for the last one that the store knows of, and each for the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// The first.
    pub first: Instant,
    /// The last.
    pub last: Instant,
    /// The longest time between two of them.
    pub gap: Duration,
}

impl Use {
    /// One access.
    pub fn at(now: Instant) -> Self {
        Self {
            first: now,
            last: now,
            gap: Duration::ZERO,
        }
    }

    /// The longest time without an access since the store knew of one `ago`.
    pub fn longest_pause(self, ago: Duration, now: Instant) -> Duration {
        let since = |at| now.saturating_duration_since(at);
        let before = ago.saturating_sub(since(self.first));
        before.max(self.gap).max(since(self.last)).min(ago)
    }

    /// As the store is told of them: how long ago the last was, and the first, and the gap, in ms.
    pub fn told(self, now: Instant) -> [String; 3] {
        let ago = |at| now.saturating_duration_since(at);
        [ago(self.last), ago(self.first), self.gap].map(|time| time.as_millis().to_string())
    }

    /// These, and others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (early, late) = if self.first <= other.first {
            (self, other)
        } else {
            (other, self)
        };
        let between = late.first.saturating_duration_since(early.last);
        Self {
            first: early.first,
            last: early.last.max(late.last),
            gap: between.max(early.gap).max(late.gap),
        }
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
    used: Use,
    due: Instant,
}

impl Accesses {
    /// There was an access, to be told by `due` if none is to be told before.
    pub fn note(&mut self, id: Digest, now: Instant, due: Instant) {
        self.note_all(id, Use::at(now), due);
    }

    /// There were these.
    pub fn note_all(&mut self, id: Digest, used: Use, due: Instant) {
        let untold = self.untold.entry(id).or_insert_with(|| {
            self.by_time.insert((due, id));
            Untold { used, due }
        });
        untold.used = untold.used.and(used);
    }

    /// The untold accesses of a session, if there are any.
    pub fn untold(&self, id: Digest) -> Option<Use> {
        self.untold.get(&id).map(|untold| untold.used)
    }

    /// The untold accesses of a session, which are told now.
    pub fn take(&mut self, id: Digest) -> Option<Use> {
        let untold = self.untold.remove(&id)?;
        self.by_time.remove(&(untold.due, id));
        Some(untold.used)
    }

    /// All sessions that there are any of.
    pub fn all(&self) -> Vec<(Digest, Use)> {
        let all = self.untold.iter();
        all.map(|(id, untold)| (*id, untold.used)).collect()
    }

    /// Those that are due, with the accesses of each; they are due again if they are not [told](Self::told) soon.
    pub fn due(&mut self, now: Instant) -> Vec<(Digest, Use)> {
        let mut due = Vec::new();
        while let Some(&(at, id)) = self.by_time.first() {
            if at > now {
                break;
            }
            self.by_time.remove(&(at, id));
            if let Some(untold) = self.untold.get_mut(&id) {
                untold.due = now + AGAIN;
                self.by_time.insert((untold.due, id));
                due.push((id, untold.used));
            }
        }
        due
    }

    /// The store was told of these, or need not be. Until then they are known: a request may come while it is told.
    pub fn told(&mut self, id: Digest, used: Use) {
        let later = self
            .untold
            .get(&id)
            .is_some_and(|untold| untold.used.last > used.last);
        if !later {
            self.take(id);
        }
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
        assert_eq!(accesses.due(at(29)), vec![]);
        let told = vec![(b, Use::at(at(2)))];
        assert_eq!(accesses.due(at(30)), told);
        assert_eq!(accesses.due(at(34)), vec![], "it is being told");
        assert_eq!(accesses.due(at(35)), told, "again, for it was not");
        accesses.told(b, told[0].1);
        let told = accesses.due(at(70));
        assert_eq!((told[0].0, told[0].1.last), (a, at(40)));
        accesses.note(a, at(71), at(99));
        accesses.told(a, told[0].1);
        assert_eq!(accesses.untold(a).map(|used| used.last), Some(at(71)));
        accesses.told(a, Use::at(at(71)));
        assert_eq!(accesses.due(at(999)), vec![]);
    }

    #[test]
    fn what_was_told_otherwise_is_not_told_again() {
        let start = Instant::now();
        let id = Digest::of(b"a");
        let mut accesses = Accesses::default();
        accesses.note(id, start, start + BEFORE);
        assert_eq!(accesses.take(id), Some(Use::at(start)));
        assert_eq!(accesses.take(id), None);
        accesses.note(id, start + BEFORE, start + 2 * BEFORE);
        assert_eq!(accesses.due(start + BEFORE), vec![]);
        assert_eq!(accesses.due(start + 2 * BEFORE).len(), 1);
    }

    #[test]
    fn accesses_are_known_by_the_first_the_last_and_the_longest_time_between_two() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let all = [4, 1, 9, 10].map(|seconds| Use::at(at(seconds)));
        let used = all.into_iter().reduce(Use::and).unwrap();
        let gap = Duration::from_secs(5);
        let expected = Use {
            first: at(1),
            last: at(10),
            gap,
        };
        assert_eq!(used, expected);
        // What is within says nothing new, and what comes after a longer time does.
        assert_eq!(Use::at(at(5)).and(used), expected);
        assert_eq!(Use::at(at(20)).and(used).gap, Duration::from_secs(10));
        let pause = |ago, now| used.longest_pause(Duration::from_secs(ago), at(now));
        assert_eq!(pause(11, 11), gap);
        assert_eq!(pause(31, 30), Duration::from_secs(20), "since the last");
        assert_eq!(pause(17, 11), Duration::from_secs(7), "before the first");
        assert_eq!(
            pause(3, 30),
            Duration::from_secs(3),
            "the store knows of a later one"
        );
    }

    const BEFORE: Duration = Duration::from_mins(1);
}

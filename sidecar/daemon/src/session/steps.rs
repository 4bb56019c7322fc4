//! How an attribute got from one value to the next: clients that hold an older one get the deltas and not the value.

use bytes::Bytes;

use super::Session;
use super::delta::Delta;
use super::lack::{Lack, Patched};

/// Values smaller than this are sent whole: a delta would save nothing worth the work.
const SHORTEST_VALUE: usize = 512;
const MAX_STEPS: usize = 16;
/// Steps are kept while they have at most this part of the value's bytes.
const SMALL_PART: usize = 4;

#[derive(Debug, Clone)]
struct Step {
    /// The version of the value that it applies to.
    from: u64,
    delta: Bytes,
}

/// The last steps that led to a value, the newest at the end.
#[derive(Debug, Clone, Default)]
pub struct Steps(Vec<Step>);

/// A value is the same however it came about.
impl PartialEq for Steps {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Steps {}

impl Steps {
    /// These steps and one more, from the value of version `from` to one of `length` bytes.
    pub(super) fn then(mut self, from: u64, delta: &Delta, length: usize) -> Self {
        let mut bytes = Vec::new();
        delta.encode(&mut bytes);
        self.0.push(Step {
            from,
            delta: bytes.into(),
        });
        let mut room = length / SMALL_PART;
        let fits = |step: &&Step| {
            let fits = step.delta.len() <= room;
            room = room.saturating_sub(step.delta.len());
            fits
        };
        let kept = self.0.iter().rev().take(MAX_STEPS).take_while(fits).count();
        self.0.drain(..self.0.len() - kept);
        self
    }

    /// The deltas from the value that was there at version `held`.
    fn since(&self, held: u64) -> Option<Vec<Bytes>> {
        let first = self.0.iter().rposition(|step| step.from <= held)?;
        let steps = self.0.get(first..)?;
        Some(steps.iter().map(|step| step.delta.clone()).collect())
    }

    /// What they take in memory.
    pub(super) fn weight(&self) -> usize {
        self.0
            .iter()
            .map(|step| step.delta.len() + size_of::<Step>())
            .sum()
    }
}

impl Session {
    /// The same as deltas, wherever the way from version `held` is known and shorter than the value.
    pub fn as_steps(&self, held: u64, lack: Lack) -> Lack {
        if lack.whole || held == 0 {
            return lack;
        }
        let mut shorter = Lack {
            whole: false,
            ..Lack::nothing()
        };
        for (name, value) in lack.attributes {
            let long = value
                .as_ref()
                .is_some_and(|value| value.len() >= SHORTEST_VALUE);
            let steps = self.attributes.get(&name).filter(|_| long);
            match steps.and_then(|attribute| attribute.steps.since(held)) {
                Some(deltas) => shorter.patched.push(Patched { name, deltas }),
                None => shorter.attributes.push((name, value)),
            }
        }
        shorter
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::record::{Operation, Record};
    use super::super::{Change, Token};
    use super::*;

    fn value(n: u8) -> Bytes {
        let mut value = vec![7; 4_000];
        value[usize::from(n) * 100] = n;
        value.into()
    }

    fn step(session: &mut Session, old: &Bytes, new: &Bytes) {
        let delta = Delta::between(old, new).unwrap();
        let name = Bytes::from_static(b"a");
        session.apply(Some(&Record {
            token: Token::random(),
            operations: vec![(name, Operation::Change(delta))],
        }));
    }

    fn session() -> Session {
        let mut session = Session::new(1, 60);
        let created = Change::whole(Bytes::from_static(b"a"), Some(value(1)));
        session.change(&[created], Token::random());
        for n in 1..4 {
            step(&mut session, &value(n), &value(n + 1));
        }
        session
    }

    #[test]
    fn whoever_is_a_little_behind_gets_the_steps_that_lead_to_the_value() {
        let session = session();
        for held in 1..=3_u8 {
            let lack = session.lack(held.into(), &BTreeSet::new());
            let lack = session.as_steps(held.into(), lack);
            assert!(lack.attributes.is_empty());
            let mut reached = value(held);
            for delta in &lack.patched[0].deltas {
                reached = Delta::decode(&mut delta.as_ref())
                    .unwrap()
                    .apply(&reached)
                    .unwrap();
            }
            assert_eq!(reached, value(4));
            assert_eq!(lack.patched[0].deltas.len(), usize::from(4 - held));
        }
    }

    #[test]
    fn a_value_that_was_set_anew_has_no_way_to_it() {
        let mut session = session();
        let anew = Change::whole(Bytes::from_static(b"a"), Some(value(9)));
        session.change(&[anew], Token::random());
        step(&mut session, &value(9), &value(10));
        let patched = |held| {
            let lack = session.lack(held, &BTreeSet::new());
            session.as_steps(held, lack).patched.len()
        };
        assert_eq!((patched(4), patched(5)), (0, 1));
    }

    #[test]
    fn few_steps_are_kept() {
        let mut session = session();
        for n in 0..60 {
            step(&mut session, &value(4 + n % 2), &value(5 - n % 2));
        }
        let steps = &session.attributes.values().next().unwrap().steps;
        assert!(steps.0.len() <= MAX_STEPS && steps.weight() < 2_000);
    }
}

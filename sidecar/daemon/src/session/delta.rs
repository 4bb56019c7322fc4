//! What changed between two values of one attribute, as byte ranges.
//!
//! A delta is exact: it names the length it applies to and a checksum of what comes out, so that it is never
//! applied to other bytes than those it was made from.

use bytes::{BufMut, Bytes, BytesMut};

use super::matching::{Edit, edits};
use super::varint;

/// A replaced range of the old bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Where it begins in the old bytes.
    pub offset: usize,
    /// How many old bytes go.
    pub removed: usize,
    /// The bytes that come in their place.
    pub inserted: Bytes,
}

/// The ranges that turn one value into another, ascending and apart from each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The length of the value that it applies to.
    pub old_length: usize,
    /// CRC-32 of the value that comes out.
    pub check: u32,
    /// The ranges.
    pub ranges: Vec<Range>,
}

impl Delta {
    /// The delta from `old` to `new`; `None` if writing `new` whole costs about as little.
    pub fn between(old: &[u8], new: &Bytes) -> Option<Self> {
        let edits = edits(old, new);
        if !pays(cost(&edits) + FIXED_COST, new.len()) {
            return None;
        }
        let ranges = edits
            .into_iter()
            .map(|edit| Range {
                offset: edit.old.start,
                removed: edit.old.len(),
                inserted: new.slice(edit.new),
            })
            .collect();
        Some(Self {
            old_length: old.len(),
            check: crc32fast::hash(new),
            ranges,
        })
    }

    /// The new value; `None` if `old` is not the value that the delta was made from.
    pub fn apply(&self, old: &[u8]) -> Option<Bytes> {
        if old.len() != self.old_length {
            return None;
        }
        let inserted: usize = self.ranges.iter().map(|range| range.inserted.len()).sum();
        let mut new = BytesMut::with_capacity(old.len() + inserted);
        let mut at = 0;
        for range in &self.ranges {
            new.put_slice(old.get(at..range.offset)?);
            new.put_slice(&range.inserted);
            at = range.offset.checked_add(range.removed)?;
        }
        new.put_slice(old.get(at..)?);
        (crc32fast::hash(&new) == self.check).then(|| new.freeze())
    }

    /// As [`Delta::apply`], in the old bytes themselves where nobody else has them and each range stays as long as it was: most of a large value is left where
    /// it is.
    pub fn step(&self, old: Bytes) -> Option<Bytes> {
        let mut new = match old.try_into_mut() {
            Ok(mine) if self.keeps_its_places() && mine.len() == self.old_length => mine,
            Ok(mine) => return self.apply(&mine),
            Err(shared) => return self.apply(&shared),
        };
        for range in &self.ranges {
            let place = range.offset..range.offset.checked_add(range.removed)?;
            new.get_mut(place)?.copy_from_slice(&range.inserted);
        }
        (crc32fast::hash(&new) == self.check).then(|| new.freeze())
    }

    fn keeps_its_places(&self) -> bool {
        let mut ranges = self.ranges.iter();
        ranges.all(|range| range.removed == range.inserted.len())
    }

    /// Whether it takes less, by about an eighth at least, than the whole of the value that comes out, which has this length.
    pub fn pays(&self, length: usize) -> bool {
        let ranges = self.ranges.iter();
        let cost = ranges.map(|range| 3 + range.inserted.len()).sum::<usize>();
        pays(FIXED_COST + cost, length)
    }

    /// Appends the delta's bytes: old length, check, count, and each range with its distance from the one before.
    pub fn encode(&self, out: &mut impl BufMut) {
        varint::put(out, self.old_length as u64);
        out.put_u32(self.check);
        varint::put(out, self.ranges.len() as u64);
        let mut at = 0;
        for range in &self.ranges {
            varint::put(out, (range.offset - at) as u64);
            varint::put(out, range.removed as u64);
            varint::put_bytes(out, &range.inserted);
            at = range.offset + range.removed;
        }
    }

    /// Reads a delta that stands alone; `None` if it is anything else.
    pub fn read(mut bytes: &[u8]) -> Option<Self> {
        Self::decode(&mut bytes).filter(|_| bytes.is_empty())
    }

    /// Reads what [`Delta::encode`] wrote; `None` if it is anything else.
    pub fn decode(input: &mut &[u8]) -> Option<Self> {
        let old_length = varint::get_size(input)?;
        let (check, rest) = input.split_first_chunk::<4>()?;
        let check = u32::from_be_bytes(*check);
        *input = rest;
        let count = varint::get_size(input)?;
        // Each range takes three bytes at least: a count past that is a lie not worth allocating for.
        if count > input.len() / 3 {
            return None;
        }
        let mut ranges = Vec::with_capacity(count);
        let mut at = 0_usize;
        for _ in 0..count {
            let offset = at.checked_add(varint::get_size(input)?)?;
            let removed = varint::get_size(input)?;
            let inserted = varint::get_bytes(input)?;
            at = offset.checked_add(removed)?;
            if at > old_length {
                return None;
            }
            ranges.push(Range {
                offset,
                removed,
                inserted,
            });
        }
        Some(Self {
            old_length,
            check,
            ranges,
        })
    }
}

/// Old length, check and count, at most.
const FIXED_COST: usize = 4 + 4 + 2;

fn pays(cost: usize, length: usize) -> bool {
    cost < length - length / 8
}

fn cost(edits: &[Edit]) -> usize {
    let mut at = 0;
    edits
        .iter()
        .map(|edit| {
            let distance = edit.old.start - at;
            at = edit.old.end;
            let numbers = [distance, edit.old.len(), edit.new.len()];
            numbers
                .iter()
                .map(|n| varint::length(*n as u64))
                .sum::<usize>()
                + edit.new.len()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(delta: &Delta) -> Vec<u8> {
        let mut out = Vec::new();
        delta.encode(&mut out);
        out
    }

    /// Bytes that look like a Java serialized stream: recurring class names, small numbers, text.
    fn java_like(length: usize, seed: u64) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut out = b"\xac\xed\x00\x05".to_vec();
        while out.len() < length {
            out.extend_from_slice(
                b"sr\x00\x0ejava.lang.Long;\x8b\xe4\x90\xcc\x8f#\xdf\x02\x00\x01J",
            );
            out.extend_from_slice(&u64::from(random.u32(..)).to_be_bytes());
            out.extend_from_slice(b"t\x00\x0cproduct-");
            out.extend_from_slice(random.u32(1000..9999).to_string().as_bytes());
        }
        out.truncate(length);
        out
    }

    fn size_of_change(old: &[u8], new: Vec<u8>) -> usize {
        let new = Bytes::from(new);
        let delta = Delta::between(old, &new).expect("a small change makes a delta");
        let bytes = encoded(&delta);
        let read = Delta::decode(&mut bytes.as_slice());
        assert_eq!(read.as_ref(), Some(&delta));
        assert_eq!(delta.apply(old), Some(new));
        bytes.len()
    }

    #[test]
    fn thirty_two_bytes_of_twenty_kibibytes_make_a_small_delta() {
        let old = java_like(20 << 10, 1);
        for at in [0, 1, 5_000, 10_007, old.len() - 32] {
            let mut new = old.clone();
            for byte in new.iter_mut().skip(at).take(32) {
                *byte ^= 0x55;
            }
            assert!(size_of_change(&old, new) < 60);
        }
    }

    #[test]
    fn scattered_changes_make_a_small_delta() {
        let old = java_like(20 << 10, 2);
        let mut new = old.clone();
        for at in (0..new.len()).step_by(new.len() / 7) {
            new[at..at + 4].copy_from_slice(b"\x01\x02\x03\x04");
        }
        assert!(size_of_change(&old, new) < 100);
    }

    #[test]
    fn shifted_bytes_make_a_small_delta() {
        let old = java_like(20 << 10, 3);
        let mut longer = old.clone();
        longer.splice(3_000..3_000, *b"a thing that was not there.....!");
        longer.splice(12_000..12_004, *b"longer than before");
        assert!(size_of_change(&old, longer) < 150);
        let mut shorter = old.clone();
        shorter.drain(15_000..15_032);
        shorter.drain(2_000..2_007);
        assert!(size_of_change(&old, shorter) < 150);
        let mut moved = old.clone();
        moved.splice(1_000..1_000, *b"in");
        moved.drain(18_000..18_002);
        assert!(size_of_change(&old, moved) < 150);
    }

    #[test]
    fn what_is_all_new_makes_none() {
        let new = Bytes::from((0..20_000).map(|_| fastrand::u8(..)).collect::<Vec<_>>());
        assert_eq!(Delta::between(&java_like(20 << 10, 4), &new), None);
        assert_eq!(Delta::between(b"", &new), None);
        assert_eq!(
            Delta::between(b"short", &Bytes::from_static(b"shore")),
            None
        );
    }

    #[test]
    fn other_bytes_of_the_same_length_are_refused() {
        let old = java_like(1_000, 5);
        let mut new = old.clone();
        new[500] ^= 1;
        let delta = Delta::between(&old, &Bytes::from(new)).unwrap();
        let mut other = old.clone();
        other[100] ^= 1;
        assert_eq!(delta.apply(&other), None);
        assert_eq!(delta.apply(&old[1..]), None);
    }

    #[test]
    fn bytes_that_are_nobody_elses_are_changed_where_they_are() {
        let old = java_like(20 << 10, 6);
        let mut new = old.clone();
        new[500] ^= 1;
        new[15_000] ^= 1;
        let delta = Delta::between(&old, &Bytes::from(new.clone())).unwrap();
        let mine = Bytes::from(old.clone());
        let place = mine.as_ptr();
        let stepped = delta.step(mine).unwrap();
        assert_eq!((&stepped[..], stepped.as_ptr()), (&new[..], place));

        let shared = Bytes::from(old.clone());
        assert_eq!(delta.step(shared.clone()), Some(new.into()));
        assert_eq!(shared, old, "somebody else's bytes stay as they were");
        assert_eq!(delta.step(Bytes::from(java_like(20 << 10, 7))), None);
        assert_eq!(delta.step(Bytes::from_static(b"short")), None);
    }

    proptest! {
        #[test]
        fn applying_a_delta_gives_the_new_bytes(
            old in prop::collection::vec(0_u8..4, 0..400),
            edits in prop::collection::vec((0_usize..400, 0_usize..20, prop::collection::vec(any::<u8>(), 0..20)), 0..6),
        ) {
            let mut new = old.clone();
            for (at, removed, inserted) in edits {
                let at = at.min(new.len());
                let end = (at + removed).min(new.len());
                new.splice(at..end, inserted);
            }
            let new = Bytes::from(new);
            if let Some(delta) = Delta::between(&old, &new) {
                let bytes = encoded(&delta);
                prop_assert!(bytes.len() <= new.len());
                prop_assert_eq!(Delta::decode(&mut bytes.as_slice()), Some(delta.clone()));
                prop_assert_eq!(delta.apply(&old), Some(new.clone()));
                prop_assert_eq!(delta.step(old.into()), Some(new));
            }
        }

        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Some(delta) = Delta::decode(&mut noise.as_slice()) {
                let old = vec![0; delta.old_length.min(1 << 16)];
                let applied = delta.apply(&old);
                prop_assert_eq!(delta.step(old.into()), applied);
            }
        }
    }
}

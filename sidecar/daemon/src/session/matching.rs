//! Finds what two byte strings have in common, in their common order.
//!
//! Common ends are cut off first; for most changes that is all. What is left is compared in place if the lengths agree,
//! and otherwise (or where that finds little) by blocks, as rsync does (Tridgell, "Efficient Algorithms for Sorting
//! and Synchronization", 1999, chapter 3), but forward only, since the ranges of a delta are ascending.

use std::ops::Range;

/// Old bytes that new bytes take the place of. One of the two may be empty, never both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// A run of equal bytes shorter than this costs more to leave out than to send.
const SHORTEST_GAP: usize = 4;
const BLOCK: usize = 16;
/// How many blocks with the same hash are looked at: enough for real data, few enough for a page of zeros.
const CANDIDATES: usize = 8;

/// The edits that turn `old` into `new`, ascending and apart.
pub(super) fn edits(old: &[u8], new: &[u8]) -> Vec<Edit> {
    let prefix = common_prefix(old, new);
    let old_rest = old.get(prefix..).unwrap_or_default();
    let new_rest = new.get(prefix..).unwrap_or_default();
    let suffix = common_suffix(old_rest, new_rest);
    let old_middle = old_rest.get(..old_rest.len() - suffix).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - suffix).unwrap_or_default();
    if old_middle.is_empty() && new_middle.is_empty() {
        return Vec::new();
    }
    let mut edits = middle_edits(old_middle, new_middle);
    for edit in &mut edits {
        edit.old = edit.old.start + prefix..edit.old.end + prefix;
        edit.new = edit.new.start + prefix..edit.new.end + prefix;
    }
    edits
}

fn middle_edits(old: &[u8], new: &[u8]) -> Vec<Edit> {
    if old.len() != new.len() {
        return joined(by_blocks(old, new));
    }
    let in_place = joined(in_place(old, new));
    // Mostly different in place, though of one length: something was inserted here and removed there.
    if 4 * inserted(&in_place) < new.len() || new.len() <= 4 * BLOCK {
        return in_place;
    }
    let by_blocks = joined(by_blocks(old, new));
    if weight(&by_blocks) < weight(&in_place) {
        by_blocks
    } else {
        in_place
    }
}

fn inserted(edits: &[Edit]) -> usize {
    edits.iter().map(|edit| edit.new.len()).sum()
}

fn weight(edits: &[Edit]) -> usize {
    inserted(edits) + SHORTEST_GAP * edits.len()
}

/// Joins edits that are so close that two cost more than one.
fn joined(edits: Vec<Edit>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match joined.last_mut() {
            // The kept bytes between two edits are the same in both, so old and new gap agree.
            Some(last) if edit.new.start - last.new.end < SHORTEST_GAP => {
                last.old.end = edit.old.end;
                last.new.end = edit.new.end;
            }
            _ => joined.push(edit),
        }
    }
    joined
}

fn in_place(old: &[u8], new: &[u8]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = 0;
    while at < new.len() {
        at += common_prefix(
            old.get(at..).unwrap_or_default(),
            new.get(at..).unwrap_or_default(),
        );
        let start = at;
        while at < new.len() && old.get(at) != new.get(at) {
            at += 1;
        }
        if at > start {
            edits.push(Edit {
                old: start..at,
                new: start..at,
            });
        }
    }
    edits
}

fn by_blocks(old: &[u8], new: &[u8]) -> Vec<Edit> {
    let mut index = Index::of(old);
    let mut edits = Vec::new();
    // Everything before these is done.
    let (mut old_done, mut new_done) = (0, 0);
    let mut at = 0;
    while at + BLOCK <= new.len() {
        let Some(found) = index.best(old, new, (old_done, new_done), at) else {
            // As LZ4 does: the longer nothing was found, the wider the steps; a match is extended backwards anyway.
            at += 1 + ((at - new_done) >> 8);
            continue;
        };
        if found.old > old_done || found.new > new_done {
            edits.push(Edit {
                old: old_done..found.old,
                new: new_done..found.new,
            });
        }
        old_done = found.old + found.length;
        new_done = found.new + found.length;
        at = new_done;
    }
    if old_done < old.len() || new_done < new.len() {
        edits.push(Edit {
            old: old_done..old.len(),
            new: new_done..new.len(),
        });
    }
    edits
}

#[derive(Clone, Copy)]
struct Match {
    old: usize,
    new: usize,
    length: usize,
}

/// The blocks of the old bytes by hash: the first block of each hash, and from each block the next one like it.
struct Index {
    first: Vec<u32>,
    next: Vec<u32>,
    shift: u32,
}

const NONE: u32 = u32::MAX;

impl Index {
    fn of(old: &[u8]) -> Self {
        let blocks = old.len() / BLOCK;
        let bits = blocks.next_power_of_two().trailing_zeros() + 1;
        let mut index = Self {
            first: vec![NONE; 1 << bits],
            next: vec![NONE; blocks],
            shift: u64::BITS - bits,
        };
        // Backwards, so that each chain ascends.
        for (number, block) in old.chunks_exact(BLOCK).enumerate().rev() {
            let Some(slot) = block.first_chunk().and_then(|block| index.slot(block)) else {
                continue;
            };
            let Ok(this) = u32::try_from(number) else {
                continue;
            };
            let before = index
                .first
                .get_mut(slot)
                .map(|first| std::mem::replace(first, this));
            if let (Some(next), Some(before)) = (index.next.get_mut(number), before) {
                *next = before;
            }
        }
        index
    }

    fn slot(&self, block: &[u8; BLOCK]) -> Option<usize> {
        let (low, high) = block.split_at(BLOCK / 2);
        let low = u64::from_le_bytes(*low.first_chunk()?);
        let high = u64::from_le_bytes(*high.first_chunk()?);
        let folded = high ^ low.rotate_left(29);
        usize::try_from(folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift).ok()
    }

    /// The match of the block at `at` in `new` that saves most, after what is `done`.
    fn best(&mut self, old: &[u8], new: &[u8], done: (usize, usize), at: usize) -> Option<Match> {
        // Where the bytes would be if just as many were removed as inserted.
        let straight = done.0 + (at - done.1);
        if let Some(found) = extended(old, new, done, (straight, at)) {
            return Some(found);
        }
        let slot = self.slot(new.get(at..)?.first_chunk()?)?;
        let mut number = *self.first.get(slot)?;
        // What is done stays done: blocks before it leave their chain for good, or zeros would be walked through again and again.
        while number != NONE && (number as usize * BLOCK) < done.0 {
            number = *self.next.get(number as usize)?;
        }
        *self.first.get_mut(slot)? = number;
        let mut best: Option<Match> = None;
        for _ in 0..CANDIDATES {
            if number == NONE {
                break;
            }
            let found = extended(old, new, done, (number as usize * BLOCK, at));
            let found = found.filter(|found| worth(found, done) > 0);
            if found.map(|found| worth(&found, done)) > best.map(|best| worth(&best, done)) {
                best = found;
            }
            number = *self.next.get(number as usize)?;
        }
        best
    }
}

/// What a match saves, less what jumping over old bytes may cost: they cannot be matched any more.
fn worth(found: &Match, done: (usize, usize)) -> isize {
    let jump = found.old.abs_diff(done.0 + (found.new - done.1));
    found.length.cast_signed() - (jump / 32).cast_signed()
}

/// The longest run of equal bytes around a pair of places, if it is a block long.
fn extended(old: &[u8], new: &[u8], done: (usize, usize), at: (usize, usize)) -> Option<Match> {
    let (old_rest, new_rest) = (old.get(at.0..)?, new.get(at.1..)?);
    // Most are not: 16 bytes of a known length are compared in one instruction.
    if old_rest.first_chunk::<BLOCK>()? != new_rest.first_chunk::<BLOCK>()? {
        return None;
    }
    let length = common_prefix(old_rest, new_rest);
    let before = common_suffix(old.get(done.0..at.0)?, new.get(done.1..at.1)?);
    Some(Match {
        old: at.0 - before,
        new: at.1 - before,
        length: length + before,
    })
}

/// Compared at once: arrays of a known length are compared in a few vector instructions, slices by a call of `memcmp`.
const STRIDE: usize = 64;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let (a_chunks, _) = a.as_chunks::<STRIDE>();
    let (b_chunks, _) = b.as_chunks::<STRIDE>();
    let chunks = STRIDE * run(a_chunks.iter().zip(b_chunks));
    // Not `skip`: on two zipped iterators it steps through every byte.
    let (a, b) = (a.get(chunks..), b.get(chunks..));
    chunks + run(a.into_iter().flatten().zip(b.into_iter().flatten()))
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let (_, a_chunks) = a.as_rchunks::<STRIDE>();
    let (_, b_chunks) = b.as_rchunks::<STRIDE>();
    let chunks = STRIDE * run(a_chunks.iter().rev().zip(b_chunks.iter().rev()));
    let (a, b) = (a.get(..a.len() - chunks), b.get(..b.len() - chunks));
    let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
    chunks + run(a.iter().rev().zip(b.iter().rev()))
}

/// How many pairs are equal before the first that is not.
fn run<T: PartialEq>(pairs: impl Iterator<Item = (T, T)>) -> usize {
    pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_page_of_zeros_is_searched_in_little_time() {
        let old = vec![0; 1 << 20];
        let mut new = vec![0; (1 << 20) + 7];
        new[500_000] = 1;
        assert!(inserted(&edits(&old, &new)) < 100);
    }

    proptest! {
        #[test]
        fn edits_are_ascending_and_what_is_between_them_is_equal(
            old in prop::collection::vec(0_u8..3, 0..300),
            new in prop::collection::vec(0_u8..3, 0..300),
        ) {
            let (mut old_at, mut new_at) = (0, 0);
            for edit in edits(&old, &new) {
                prop_assert!(!edit.old.is_empty() || !edit.new.is_empty());
                prop_assert_eq!(&old[old_at..edit.old.start], &new[new_at..edit.new.start]);
                old_at = edit.old.end;
                new_at = edit.new.end;
            }
            prop_assert_eq!(&old[old_at..], &new[new_at..]);
        }
    }
}

//! Compression of what is large: snapshots, and whole values in records.
//!
//! Only where it saves a quarter at least. A sample is tried first, so that what cannot be compressed costs little.

use std::io::Read as _;

use bytes::BufMut;

use super::varint;

/// The fastest of the ordinary levels: what is large travels once for each commit.
const LEVEL: i32 = 1;
/// Enough to tell text and class names from pictures.
const SAMPLE: usize = 4 << 10;
/// What claims to be larger is not unpacked: a few bytes can claim anything. Larger things are not packed either.
const LARGEST: usize = 64 << 20;
/// Room is made for this much before anything has come out.
const FIRST_ROOM: usize = 1 << 20;

/// Above how many bytes something is compressed; never with `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packing(pub Option<usize>);

impl Packing {
    /// Nothing is compressed.
    pub const OFF: Self = Self(None);

    /// The length of `bytes`, and them compressed; `None` where that is not worth it.
    pub fn pack(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let above = self.0?;
        if bytes.len() <= above || bytes.len() > LARGEST || !sample_saves(bytes) {
            return None;
        }
        let compressed = zstd::bulk::compress(bytes, LEVEL).ok()?;
        if !saves(compressed.len(), bytes.len()) {
            return None;
        }
        let mut packed = Vec::with_capacity(compressed.len() + 10);
        varint::put(&mut packed, bytes.len() as u64);
        packed.put_slice(&compressed);
        Some(packed)
    }
}

/// From the middle: beginnings are headers.
fn sample_saves(bytes: &[u8]) -> bool {
    let start = bytes.len().saturating_sub(SAMPLE) / 2;
    let sample = bytes.get(start..).unwrap_or_default();
    let sample = sample.get(..SAMPLE).unwrap_or(sample);
    zstd::bulk::compress(sample, LEVEL)
        .is_ok_and(|compressed| saves(compressed.len(), sample.len()))
}

fn saves(compressed: usize, length: usize) -> bool {
    compressed <= length - length / 4
}

/// What [`Packing::pack`] packed; `None` if it is anything else, or not as long as it says.
pub fn unpack(mut packed: &[u8]) -> Option<Vec<u8>> {
    let length = varint::get_size(&mut packed)?;
    if length > LARGEST {
        return None;
    }
    let mut bytes = Vec::with_capacity(length.min(FIRST_ROOM));
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).ok()?;
    // One more than it may be, to notice.
    decoder
        .take(length as u64 + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMALL: Packing = Packing(Some(100));

    fn text(length: usize) -> Vec<u8> {
        b"sr\x00\x0ejava.lang.Long;product-"
            .iter()
            .copied()
            .cycle()
            .take(length)
            .collect()
    }

    fn noise(length: usize) -> Vec<u8> {
        std::iter::repeat_with(|| fastrand::u8(..))
            .take(length)
            .collect()
    }

    #[test]
    fn what_saves_a_quarter_is_packed_and_comes_back() {
        let bytes = text(100_000);
        let packed = SMALL.pack(&bytes).unwrap();
        assert!(packed.len() < bytes.len() / 10);
        assert_eq!(unpack(&packed), Some(bytes));
    }

    #[test]
    fn what_is_small_or_saves_little_or_is_forbidden_is_not() {
        assert_eq!(SMALL.pack(&text(100)), None);
        assert_eq!(SMALL.pack(&noise(100_000)), None);
        assert_eq!(Packing::OFF.pack(&text(100_000)), None);
        // The sample looks well, the rest does not.
        let mixed = [noise(50_000), text(5_000), noise(50_000)].concat();
        assert_eq!(SMALL.pack(&mixed), None);
    }

    #[test]
    fn a_bomb_is_not_unpacked_past_what_it_claims() {
        let bomb = zstd::bulk::compress(&vec![0; 32 << 20], LEVEL).unwrap();
        for (claims, unpacks) in [(1000, false), (32 << 20, true), (LARGEST + 1, false)] {
            let mut packed = Vec::new();
            varint::put(&mut packed, claims as u64);
            packed.extend_from_slice(&bomb);
            assert_eq!(unpack(&packed).is_some(), unpacks, "{claims}");
        }
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..100)) {
            unpack(&noise);
        }
    }
}

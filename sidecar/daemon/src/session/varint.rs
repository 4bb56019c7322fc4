//! Unsigned LEB128 numbers and length-prefixed bytes.

use bytes::{Buf, BufMut, Bytes};

/// Appends a number, seven bits a byte, the lowest first.
pub(super) fn put(out: &mut impl BufMut, mut number: u64) {
    while number > 0x7f {
        out.put_u8((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.put_u8((number & 0x7f) as u8);
}

/// Appends a length and the bytes.
pub(super) fn put_bytes(out: &mut impl BufMut, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.put_slice(bytes);
}

/// How many bytes [`put`] writes.
pub(super) fn length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// Reads a number; `None` where there is none.
pub(super) fn get(input: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = input.try_get_u8().ok()?;
        let bits = u64::from(byte & 0x7f);
        if (bits << shift) >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Reads a number that counts or measures something in memory.
pub(super) fn get_size(input: &mut &[u8]) -> Option<usize> {
    usize::try_from(get(input)?).ok()
}

/// Reads length-prefixed bytes. The length is checked against what is there before a copy is made.
pub(super) fn get_bytes(input: &mut &[u8]) -> Option<Bytes> {
    let length = get_size(input)?;
    let bytes = input.get(..length)?;
    *input = input.get(length..)?;
    Some(Bytes::copy_from_slice(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_go_both_ways(number in any::<u64>()) {
            let mut out = Vec::new();
            put(&mut out, number);
            prop_assert_eq!(out.len(), length(number));
            prop_assert_eq!(get(&mut out.as_slice()), Some(number));
        }

        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..20)) {
            get(&mut noise.as_slice());
            get_bytes(&mut noise.as_slice());
        }
    }
}

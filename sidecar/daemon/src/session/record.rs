//! What one commit did, as the store keeps it.
//!
//! `format, token (4 bytes), count, operations, CRC-32`; an operation is `kind, name` and, for a set, the value (or the value
//! packed) or, for a change, the delta. Numbers are LEB128; the token lies where the store's scripts look for it.

use bytes::{BufMut, Bytes};

use super::Token;
use super::delta::Delta;
use super::packing::{Packing, unpack};
use super::varint;

const FORMAT: u8 = 1;
/// With packed values.
const PACKED: u8 = 4;
/// What the numbers of an operation take, and those around all of them.
const NUMBERS: usize = 20;

/// What a commit does to one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Removes it.
    Delete,
    /// Gives it a value whatever it was before.
    Set(Bytes),
    /// Changes byte ranges of the value before.
    Change(Delta),
}

/// One commit. A record without operations only names a version: what it did is in the snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The commit's token.
    pub token: Token,
    /// What it does, one operation for each attribute.
    pub operations: Vec<(Bytes, Operation)>,
}

impl Record {
    /// Whether it only applies to the version it was made on.
    pub fn has_deltas(&self) -> bool {
        self.operations
            .iter()
            .any(|(_, operation)| matches!(operation, Operation::Change(_)))
    }

    /// Names a version that the same commit made, and does nothing.
    #[must_use]
    pub fn stub(&self) -> Self {
        Self {
            token: self.token,
            operations: Vec::new(),
        }
    }

    /// The record's bytes.
    pub fn encode(&self, packing: Packing) -> Vec<u8> {
        let packed: Vec<Option<Vec<u8>>> = self
            .operations
            .iter()
            .map(|(_, operation)| match operation {
                Operation::Set(value) => packing.pack(value),
                _ => None,
            })
            .collect();
        let any = packed.iter().any(Option::is_some);
        let sizes = self
            .operations
            .iter()
            .zip(&packed)
            .map(|((name, operation), packed)| {
                let value = match (operation, packed) {
                    (_, Some(packed)) => packed.len(),
                    (Operation::Set(value), None) => value.len(),
                    (Operation::Delete | Operation::Change(_), None) => 0,
                };
                NUMBERS + name.len() + value
            });
        let mut out = Vec::with_capacity(NUMBERS + sizes.sum::<usize>());
        out.put_u8(if any { PACKED } else { FORMAT });
        out.put_slice(&self.token.0);
        varint::put(&mut out, self.operations.len() as u64);
        for ((name, operation), packed) in self.operations.iter().zip(packed) {
            match operation {
                Operation::Delete => {
                    out.put_u8(0);
                    varint::put_bytes(&mut out, name);
                }
                Operation::Set(value) => {
                    out.put_u8(if packed.is_some() { 3 } else { 1 });
                    varint::put_bytes(&mut out, name);
                    varint::put_bytes(&mut out, packed.as_deref().unwrap_or(value));
                }
                Operation::Change(delta) => {
                    out.put_u8(2);
                    varint::put_bytes(&mut out, name);
                    delta.encode(&mut out);
                }
            }
        }
        seal(out)
    }

    /// The token in a record's bytes.
    pub fn token_in(bytes: &[u8]) -> Option<Token> {
        Token::read(bytes.get(1..5)?)
    }

    /// Reads what [`Record::encode`] wrote; `None` if it is anything else or was damaged.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (format, body) = open(bytes)?;
        if format != FORMAT && format != PACKED {
            return None;
        }
        let (token, mut input) = body.split_first_chunk::<4>()?;
        let token = Token(*token);
        let input = &mut input;
        let count = varint::get(input)?;
        let mut operations = Vec::new();
        for _ in 0..count {
            let (kind, rest) = input.split_first()?;
            *input = rest;
            let name = varint::get_bytes(input)?;
            let operation = match kind {
                0 => Operation::Delete,
                1 => Operation::Set(varint::get_bytes(input)?),
                2 => Operation::Change(Delta::decode(input)?),
                3 if format == PACKED => Operation::Set(unpack(&varint::get_bytes(input)?)?.into()),
                _ => return None,
            };
            operations.push((name, operation));
        }
        input.is_empty().then_some(Self { token, operations })
    }
}

/// Appends the checksum.
pub(super) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let check = crc32fast::hash(&bytes);
    bytes.put_u32(check);
    bytes
}

/// The format byte, and what is between it and the checksum, if that is right.
pub(super) fn open(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (body, check) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(body) != u32::from_be_bytes(*check) {
        return None;
    }
    body.split_first().map(|(format, rest)| (*format, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record() -> Record {
        let old = Bytes::from(vec![7; 1000]);
        let mut new = old.to_vec();
        new[500] = 8;
        let delta = Delta::between(&old, &Bytes::from(new)).unwrap();
        let operations = vec![
            (Bytes::from_static(b"a"), Operation::Delete),
            (
                Bytes::from_static(b"b"),
                Operation::Set(Bytes::from_static(b"value")),
            ),
            (Bytes::from_static(b"c"), Operation::Change(delta)),
        ];
        Record {
            token: Token([1, 2, 3, 4]),
            operations,
        }
    }

    #[test]
    fn bytes_go_both_ways_and_the_token_is_where_the_scripts_look() {
        let bytes = record().encode(Packing::OFF);
        assert_eq!(bytes[1..5], [1, 2, 3, 4]);
        assert_eq!(Record::decode(&bytes), Some(record()));
    }

    #[test]
    fn large_values_are_packed_and_the_token_stays_where_it_is() {
        let mut record = record();
        let value = Bytes::from(b"com.example.Cart ".repeat(2000));
        let name = Bytes::from_static(b"large");
        record.operations.push((name, Operation::Set(value)));
        let bytes = record.encode(Packing(Some(1000)));
        assert_eq!(bytes[1..5], [1, 2, 3, 4]);
        assert!(bytes.len() < 1000, "{}", bytes.len());
        assert_eq!(Record::decode(&bytes), Some(record));
    }

    #[test]
    fn a_newer_format_is_left_alone() {
        let mut bytes = record().encode(Packing::OFF);
        bytes.truncate(bytes.len() - 4);
        bytes[0] = 9;
        assert_eq!(Record::decode(&seal(bytes)), None);
    }

    proptest! {
        #[test]
        fn any_damage_is_noticed(at in 0_usize..60, bit in 0_u8..8) {
            let mut bytes = record().encode(Packing::OFF);
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(Record::decode(&bytes), None);
        }

        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut sealed = vec![FORMAT, 0, 0, 0, 0];
            sealed.extend_from_slice(&noise);
            Record::decode(&seal(sealed));
            Record::decode(&noise);
        }
    }
}

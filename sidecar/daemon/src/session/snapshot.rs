//! A whole session, as the store keeps it.
//!
//! `format, floor, count, attributes, CRC-32`; an attribute is `name, version of its last change, kind` and the value if
//! there is one. The versions let a daemon that reads only the snapshot still answer a client that is behind with a delta.

use std::collections::BTreeMap;

use bytes::BufMut;

use super::packing::{Packing, unpack};
use super::record::{open, seal};
use super::{Attribute, Session, varint};

const FORMAT: u8 = 2;
/// All between the format byte and the checksum is packed.
const PACKED: u8 = 3;
/// What the numbers of an attribute take, and those around all of them: a whole session is not to be copied for lack of a few bytes.
const NUMBERS: usize = 24;

/// The snapshot's bytes.
pub fn encode(session: &Session, packing: Packing) -> Vec<u8> {
    let plain = body(session);
    let packed = plain.get(1..).and_then(|body| packing.pack(body));
    let Some(mut packed) = packed else {
        return seal(plain);
    };
    packed.insert(0, PACKED);
    seal(packed)
}

fn body(session: &Session) -> Vec<u8> {
    let numbers = NUMBERS * (session.attributes.len() + 1);
    let mut out = Vec::with_capacity(session.size() + numbers);
    out.put_u8(FORMAT);
    varint::put(&mut out, session.floor);
    varint::put(&mut out, session.attributes.len() as u64);
    for (name, attribute) in &session.attributes {
        varint::put_bytes(&mut out, name);
        varint::put(&mut out, attribute.changed);
        match &attribute.value {
            None => out.put_u8(0),
            Some(value) => {
                out.put_u8(1);
                varint::put_bytes(&mut out, value);
            }
        }
    }
    out
}

/// Reads what [`encode`] wrote; `None` if it is anything else or was damaged. Version, token, times and the snapshot's
/// place in the store are not part of it: they are set by who knows them.
pub fn decode(bytes: &[u8]) -> Option<Session> {
    let (format, body) = open(bytes)?;
    let unpacked;
    let input = &mut match format {
        FORMAT => body,
        PACKED => {
            unpacked = unpack(body)?;
            unpacked.as_slice()
        }
        _ => return None,
    };
    let floor = varint::get(input)?;
    let count = varint::get(input)?;
    let mut attributes = BTreeMap::new();
    for _ in 0..count {
        let name = varint::get_bytes(input)?;
        let changed = varint::get(input)?;
        let (kind, rest) = input.split_first()?;
        *input = rest;
        let value = match kind {
            0 => None,
            1 => Some(varint::get_bytes(input)?),
            _ => return None,
        };
        attributes.insert(
            name,
            Attribute {
                changed,
                value,
                steps: super::steps::Steps::default(),
            },
        );
    }
    input.is_empty().then(|| Session {
        floor,
        attributes,
        ..Session::new(0, -1)
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::{Change, Token};
    use super::*;

    #[test]
    fn bytes_go_both_ways() {
        let mut session = Session::new(0, -1);
        let name = Bytes::from_static(b"user");
        let value = Some(Bytes::from_static(b"Ann"));
        let gone = Change::whole(Bytes::from_static(b"gone"), None);
        session.change(&[Change::whole(name.clone(), value), gone], Token([0; 4]));
        let bytes = encode(&session, Packing::OFF);
        let read = decode(&bytes).unwrap();
        assert_eq!(read.attributes(), session.attributes());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert_eq!(decode(&damaged), None, "byte {at}");
        }
        assert_eq!(decode(&bytes[1..]), None);
        assert_eq!(decode(b""), None);
    }

    #[test]
    fn a_large_one_is_packed_and_damage_is_noticed_before_it_is_unpacked() {
        let mut session = Session::new(0, -1);
        let change = Change::whole(
            Bytes::from_static(b"cart"),
            Some(Bytes::from(b"com.example.Product ".repeat(2000))),
        );
        session.change(&[change], Token([0; 4]));
        let bytes = encode(&session, Packing(Some(1000)));
        assert!(bytes.len() < 1000, "{}", bytes.len());
        let read = decode(&bytes).unwrap();
        assert_eq!(read.attributes(), session.attributes());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert_eq!(decode(&damaged), None, "byte {at}");
        }
    }
}

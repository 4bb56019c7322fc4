//! Which node has which shard, as a cluster says.
//!
//! A shard's keys have one hash tag, its two hexadecimal digits: of the 16,384 slots at most 256 matter.

use redis::Value;

use super::answer::{bytes, integer};
use crate::config::Address;

pub(super) const SHARDS: usize = 256;

/// The slot of each shard.
#[derive(Debug)]
pub(super) struct Slots([u16; SHARDS]);

impl Slots {
    pub(super) fn new() -> Self {
        let mut slots = [0; SHARDS];
        for (shard, slot) in slots.iter_mut().enumerate() {
            *slot = slot_of(format!("{shard:02x}").as_bytes());
        }
        Self(slots)
    }

    /// Each shard with its slot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u16)> {
        self.0.iter().copied().enumerate()
    }
}

/// The slot of a hash tag: its CRC-16 (XMODEM), modulo their number.
fn slot_of(tag: &[u8]) -> u16 {
    let crc = tag.iter().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            let carry = crc & 0x8000 != 0;
            (crc << 1) ^ if carry { 0x1021 } else { 0 }
        })
    });
    crc % 16_384
}

/// A node, by all the addresses that it goes by; the best one first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node(pub(super) Vec<Address>);

impl Node {
    pub(super) fn is_at(&self, address: &Address) -> bool {
        self.0.contains(address)
    }
}

/// A range of slots and who has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) first: u16,
    pub(super) last: u16,
    /// Its primary, and then its replicas.
    pub(super) nodes: Vec<Node>,
}

/// The answer to `CLUSTER SLOTS` of the node at `asked`; `None` if it is none.
pub(super) fn read(answer: Value, asked: &Address) -> Option<Vec<Range>> {
    array(answer)?
        .into_iter()
        .map(|range| {
            let mut range = array(range)?.into_iter();
            let slot = |value: Option<Value>| u16::try_from(integer(&value?)?).ok();
            let (first, last) = (slot(range.next())?, slot(range.next())?);
            let nodes: Vec<Node> = range.filter_map(|item| node(item, asked)).collect();
            (!nodes.is_empty()).then_some(Range { first, last, nodes })
        })
        .collect()
}

/// One node: its preferred endpoint, its port, its id, and perhaps what else it is called, as pairs.
fn node(value: Value, asked: &Address) -> Option<Node> {
    let mut items = array(value)?.into_iter();
    let endpoint = items.next().and_then(text).unwrap_or_default();
    let port = u16::try_from(integer(&items.next()?)?).ok()?;
    // Unknown: the one that was asked.
    let endpoint = match endpoint.as_str() {
        "" | "?" => asked.host.clone(),
        _ => endpoint,
    };
    let mut names = vec![endpoint];
    if let Some(more) = items.nth(1).and_then(array) {
        let mut more = more.into_iter().filter_map(text);
        while let (Some(what), Some(name)) = (more.next(), more.next()) {
            match what.as_str() {
                _ if name.is_empty() => {}
                // A name outlives the address that it has now.
                "hostname" => names.insert(0, name),
                _ => names.push(name),
            }
        }
    }
    let addresses = names.into_iter().map(|host| Address { host, port });
    Some(Node(addresses.collect()))
}

fn array(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items),
        // What is a map in the protocol's version 3.
        Value::Map(pairs) => Some(pairs.into_iter().flat_map(|(k, v)| [k, v]).collect()),
        _ => None,
    }
}

fn text(value: Value) -> Option<String> {
    String::from_utf8(bytes(value)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    fn at(host: &str, port: u16) -> Address {
        Address {
            host: host.to_owned(),
            port,
        }
    }

    #[test]
    fn tags_have_the_slots_of_the_specification() {
        // The check value of CRC-16/XMODEM, and what a server's CLUSTER KEYSLOT says.
        assert_eq!(slot_of(b"123456789"), 0x31c3);
        assert_eq!(slot_of(b"foo"), 12_182);
    }

    #[test]
    fn names_are_preferred_to_addresses_and_what_is_unknown_is_who_was_asked() {
        let metadata = Value::Array(vec![
            bulk("ip"),
            bulk("10.0.0.1"),
            bulk("hostname"),
            bulk("n1"),
        ]);
        let named = vec![bulk("10.0.0.1"), Value::Int(7000), bulk("id1"), metadata];
        let unknown = |endpoint| Value::Array(vec![endpoint, Value::Int(7001), bulk("id2")]);
        let range = |first, last, nodes: Vec<Value>| {
            let mut items = vec![Value::Int(first), Value::Int(last)];
            items.extend(nodes);
            Value::Array(items)
        };
        let answer = Value::Array(vec![
            range(0, 100, vec![Value::Array(named), unknown(Value::Nil)]),
            range(101, 16_383, vec![unknown(bulk("?"))]),
        ]);
        let ranges = read(answer, &at("seed", 6379)).unwrap();
        let [low, high] = ranges.as_slice() else {
            panic!("{ranges:?}")
        };
        assert_eq!((low.first, low.last), (0, 100));
        assert_eq!(low.nodes[0].0[0], at("n1", 7000));
        assert!(low.nodes[0].is_at(&at("10.0.0.1", 7000)));
        assert_eq!(low.nodes[1], Node(vec![at("seed", 7001)]));
        assert_eq!(
            (high.last, &high.nodes[0]),
            (16_383, &Node(vec![at("seed", 7001)]))
        );
        assert_eq!(read(Value::Okay, &at("seed", 6379)), None);
    }
}

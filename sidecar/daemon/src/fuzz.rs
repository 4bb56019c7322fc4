//! What any bytes at all must not break: run by the fuzzer (`fuzz/`), and for a moment by the ordinary tests.

use bytes::{Bytes, BytesMut};
use redis::{Value, parse_redis_value};

use crate::claims::message::Message;
use crate::command::Asked;
use crate::resp::{Broken, Decoder, Request};
use crate::session::packing::Packing;
use crate::session::record::{Operation, Record};
use crate::session::{Session, delta::Delta, snapshot};
use crate::store::answer::{Answer, Listing};

mod seeds;

use seeds::held;
pub use seeds::seeds;

/// A target and its name.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 7] = [
    ("decoder", decoder),
    ("command", command),
    ("record", record),
    ("snapshot", snapshot_bytes),
    ("delta", delta),
    ("message", message),
    ("answer", answer_of_store),
];

/// Bytes from a socket: however they are split, the same comes out.
pub fn decoder(input: &[u8]) {
    let whole = decode(&[input]);
    let at = input.len() / 2;
    let halves = input.split_at(at);
    assert_eq!(decode(&[halves.0, halves.1]), whole);
    let bytes: Vec<&[u8]> = input.chunks(1).take(4096).collect();
    if bytes.len() == input.len() {
        assert_eq!(decode(&bytes), whole);
    }
}

/// The requests in bytes that arrive in pieces, and what ended them.
pub(crate) fn decode(pieces: &[&[u8]]) -> (Vec<Request>, Option<Broken>) {
    let mut decoder = Decoder::default();
    let mut input = BytesMut::new();
    let mut requests = Vec::new();
    for piece in pieces {
        input.extend_from_slice(piece);
        loop {
            match decoder.decode(&mut input) {
                Ok(Some(request)) => requests.push(request),
                Ok(None) => break,
                Err(broken) => return (requests, Some(broken)),
            }
        }
    }
    (requests, None)
}

/// Words of a request: whatever they are, it is a command or an error that says why not.
pub fn command(input: &[u8]) {
    for request in decode(&[input]).0 {
        answer(request);
    }
    let words = input.split(|byte| *byte == b' ');
    answer(words.map(Bytes::copy_from_slice).collect());
}

fn answer(request: Request) {
    match Asked::parse(request).command {
        Ok(command) => assert!(!command.name().is_empty()),
        Err(wrong) => assert!(!wrong.to_string().contains(['\r', '\n'])),
    }
}

/// A record from the store, with its checksum put right so that the fuzzer gets behind it.
pub fn record(input: &[u8]) {
    let _ = Record::decode(input);
    let Some(record) = Record::decode(&sealed(input)) else {
        return;
    };
    for (_, operation) in &record.operations {
        if let Operation::Change(delta) = operation {
            let _ = delta.apply(&vec![0; delta.old_length.min(1 << 16)]);
        }
    }
    for packing in [Packing::OFF, Packing(Some(64))] {
        assert_eq!(
            Record::decode(&record.encode(packing)).as_ref(),
            Some(&record)
        );
    }
}

/// A snapshot from the store, as above.
pub fn snapshot_bytes(input: &[u8]) {
    let _ = snapshot::decode(input);
    let Some(session) = snapshot::decode(&sealed(input)) else {
        return;
    };
    for packing in [Packing::OFF, Packing(Some(64))] {
        let again = snapshot::decode(&snapshot::encode(&session, packing));
        assert_eq!(
            again.map(|again| again.attributes().clone()),
            Some(session.attributes().clone())
        );
    }
}

/// A delta's bytes; and two values, whose delta must lead from one to the other.
pub fn delta(input: &[u8]) {
    if let Some(delta) = Delta::decode(&mut &*input) {
        let _ = delta.apply(&vec![0; delta.old_length.min(1 << 16)]);
    }
    let Some((split, rest)) = input.split_first() else {
        return;
    };
    let (old, new) = rest.split_at(rest.len() * usize::from(*split) / 256);
    let new = Bytes::copy_from_slice(new);
    if let Some(delta) = Delta::between(old, &new) {
        let mut bytes = Vec::new();
        delta.encode(&mut bytes);
        let read = Delta::decode(&mut bytes.as_slice());
        assert_eq!(read.and_then(|read| read.apply(old)), Some(new));
    }
}

/// A message from a channel that whoever may publish can write to: what is understood of it is understood the same when it is said again.
pub fn message(input: &[u8]) {
    let Some(message) = Message::read(input) else {
        return;
    };
    if let Message::Shared(said) = &message {
        for news in said.over.iter().filter_map(|over| over.news.as_ref()) {
            let _ = (news.after(), Record::decode(&news.record));
        }
    }
    assert_eq!(Message::read(&message.bytes()), Some(message));
}

/// What a script answers, for a daemon that holds nothing and for one that holds the session of the seeds; with the checksums put right too.
pub fn answer_of_store(input: &[u8]) {
    let Ok(value) = parse_redis_value(input) else {
        return;
    };
    let mut resealed = value.clone();
    reseal(&mut resealed);
    for value in [value, resealed] {
        for held in [None, Some(held().0)] {
            if let Some(Answer::Listing(listing) | Answer::After(listing)) =
                Answer::read(value.clone())
            {
                load(listing, held);
            }
        }
    }
}

fn load(listing: Listing, held: Option<Session>) {
    let Some(loaded) = listing.load(held) else {
        return;
    };
    // What was read can be put back, and is the same then.
    let session = loaded.session;
    let again = snapshot::decode(&snapshot::encode(&session, Packing::OFF));
    assert_eq!(
        again.map(|again| again.attributes().clone()),
        Some(session.attributes().clone())
    );
    // The version that it is at is the last one that it remembers.
    assert!(session.history.knows(session.version, session.token));
}

/// Puts the checksums of a listing's snapshot and records right.
fn reseal(value: &mut Value) {
    let seal = |value: &mut Value| {
        if let Value::BulkString(bytes) = value {
            bytes.truncate(bytes.len().saturating_sub(4));
            *bytes = sealed(bytes);
        }
    };
    let Value::Array(items) = value else {
        return;
    };
    if let Some(Value::Array(snapshot)) = items.get_mut(SNAPSHOT) {
        snapshot.first_mut().map(seal);
    }
    items.iter_mut().skip(RECORDS).for_each(seal);
}

/// Where a listing has them.
const SNAPSHOT: usize = 8;
const RECORDS: usize = 11;

fn sealed(input: &[u8]) -> Vec<u8> {
    let check = crc32fast::hash(input);
    [input, &check.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// What a fuzzer does first: flips, cuts, doubles and mixes.
    fn mutate(random: &mut fastrand::Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[random.usize(..seeds.len())].clone();
        for _ in 0..random.usize(0..6) {
            let at = random.usize(..=bytes.len());
            match random.u32(..6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << random.u32(..8),
                1 if at < bytes.len() => {
                    bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'\r', b'$'][random.usize(..7)];
                }
                2 => bytes.truncate(at),
                3 => bytes.insert(at, random.u8(..)),
                4 => {
                    let other = &seeds[random.usize(..seeds.len())];
                    let from = random.usize(..=other.len());
                    bytes.truncate(at);
                    bytes.extend_from_slice(&other[from..]);
                }
                _ => {
                    let end = (at + random.usize(..20)).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
        }
        bytes
    }

    #[test]
    fn nothing_breaks_within_seconds() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let seeds = seeds();
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(2) {
            let input = mutate(&mut random, &seeds);
            for (name, target) in TARGETS {
                let run = std::panic::catch_unwind(|| target(&input));
                assert!(
                    run.is_ok(),
                    "{name} broke, seed {seed}: {:?}",
                    input.escape_ascii().to_string()
                );
            }
        }
    }

    #[test]
    fn each_seed_gets_past_the_first_check_of_some_target() {
        let seeds = seeds();
        assert!(
            seeds
                .iter()
                .filter(|seed| Record::decode(&sealed(seed)).is_some())
                .count()
                >= 2
        );
        assert!(
            seeds
                .iter()
                .filter(|seed| snapshot::decode(&sealed(seed)).is_some())
                .count()
                >= 2
        );
        assert!(
            seeds
                .iter()
                .filter(|seed| !decode(&[seed]).0.is_empty())
                .count()
                >= 4
        );
        let messages = seeds.iter().filter(|seed| Message::read(seed).is_some());
        assert_eq!(messages.count(), 7);
        let loads = |seed: &[u8], held: Option<Session>| {
            let answer = parse_redis_value(seed).ok().and_then(Answer::read);
            match answer {
                Some(Answer::Listing(listing) | Answer::After(listing)) => {
                    listing.load(held).is_some()
                }
                _ => false,
            }
        };
        let whole = seeds.iter().filter(|seed| loads(seed, None));
        assert_eq!(whole.count(), 1);
        let since = seeds.iter().filter(|seed| loads(seed, Some(held().0)));
        assert_eq!(since.count(), 2);
    }
}

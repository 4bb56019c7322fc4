//! What any bytes at all must not break: run by the fuzzer (`fuzz/`), and for a moment by the ordinary tests.

use bytes::{Bytes, BytesMut};

use crate::command::Asked;
use crate::resp::{Broken, Decoder, Request};
use crate::session::packing::Packing;
use crate::session::record::{Operation, Record};
use crate::session::{delta::Delta, snapshot};

/// A target and its name.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 5] = [
    ("decoder", decoder),
    ("command", command),
    ("record", record),
    ("snapshot", snapshot_bytes),
    ("delta", delta),
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

fn sealed(input: &[u8]) -> Vec<u8> {
    let check = crc32fast::hash(input);
    [input, &check.to_be_bytes()].concat()
}

/// Inputs to begin with: something that each target takes.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut session = crate::session::Session::new(0, 60);
    let value = Bytes::from(b"com.example.Cart ".repeat(40));
    let changes = [
        ("cart", Some(value.clone())),
        ("user", Some(Bytes::from_static(b"Ann"))),
        ("gone", None),
    ]
    .map(|(name, value)| crate::session::Change::whole(Bytes::from_static(name.as_bytes()), value));
    let token = crate::session::Token([1, 2, 3, 4]);
    session.change(&changes, token);
    let mut longer = value.to_vec();
    longer.splice(100..100, *b"and more");
    let mut operations = crate::session::plan::blind(&changes).operations;
    operations.extend(
        Delta::between(&value, &Bytes::from(longer.clone()))
            .map(|delta| (Bytes::from_static(b"delta"), Operation::Change(delta))),
    );
    let record = Record { token, operations };
    let unsealed = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len().saturating_sub(4));
        bytes
    };
    let mut seeds = vec![[b"\x80".as_slice(), &value, &longer].concat()];
    for packing in [Packing::OFF, Packing(Some(64))] {
        seeds.push(unsealed(record.encode(packing)));
        seeds.push(unsealed(snapshot::encode(&session, packing)));
    }
    for line in [
        "SJ.COMMIT s 3 60 1000 SET a 1 DEL b",
        "SJ.OPEN s 3",
        "SJ.TAG 17 SJ.OPEN s 3",
        "SJ.NOTE large /shop cart com.example.Cart",
        "HELLO 2 AUTH default x SETNAME y",
    ] {
        seeds.push(line.into());
        let mut wire = format!("*{}\r\n", line.split(' ').count());
        for word in line.split(' ') {
            wire += &["$", &word.len().to_string(), "\r\n", word, "\r\n"].concat();
        }
        seeds.push(wire.into());
    }
    seeds
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
    }
}

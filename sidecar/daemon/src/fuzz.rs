//! What any bytes at all must not break: run by the fuzzer (`fuzz/`), and for a moment by the ordinary tests.

use bytes::{Bytes, BytesMut};
use redis::{Value, parse_redis_value};

use crate::claims::id::{Claim, Node};
use crate::claims::message::Message;
use crate::claims::shared::{News, Over, Shared, Version};
use crate::command::Asked;
use crate::key::Digest;
use crate::resp::{Broken, Decoder, Request};
use crate::session::packing::Packing;
use crate::session::record::{Operation, Record};
use crate::session::{Change, Session, Token, delta::Delta, snapshot};
use crate::store::answer::{Answer, Listing};

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

/// A session at version 1, and what was done for that.
fn held() -> (Session, [Change; 3]) {
    let mut session = Session::new(0, 60);
    let changes = [
        ("cart", Some(Bytes::from(CART.repeat(40)))),
        ("user", Some(Bytes::from_static(b"Ann"))),
        ("gone", None),
    ]
    .map(|(name, value)| Change::whole(Bytes::from_static(name.as_bytes()), value));
    session.change(&changes, TOKEN);
    (session, changes)
}

const TOKEN: Token = Token([1, 2, 3, 4]);
const CART: &[u8] = b"com.example.Cart ";

/// Inputs to begin with: something that each target takes.
pub fn seeds() -> Vec<Vec<u8>> {
    let (session, changes) = held();
    let (value, token) = (Bytes::from(CART.repeat(40)), TOKEN);
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
    seeds.extend(messages(&record).iter().map(Message::bytes));
    seeds.extend(answers(&session, &record).iter().map(resp));
    seeds
}

/// One of each that daemons say to each other.
fn messages(record: &Record) -> [Message; 5] {
    let id = Digest::of(b"s");
    let node = Node::random();
    let (claim, asker) = (Claim::sole(node, 1, 2), Claim::shared(node, 3, 4));
    let version = Version {
        number: 1,
        token: TOKEN,
    };
    // After which there is none.
    let last = Version {
        number: u64::MAX,
        token: TOKEN,
    };
    let news = |before, record: &Bytes| News {
        before,
        beside: Some(asker),
        record: record.clone(),
    };
    let over = |news| Over { id, claim, news };
    let record = record.encode(Packing::OFF).into();
    [
        Message::Beat { number: 12 },
        Message::Claim {
            id,
            claim,
            asker,
            hand_over: true,
        },
        Message::Free { id },
        Message::Shared(Shared {
            from: node,
            over: vec![
                over(None),
                over(Some(news(version, &record))),
                over(Some(news(last, &record))),
                over(Some(News::read_at(version))),
            ],
            kept: vec![(asker, version)],
            gone: vec![claim, asker],
        }),
        Message::End {
            id,
            forward: Some(Digest::of(b"t")),
        },
    ]
}

/// What scripts answer: that a commit is done, that a session has ended, what it is to a daemon that holds nothing, with what it came from, and to one that
/// holds the version before.
fn answers(session: &Session, record: &Record) -> [Value; 4] {
    let bytes = |bytes: &[u8]| Value::BulkString(bytes.to_vec());
    let text = |number: u64| bytes(number.to_string().as_bytes());
    let claims = bytes(Claim::sole(Node::random(), 1, 2).bytes());
    let second = record.encode(Packing::OFF);
    let listing = |status, version: u64, token: &Token, since: u64, rest: [Value; 2]| {
        let [snapshot, record] = rest;
        Value::Array(vec![
            Value::Int(status),
            Value::Int(i64::try_from(version).unwrap_or_default()),
            bytes(&token.0),
            text(1000),
            text(2000),
            Value::Int(60),
            text(1),
            text(since),
            snapshot,
            claims.clone(),
            Value::Int(1),
            record,
        ])
    };
    let trail = bytes(&[[9; 4], [8; 4], TOKEN.0].concat());
    let whole = Value::Array(vec![bytes(&snapshot::encode(session, Packing::OFF)), trail]);
    [
        Value::Array(vec![
            Value::Int(8),
            Value::Int(2),
            claims.clone(),
            Value::Int(1),
        ]),
        Value::Array(vec![
            Value::Int(-1),
            bytes(Digest::of(b"t").hex().as_bytes()),
            claims.clone(),
        ]),
        listing(1, 2, &record.token, 1, [whole, bytes(&second)]),
        listing(3, 2, &record.token, 1, [Value::Nil, bytes(&second)]),
    ]
}

/// As it comes from the store.
fn resp(value: &Value) -> Vec<u8> {
    match value {
        Value::Int(number) => format!(":{number}\r\n").into_bytes(),
        Value::BulkString(bytes) => {
            let head = format!("${}\r\n", bytes.len());
            [head.as_bytes(), bytes, b"\r\n"].concat()
        }
        Value::Array(items) => {
            let mut all = format!("*{}\r\n", items.len()).into_bytes();
            all.extend(items.iter().flat_map(resp));
            all
        }
        _ => b"$-1\r\n".to_vec(),
    }
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
        assert_eq!(messages.count(), 5);
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

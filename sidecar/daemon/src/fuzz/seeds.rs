//! What the fuzzer begins with: one of everything that a target takes.

use bytes::Bytes;
use redis::Value;

use crate::claims::id::{Claim, Node};
use crate::claims::message::Message;
use crate::claims::shared::{News, Over, Shared, Version};
use crate::key::Digest;
use crate::session::packing::Packing;
use crate::session::record::{Operation, Record};
use crate::session::{Change, Session, Token, delta::Delta, snapshot};

/// A session at version 1, and what was done for that.
pub(super) fn held() -> (Session, [Change; 3]) {
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
        "SJ.COMMIT s 3 60 1000 LOCK 1 PASSIVE SET a 1",
        "SJ.OPEN s 3",
        "SJ.OPEN s 3 EXCLUSIVE PASSIVE",
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
    seeds.push(news(&record));
    seeds.extend(answers(&session, &record).iter().map(resp));
    seeds
}

/// One of each that daemons say to each other.
fn messages(record: &Record) -> [Message; 6] {
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
        folded: true,
        passive: false,
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
            kept: vec![(asker, version.token)],
            gone: vec![claim, asker],
        }),
        Message::Expired { id },
        Message::End {
            id,
            forward: Some(Digest::of(b"t")),
        },
    ]
}

/// What the script of a commit says in its daemon's name.
fn news(record: &Record) -> Vec<u8> {
    let (id, claim) = (Digest::of(b"s"), Claim::shared(Node::random(), 3, 4));
    let head = [b"news ", id.hex().as_bytes(), claim.bytes(), claim.bytes()].concat();
    let record = record.encode(Packing::OFF);
    [&head, &TOKEN.0[..], b"\x021 ", &record].concat()
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

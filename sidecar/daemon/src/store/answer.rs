//! What the scripts answer, and what it means for a session that we may hold.

use redis::Value;

use crate::cache::Others;
use crate::claims::id::Claim;
use crate::claims::shared::Version;
use crate::key::Digest;
use crate::session::record::Record;
use crate::session::{Session, Token, snapshot as whole};

/// An answer of `open`, `create` or `commit`.
#[derive(Debug)]
pub enum Answer {
    /// There is no such session.
    Absent,
    /// It has ended; with a forward it goes on under another digest.
    Ended {
        /// That digest.
        forward: Option<Digest>,
        /// Shared claims of others that are over with it.
        going: Vec<Claim>,
    },
    /// It went to another store, and that was its so many-th move.
    Moved(u64),
    /// The version that this call made.
    Done(Done),
    /// What is there. By `open` it was asked for; by `create` and `commit` it says that nothing was done.
    Listing(Listing),
    /// What was there before this commit, which was added after it.
    After(Listing),
    /// Nothing was done: the claim is not there that has to be.
    Fenced,
}

/// What was done.
#[derive(Debug)]
pub struct Done {
    /// The version that was made.
    pub version: u64,
    /// Shared claims of others that were over with it, but for those that were kept.
    pub going: Vec<Claim>,
    /// What is known of the claims of others now.
    pub others: Others,
    /// Whether this daemon has a claim still, or now.
    pub claimed: bool,
}

/// What a reader lacks.
#[derive(Debug)]
pub struct Listing {
    version: u64,
    token: Token,
    created: u64,
    idle: i64,
    snapshot_version: u64,
    since: u64,
    /// Its bytes, and the tokens of the versions up to it.
    snapshot: Option<(Vec<u8>, Vec<u8>)>,
    records: Vec<Option<Vec<u8>>>,
    /// The access before this one, milliseconds since the epoch by the store's clock.
    pub accessed: u64,
    /// Shared claims of others that are over, or were over before.
    pub going: Vec<Claim>,
    /// Others have claimed it too.
    pub shared: bool,
    /// The store took note of the access, and of the claim that came along.
    pub written: bool,
    /// The commit that was asked for is in it: it had happened before.
    pub repeated: bool,
}

/// A session brought up to a listing.
#[derive(Debug)]
pub struct Loaded {
    /// The session.
    pub session: Session,
    /// What was held was no ancestor of it: who holds that version holds something else.
    pub replaced: Option<Session>,
    /// How many records could not be read.
    pub unreadable: usize,
    /// The tokens of the records that were applied.
    pub tokens: Vec<Token>,
}

impl Answer {
    /// Claims that have to be let go of before anybody is told of the answer.
    pub(super) fn going(&mut self) -> Option<&mut Vec<Claim>> {
        match self {
            Self::Done(done) => Some(&mut done.going),
            Self::Ended { going, .. } => Some(going),
            Self::Listing(listing) | Self::After(listing) => Some(&mut listing.going),
            _ => None,
        }
    }

    /// The answer in a reply of the store; `None` if it is none.
    pub fn read(value: Value) -> Option<Self> {
        let Value::Array(items) = value else {
            return None;
        };
        let mut items = items.into_iter();
        match (integer(&items.next()?)?, items.len()) {
            (-1, _) => {
                let forward = items.next().and_then(bytes);
                Some(match forward.as_deref().and_then(moves) {
                    Some(moves) => Self::Moved(moves),
                    None => Self::Ended {
                        forward: forward.and_then(|hex| Digest::from_hex(&hex)),
                        going: claims(items.next()),
                    },
                })
            }
            (0, _) => Some(Self::Absent),
            (1, 1) | (8, 3) => {
                let version = u64::try_from(integer(&items.next()?)?).ok()?;
                let going = claims(items.next());
                let claimed = items.next().as_ref().and_then(integer) != Some(0);
                Some(Self::Done(Done {
                    version,
                    going,
                    others: Others::default(),
                    claimed,
                }))
            }
            (1 | 2, _) => Listing::read(items, true).map(Self::Listing),
            (7, _) => Listing::read(items, true).map(|listing| {
                Self::Listing(Listing {
                    repeated: true,
                    ..listing
                })
            }),
            (3, _) => Listing::read(items, true).map(Self::After),
            (5, _) => Some(Self::Fenced),
            (6, _) => Listing::read(items, false).map(Self::Listing),
            _ => None,
        }
    }
}

impl Listing {
    /// The version that is there.
    pub(super) fn at(&self) -> Version {
        Version {
            number: self.version,
            token: self.token,
        }
    }

    fn read(mut items: impl Iterator<Item = Value>, written: bool) -> Option<Self> {
        let number = |value: Option<Value>| u64::try_from(integer(&value?)?).ok();
        Some(Self {
            version: number(items.next())?,
            token: Token::read(&bytes(items.next()?)?)?,
            created: number(items.next())?,
            accessed: number(items.next())?,
            idle: integer(&items.next()?)?,
            snapshot_version: number(items.next())?,
            since: number(items.next())?,
            snapshot: snapshot(items.next()?),
            going: claims(Some(items.next()?)),
            shared: integer(&items.next()?)? == 1,
            records: items.map(bytes).collect(),
            written,
            repeated: false,
        })
    }

    /// The session that it describes, from what we `held`; `None` if it cannot be read.
    pub fn load(self, held: Option<Session>) -> Option<Loaded> {
        let (mut session, replaced) = match &self.snapshot {
            None => (held.filter(|held| held.version == self.since)?, None),
            Some((bytes, trail)) => {
                let mut session = whole::decode(bytes)?;
                session.version = self.snapshot_version;
                session.snapshot_version = self.snapshot_version;
                session.history.push_trail(self.snapshot_version, trail);
                if let Some(held) = &held {
                    session.name = held.name.clone();
                }
                (session, held)
            }
        };
        if session.snapshot_version != self.snapshot_version {
            session.snapshot_version = self.snapshot_version;
            session.record_bytes = 0;
        }
        let mut unreadable = 0;
        let mut tokens = Vec::with_capacity(self.records.len());
        for bytes in &self.records {
            let record = bytes.as_deref().and_then(Record::decode);
            unreadable += usize::from(record.is_none());
            tokens.extend(record.as_ref().map(|record| record.token));
            session.apply(record.as_ref());
            if session.version > self.snapshot_version {
                session.record_bytes += bytes.as_ref().map_or(0, Vec::len);
            }
        }
        session.confirm(self.token);
        session.created = self.created;
        session.idle = self.idle;
        (session.version == self.version).then_some(Loaded {
            session,
            replaced,
            unreadable,
            tokens,
        })
    }
}

fn snapshot(value: Value) -> Option<(Vec<u8>, Vec<u8>)> {
    let Value::Array(items) = value else {
        return None;
    };
    let mut items = items.into_iter().map(bytes);
    let snapshot = items.next()??;
    Some((snapshot, items.next().flatten().unwrap_or_default()))
}

/// What a tombstone says of one that is in another store, where it would name the session that goes on.
pub(super) fn moves(forward: &[u8]) -> Option<u64> {
    let number = forward.strip_prefix(b"+")?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

fn claims(value: Option<Value>) -> Vec<Claim> {
    let bytes = value.and_then(bytes);
    bytes.map_or_else(Vec::new, |bytes| Claim::read_all(&bytes))
}

/// The answer of `end`, and the claims of others that are over with it.
pub(super) fn ended(answer: Value) -> Option<(i64, Vec<Claim>)> {
    match answer {
        Value::Int(ended) => Some((ended, Vec::new())),
        Value::Array(items) => match items.as_slice() {
            [Value::Int(ended), Value::BulkString(going)] => Some((*ended, Claim::read_all(going))),
            _ => None,
        },
        _ => None,
    }
}

/// The claim of another daemon, if an answer says that it is in the way.
pub(super) fn claim_in_the_way(value: &Value) -> Option<Claim> {
    let Value::Array(items) = value else {
        return None;
    };
    match items.as_slice() {
        [Value::Int(4), Value::BulkString(claim)] => Claim::read(claim),
        _ => None,
    }
}

pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::BulkString(text) => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

pub(super) fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}

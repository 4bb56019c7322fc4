//! What two daemons say to each other of shared claims, in one message: which are over, what has become of their sessions, and what
//! came of that.
//!
//! `sender, count (4), over..., count (4), kept..., gone...`; over: digest, claim, length (4) and so many bytes of news: none, or the
//! version before (number and token), the claim beside (or 12 bytes of 0), a byte of which 1 is set if a snapshot came along and 2 if it is no access, and the record of the commit after it; kept: claim, without its node, which is the sender, and the token of the version that it speaks of; gone: claim.

use bytes::Bytes;

use super::id::{Claim, Node};
use crate::key::Digest;
use crate::session::Token;
use crate::session::record::Record;

/// Flags of news.
const FOLDED: u8 = 1;
const PASSIVE: u8 = 2;

/// In place of a claim.
const NONE: [u8; Claim::LENGTH] = [0; Claim::LENGTH];

/// A version of a session. By its token too: a store that has lost one may give its number away again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// Counts commits from 1.
    pub number: u64,
    /// The commit's.
    pub token: Token,
}

/// What somebody has made of a session, or has found there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The version that it was made of, or that was found.
    pub before: Version,
    /// The claim of who says it: there is none but that beside the one that may be kept.
    pub beside: Option<Claim>,
    /// The store was given a snapshot of what came of it: it keeps no record before.
    pub folded: bool,
    /// It was made by a request that is no access.
    pub passive: bool,
    /// The commit's record; empty: nothing was changed.
    pub record: Bytes,
}

/// A claim that is over, for somebody has committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Over {
    /// The session.
    pub id: Digest,
    /// The claim.
    pub claim: Claim,
    /// By which its holder may keep it: with them he has the newest version again.
    pub news: Option<News>,
}

/// All that there is to say to one daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Who says it.
    pub from: Node,
    /// Claims of the other. He is to say of each that he does not go by it any more, or keeps it.
    pub over: Vec<Over>,
    /// Claims of the sender that he keeps, with the tokens of the versions that they speak of now.
    pub kept: Vec<(Claim, Token)>,
    /// Claims of the sender that he does not go by any more.
    pub gone: Vec<Claim>,
}

impl Shared {
    /// Nothing yet.
    pub fn from(from: Node) -> Self {
        let (over, kept, gone) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            from,
            over,
            kept,
            gone,
        }
    }

    /// Its bytes, after what is there already.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.from.bytes());
        put_count(out, self.over.len());
        for Over { id, claim, news } in &self.over {
            out.extend_from_slice(id.bytes());
            out.extend_from_slice(claim.bytes());
            match news {
                None => put_count(out, 0),
                Some(news) => {
                    put_count(out, News::HEAD + news.record.len());
                    news.before.write(out);
                    out.extend_from_slice(news.beside.as_ref().map_or(&NONE, Claim::bytes));
                    out.push(news.flags());
                    out.extend_from_slice(&news.record);
                }
            }
        }
        put_count(out, self.kept.len());
        for (claim, token) in &self.kept {
            out.extend_from_slice(claim.within_node());
            out.extend_from_slice(&token.0);
        }
        out.extend(self.gone.iter().flat_map(Claim::bytes));
    }

    /// What the script of a [brief commit](crate::store::Brief) says in its daemon's name: `digest (hexadecimal), claim, claim of who says it, token of the
    /// version before, flags, its number (decimal), blank, record`. `None` if it is anything else.
    pub fn read_news(bytes: &[u8]) -> Option<Self> {
        let input = &mut &*bytes;
        let id = Digest::from_hex(take(input, 2 * Digest::LENGTH)?)?;
        let claim = Claim::read(take(input, Claim::LENGTH)?)?;
        let beside = Claim::read(take(input, Claim::LENGTH)?)?;
        let token = Token::read(take(input, size_of::<Token>())?)?;
        let [flags] = *take(input, 1)? else {
            return None;
        };
        let digits = input.iter().position(|byte| *byte == b' ')?;
        let number = std::str::from_utf8(take(input, digits)?).ok()?;
        let number = number.parse().ok()?;
        let (_, record) = input.split_first()?;
        let before = Version { number, token };
        let news = News::of(before, Some(beside), flags, record);
        Some(Self {
            over: vec![Over {
                id,
                claim,
                news: Some(news),
            }],
            ..Self::from(beside.node())
        })
    }

    /// What [`Shared::write`] wrote; `None` if it is anything else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let input = &mut &*bytes;
        let mut said = Self::from(Node::read(take(input, Node::LENGTH)?)?);
        for _ in 0..count(input)? {
            said.over.push(Over {
                id: Digest::read(take(input, Digest::LENGTH)?)?,
                claim: Claim::read(take(input, Claim::LENGTH)?)?,
                news: match count(input)? {
                    0 => None,
                    length => Some(News::decode(take(input, length)?)?),
                },
            });
        }
        for _ in 0..count(input)? {
            let within = take(input, Claim::LENGTH - Node::LENGTH)?;
            let claim = Claim::read(&[said.from.bytes(), within].concat())?;
            let token = Token::read(take(input, size_of::<Token>())?)?;
            said.kept.push((claim, token));
        }
        said.gone = Claim::read_all(input);
        Some(said)
    }
}

impl Version {
    const LENGTH: usize = size_of::<u64>() + size_of::<Token>();

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.to_be_bytes());
        out.extend_from_slice(&self.token.0);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        Some(Self {
            number: u64::from_be_bytes(take(input, size_of::<u64>())?.try_into().ok()?),
            token: Token::read(take(input, size_of::<Token>())?)?,
        })
    }
}

impl News {
    /// All but the record.
    const HEAD: usize = Version::LENGTH + Claim::LENGTH + 1;

    /// The session was read at this version, and not changed.
    pub fn read_at(version: Version) -> Self {
        Self {
            before: version,
            beside: None,
            folded: false,
            passive: false,
            record: Bytes::new(),
        }
    }

    /// The version that they are of; none if they are no record, or of a version that no session has.
    pub fn after(&self) -> Option<Version> {
        if self.record.is_empty() {
            return Some(self.before);
        }
        Some(Version {
            number: self.before.number.checked_add(1)?,
            token: Record::token_in(&self.record)?,
        })
    }

    /// Of the version that they are of.
    pub fn token(&self) -> Option<Token> {
        self.after().map(|version| version.token)
    }

    /// What is neither a version nor a claim nor the record, in one byte.
    pub fn flags(&self) -> u8 {
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        flag(self.folded, FOLDED) | flag(self.passive, PASSIVE)
    }

    fn decode(mut bytes: &[u8]) -> Option<Self> {
        let before = Version::read(&mut bytes)?;
        let beside = Claim::read(take(&mut bytes, Claim::LENGTH)?);
        let flags = *take(&mut bytes, 1)?.first()?;
        Some(Self::of(before, beside, flags, bytes))
    }

    fn of(before: Version, beside: Option<Claim>, flags: u8, record: &[u8]) -> Self {
        Self {
            before,
            beside: beside.filter(|beside| beside.bytes() != NONE),
            folded: flags & FOLDED != 0,
            passive: flags & PASSIVE != 0,
            record: Bytes::copy_from_slice(record),
        }
    }
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    out.extend_from_slice(&count.to_be_bytes());
}

fn count(input: &mut &[u8]) -> Option<usize> {
    let count = take(input, size_of::<u32>())?;
    usize::try_from(u32::from_be_bytes(count.try_into().ok()?)).ok()
}

fn take<'a>(input: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(length)?;
    *input = rest;
    Some(taken)
}

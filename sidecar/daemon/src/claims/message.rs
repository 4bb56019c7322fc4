//! What daemons tell each other through the store's channels.

use super::id::Claim;
use super::shared::Shared;
use crate::key::Digest;

const SHARED: &[u8] = b"claims ";
const NEWS: &[u8] = b"news ";

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// To oneself: the way there and back works.
    Beat {
        /// Which beat.
        number: u64,
    },
    /// To a holder: let go of this session.
    Claim {
        /// The session.
        id: Digest,
        /// The claim that is in the way.
        claim: Claim,
        /// A claim of the daemon that asks.
        asker: Claim,
        /// The asker's claim is to take the place of the other.
        hand_over: bool,
    },
    /// To one that asked: ask the store again.
    Free {
        /// The session.
        id: Digest,
    },
    /// Between two daemons, of shared claims.
    Shared(Shared),
    /// To all: the session has expired, and whoever has had it may tell its listeners.
    Expired {
        /// The session.
        id: Digest,
    },
    /// To all: the session has ended.
    End {
        /// The session.
        id: Digest,
        /// It goes on under another name.
        forward: Option<Digest>,
    },
}

impl Message {
    /// As it is sent.
    pub fn bytes(&self) -> Vec<u8> {
        let text = match self {
            Self::Shared(said) => {
                let mut bytes = SHARED.to_vec();
                said.write(&mut bytes);
                return bytes;
            }
            Self::Beat { number } => format!("beat {number}"),
            Self::Claim {
                id,
                claim,
                asker,
                hand_over,
            } => {
                let how = if *hand_over { "over" } else { "free" };
                format!("claim {} {} {} {how}", id.hex(), claim.hex(), asker.hex())
            }
            Self::Free { id } => format!("free {}", id.hex()),
            Self::Expired { id } => format!("expired {}", id.hex()),
            Self::End { id, forward: None } => format!("end {}", id.hex()),
            Self::End {
                id,
                forward: Some(to),
            } => format!("end {} {}", id.hex(), to.hex()),
        };
        text.into_bytes()
    }

    /// The message in a text. `None` is one of a version to come. Who says that a claim is over waits for an answer for as long as his patience lasts: a
    /// version that says that in another way cannot share sessions with those before.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if let Some(rest) = bytes.strip_prefix(SHARED) {
            return Shared::read(rest).map(Self::Shared);
        }
        if let Some(rest) = bytes.strip_prefix(NEWS) {
            return Shared::read_news(rest).map(Self::Shared);
        }
        Self::read_text(bytes)
    }

    fn read_text(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let mut words = text.split(' ');
        let kind = words.next()?;
        let mut word = || words.next();
        let digest = |word: Option<&str>| Digest::from_hex(word?.as_bytes());
        let claim = |word: Option<&str>| Claim::from_hex(word?.as_bytes());
        Some(match kind {
            "beat" => Self::Beat {
                number: word()?.parse().ok()?,
            },
            "claim" => Self::Claim {
                id: digest(word())?,
                claim: claim(word())?,
                asker: claim(word())?,
                hand_over: word()? == "over",
            },
            "free" => Self::Free {
                id: digest(word())?,
            },
            "expired" => Self::Expired {
                id: digest(word())?,
            },
            "end" => Self::End {
                id: digest(word())?,
                forward: digest(word()),
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::id::Node;
    use super::super::shared::{News, Over, Version};
    use super::*;
    use crate::session::Token;

    #[test]
    fn messages_go_both_ways() {
        let id = Digest::of(b"/shop\nA1B2C3");
        let claim = Claim::sole(Node::random(), 1, 2);
        let asker = Claim::shared(Node::random(), 3, 4);
        let later = Claim::shared(claim.node(), 1, 3);
        let over = |claim, news| Over { id, claim, news };
        let version = Version {
            number: 1 << 40,
            token: Token(*b"1234"),
        };
        let news = News {
            before: version,
            beside: Some(asker),
            folded: true,
            passive: true,
            record: Bytes::from_static(b"of any length"),
        };
        for message in [
            Message::Beat { number: 12 },
            Message::Claim {
                id,
                claim,
                asker,
                hand_over: true,
            },
            Message::Claim {
                id,
                claim,
                asker,
                hand_over: false,
            },
            Message::Free { id },
            Message::Shared(Shared::from(claim.node())),
            Message::Shared(Shared {
                from: claim.node(),
                over: vec![over(asker, None), over(claim, Some(news))],
                kept: vec![(later, version.token), (claim, version.token)],
                gone: vec![claim, asker, claim],
            }),
            Message::Expired { id },
            Message::End { id, forward: None },
            Message::End {
                id,
                forward: Some(Digest::of(b"another")),
            },
        ] {
            assert_eq!(Message::read(&message.bytes()), Some(message));
        }
    }

    #[test]
    fn what_the_script_of_a_commit_says_is_said_by_its_daemon() {
        let id = Digest::of(b"/shop\nA1B2C3");
        let (claim, own) = (
            Claim::shared(Node::random(), 1, 2),
            Claim::shared(Node::random(), 3, 4),
        );
        let said = |rest: &[u8]| {
            let head = [b"news ", id.hex().as_bytes(), claim.bytes(), own.bytes()].concat();
            Message::read(&[&head, rest].concat())
        };
        let news = News {
            before: Version {
                number: 1207,
                token: Token(*b"1 34"),
            },
            beside: Some(own),
            folded: false,
            passive: true,
            record: Bytes::from_static(b"with blanks and so on"),
        };
        let expected = Message::Shared(Shared {
            over: vec![Over {
                id,
                claim,
                news: Some(news),
            }],
            ..Shared::from(own.node())
        });
        assert_eq!(said(b"1 34\x021207 with blanks and so on"), Some(expected));
        for nothing in [
            &b""[..],
            b"1 34",
            b"1 34\x02",
            b"1 34\x021207",
            b"1 34\x02x record",
        ] {
            assert_eq!(said(nothing), None);
        }
    }

    #[test]
    fn what_nobody_says_is_ignored() {
        for text in [
            &b""[..],
            b"beat",
            b"beat x",
            b"free",
            b"free 12",
            b"expired 12",
            b"dance 1",
            b"\xff",
            b"claim 1 2 3 4",
            b"claims ",
            b"claims 012345\0\0\0\x01too short",
            b"claims 012345\xff\xff\xff\xff",
            b"claims 012345\0\0\0\0\xff\xff\xff\xff",
        ] {
            assert_eq!(Message::read(text), None);
        }
    }
}

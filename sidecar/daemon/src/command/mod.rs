//! Typed commands from decoded requests: every argument is checked here and nowhere later.

mod parse;
mod tag;

use bytes::Bytes;
use thiserror::Error;

use crate::key::Digest;
use crate::session::Change;
use crate::session::delta::Delta;

pub use tag::Asked;

/// The longest session name.
const MAX_NAME: usize = 1024;

/// The channel that tells of the drain.
pub const CHANNEL: &str = "sojourn";

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `SJ.OPEN`
    Open {
        /// The session's name.
        session: Bytes,
        /// The version that the client holds, 0 for none.
        held: u64,
        /// The client wants the session for itself.
        exclusive: bool,
        /// The client can apply deltas.
        patch: bool,
        /// The client looks at the page of claims.
        ticket: bool,
        /// It is no access: the idle time goes on.
        passive: bool,
    },
    /// `SJ.COMMIT`
    Commit {
        /// What to commit.
        commit: Commit,
        /// The lock of a client that has the session for itself.
        lock: Option<u64>,
    },
    /// `SJ.UNLOCK`
    Unlock {
        /// The session's name.
        session: Bytes,
        /// The lock.
        lock: u64,
    },
    /// `SJ.TOUCH`
    Touch {
        /// The session's name.
        session: Bytes,
    },
    /// `SJ.END`
    End {
        /// The session's name.
        session: Bytes,
        /// It ends under whatever name it goes on.
        follow: bool,
    },
    /// `SJ.RENAME`
    Rename {
        /// The session's name so far.
        session: Bytes,
        /// Its name from now on.
        new_session: Bytes,
        /// The version that the client holds.
        base: u64,
    },
    /// `SJ.REAP`
    Reap {
        /// The session's name.
        session: Bytes,
    },
    /// `SJ.NOTE`
    Note(Note),
    /// `SJ.SESSIONS`
    Sessions {
        /// The shard whose sessions are asked for.
        shard: u8,
    },
    /// `SJ.EXPIRE`
    Expire {
        /// The session's digest.
        id: Digest,
    },
    /// `PING`
    Ping(Option<Bytes>),
    /// `AUTH`
    Auth {
        /// What proves the client.
        token: Bytes,
    },
    /// `HELLO`
    Hello {
        /// The protocol version asked for, if one was.
        protocol: Option<u64>,
        /// A token given along with it.
        token: Option<Bytes>,
    },
    /// `SUBSCRIBE`, to the only channel there is.
    Subscribe,
    /// `UNSUBSCRIBE`
    Unsubscribe,
    /// `SJ.DRAIN`
    Drain,
    /// `INFO`
    Info,
    /// `COMMAND`
    CommandList,
    /// `CLIENT SETNAME`, `CLIENT SETINFO`: accepted and forgotten.
    ClientSet,
    /// `CLIENT ID`
    ClientId,
    /// `CLIENT GETNAME`
    ClientName,
    /// `SELECT 0`
    Select,
    /// `QUIT`
    Quit,
}

/// The arguments of `SJ.COMMIT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The session's name.
    pub session: Bytes,
    /// The version that the changes were made on, 0 to create the session.
    pub base: u64,
    /// Seconds until an unused session ends, -1 for never.
    pub idle: i64,
    /// When the session was created, milliseconds since the epoch.
    pub created: u64,
    /// The changes, in the order of the request.
    pub changes: Vec<Change>,
    /// Changes as deltas of the values that the client holds.
    pub patches: Vec<Patch>,
    /// It is no access: the idle time goes on. One that creates a session is an access all the same.
    pub passive: bool,
}

/// A change of one attribute as a delta of the value at the commit's base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The attribute's name.
    pub name: Bytes,
    /// The delta.
    pub delta: Delta,
}

/// The arguments of `SJ.NOTE`: something about an attribute that an operator of the cluster wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What is the matter with it.
    pub kind: NoteKind,
    /// The web application, by its context path.
    pub context: Bytes,
    /// The attribute's name.
    pub attribute: Bytes,
    /// The class that is the matter.
    pub class: Bytes,
}

/// What may be the matter with an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoteKind {
    /// It cannot be written.
    Unserializable,
    /// It cannot be read back.
    Unreadable,
    /// The deserialization filter refuses it.
    Refused,
    /// It is large.
    Large,
}

impl NoteKind {
    /// As it is on the wire and in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unserializable => "unserializable",
            Self::Unreadable => "unreadable",
            Self::Refused => "refused",
            Self::Large => "large",
        }
    }

    pub(crate) fn of(word: &[u8]) -> Option<Self> {
        let kinds = [
            Self::Unserializable,
            Self::Unreadable,
            Self::Refused,
            Self::Large,
        ];
        kinds
            .into_iter()
            .find(|kind| kind.name().as_bytes().eq_ignore_ascii_case(word))
    }
}

/// A request that is whole but wrong. The connection stays.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Wrong {
    /// No such command.
    #[error("unknown command '{0}'")]
    Unknown(String),
    /// Too few or too many arguments.
    #[error("wrong number of arguments for '{0}'")]
    Arguments(&'static str),
    /// An argument is no decimal number or out of range.
    #[error("{0} is not a number in range")]
    Number(&'static str),
    /// A session's name has 1 to 1,024 bytes.
    #[error("a session's name has 1 to {MAX_NAME} bytes, not {0}")]
    Name(usize),
    /// An operation that is neither SET nor DEL.
    #[error("unknown operation '{0}': expected SET, PATCH or DEL")]
    Operation(String),
    /// A word after an open that is none.
    #[error("unknown word '{0}': expected EXCLUSIVE, PATCH, TICKET or PASSIVE")]
    Word(String),
    /// A session that one request has for itself is never on the page of claims.
    #[error("EXCLUSIVE and TICKET do not go together")]
    Words,
    /// An attribute's name that cannot be one.
    #[error("an attribute's name is UTF-8, and not a single NUL byte")]
    Attribute,
    /// A note of a kind that is none.
    #[error("unknown kind of note '{0}': expected unserializable, unreadable, refused or large")]
    Kind(String),
    /// Not the digest of a session.
    #[error("a session's digest has 40 hexadecimal digits")]
    Digest,
    /// A delta that is none.
    #[error("PATCH takes a delta, as the store's layout describes it")]
    Delta,
    /// Subscribing to anything else.
    #[error("there is no channel but 'sojourn'")]
    Channel,
    /// `CLIENT` with something unknown, `SELECT` of another database.
    #[error("'{0}' is not supported with these arguments")]
    Unsupported(&'static str),
    /// There is no room for it beside what is under way.
    #[error(
        "too many large requests at once: the store is slow or away, or the sidecar needs more memory"
    )]
    NoRoom,
    /// A tag before a command that takes none.
    #[error("'{0}' takes no tag")]
    Untaggable(&'static str),
}

impl Wrong {
    /// The prefix of the reply.
    pub fn prefix(&self) -> &'static str {
        match self {
            Self::NoRoom => "UNAVAILABLE",
            _ => "ERR",
        }
    }
}

impl Command {
    /// Whether its reply may have to wait: for the store, or for others that are at work on the session.
    pub fn may_wait(&self) -> bool {
        matches!(
            self,
            Self::Open { .. }
                | Self::Commit { .. }
                | Self::End { .. }
                | Self::Rename { .. }
                | Self::Reap { .. }
                | Self::Sessions { .. }
                | Self::Expire { .. }
        )
    }

    /// The command's name, for metrics.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Open { .. } => "open",
            Self::Commit { .. } => "commit",
            Self::Unlock { .. } => "unlock",
            Self::Touch { .. } => "touch",
            Self::End { .. } => "end",
            Self::Rename { .. } => "rename",
            Self::Reap { .. } => "reap",
            Self::Note(_) => "note",
            Self::Sessions { .. } => "sessions",
            Self::Expire { .. } => "expire",
            Self::Drain => "drain",
            Self::Subscribe => "subscribe",
            _ => "other",
        }
    }
}

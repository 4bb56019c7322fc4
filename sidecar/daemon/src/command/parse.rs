//! From a request's words to a command.

use bytes::Bytes;

use super::{CHANNEL, Command, Commit, MAX_NAME, Note, NoteKind, Patch, Wrong};
use crate::key::Digest;
use crate::resp::Request;
use crate::session::Change;
use crate::session::delta::Delta;

impl Command {
    /// The command of a request.
    pub fn parse(request: Request) -> Result<Self, Wrong> {
        let mut arguments = request.into_iter();
        let name = arguments.next().unwrap_or_default();
        let rest: Vec<Bytes> = arguments.collect();
        match name.to_ascii_uppercase().as_slice() {
            b"SJ.OPEN" => open(&rest),
            b"SJ.COMMIT" => commit(rest),
            b"SJ.UNLOCK" => unlock(&rest),
            b"SJ.TOUCH" => Ok(Self::Touch {
                session: only_session("SJ.TOUCH", &rest)?,
            }),
            b"SJ.END" => end(&rest),
            b"SJ.RENAME" => rename(&rest),
            b"SJ.REAP" => Ok(Self::Reap {
                session: only_session("SJ.REAP", &rest)?,
            }),
            b"SJ.NOTE" => note(&rest),
            b"SJ.SESSIONS" => sessions(&rest),
            b"SJ.EXPIRE" => expire(&rest),
            b"SJ.DRAIN" => none("SJ.DRAIN", &rest, Self::Drain),
            b"PING" => ping(rest),
            b"AUTH" => auth(&rest),
            b"HELLO" => hello(&rest),
            b"SUBSCRIBE" => channel("SUBSCRIBE", &rest, Self::Subscribe),
            b"UNSUBSCRIBE" if rest.is_empty() => Ok(Self::Unsubscribe),
            b"UNSUBSCRIBE" => channel("UNSUBSCRIBE", &rest, Self::Unsubscribe),
            b"INFO" => Ok(Self::Info),
            b"COMMAND" => Ok(Self::CommandList),
            b"CLIENT" => client(&rest),
            b"SELECT" => select(&rest),
            b"QUIT" => Ok(Self::Quit),
            _ => Err(Wrong::Unknown(printable(&name))),
        }
    }
}

fn open(rest: &[Bytes]) -> Result<Command, Wrong> {
    let [session, held, words @ ..] = rest else {
        return Err(Wrong::Arguments("SJ.OPEN"));
    };
    let (mut exclusive, mut patch, mut ticket, mut passive) = (false, false, false, false);
    for word in words {
        match word.to_ascii_uppercase().as_slice() {
            b"EXCLUSIVE" => exclusive = true,
            b"PATCH" => patch = true,
            b"TICKET" => ticket = true,
            b"PASSIVE" => passive = true,
            _ => return Err(Wrong::Word(printable(word))),
        }
    }
    if exclusive && ticket {
        return Err(Wrong::Words);
    }
    Ok(Command::Open {
        session: session_name(session)?,
        held: number("held", held)?,
        exclusive,
        patch,
        ticket,
        passive,
    })
}

fn unlock(rest: &[Bytes]) -> Result<Command, Wrong> {
    let [session, lock] = rest else {
        return Err(Wrong::Arguments("SJ.UNLOCK"));
    };
    Ok(Command::Unlock {
        session: session_name(session)?,
        lock: number("lock", lock)?,
    })
}

fn commit(rest: Vec<Bytes>) -> Result<Command, Wrong> {
    let [session, base, idle, created, ..] = rest.as_slice() else {
        return Err(Wrong::Arguments("SJ.COMMIT"));
    };
    let mut commit = Commit {
        session: session_name(session)?,
        base: number("base", base)?,
        idle: idle_time(idle)?,
        created: number("created", created)?,
        changes: Vec::new(),
        patches: Vec::new(),
        passive: false,
    };
    let mut words = rest.into_iter().skip(4).peekable();
    let mut lock = None;
    if words
        .next_if(|word| word.eq_ignore_ascii_case(b"LOCK"))
        .is_some()
    {
        let given = words.next().ok_or(Wrong::Arguments("SJ.COMMIT"))?;
        lock = Some(number("lock", &given)?);
    }
    commit.passive = words
        .next_if(|word| word.eq_ignore_ascii_case(b"PASSIVE"))
        .is_some();
    while let Some(operation) = words.next() {
        let name = words.next().ok_or(Wrong::Arguments("SJ.COMMIT"))?;
        if name.as_ref() == b"\0" || std::str::from_utf8(&name).is_err() {
            return Err(Wrong::Attribute);
        }
        let value = if operation.eq_ignore_ascii_case(b"SET") {
            Some(words.next().ok_or(Wrong::Arguments("SJ.COMMIT"))?)
        } else if operation.eq_ignore_ascii_case(b"PATCH") {
            let delta = words.next().ok_or(Wrong::Arguments("SJ.COMMIT"))?;
            let delta = Delta::read(&delta).ok_or(Wrong::Delta)?;
            commit.patches.push(Patch { name, delta });
            continue;
        } else if operation.eq_ignore_ascii_case(b"DEL") {
            None
        } else {
            return Err(Wrong::Operation(printable(&operation)));
        };
        commit.changes.push(Change::whole(name, value));
    }
    Ok(Command::Commit { commit, lock })
}

fn end(rest: &[Bytes]) -> Result<Command, Wrong> {
    let (session, follow) = match rest {
        [session] => (session, false),
        [session, word] if word.eq_ignore_ascii_case(b"FOLLOW") => (session, true),
        [_, word] => return Err(Wrong::Word(printable(word))),
        _ => return Err(Wrong::Arguments("SJ.END")),
    };
    Ok(Command::End {
        session: session_name(session)?,
        follow,
    })
}

fn rename(rest: &[Bytes]) -> Result<Command, Wrong> {
    let [session, new_session, base] = rest else {
        return Err(Wrong::Arguments("SJ.RENAME"));
    };
    Ok(Command::Rename {
        session: session_name(session)?,
        new_session: session_name(new_session)?,
        base: number("base", base)?,
    })
}

fn note(rest: &[Bytes]) -> Result<Command, Wrong> {
    let [kind, context, attribute, class] = rest else {
        return Err(Wrong::Arguments("SJ.NOTE"));
    };
    Ok(Command::Note(Note {
        kind: NoteKind::of(kind).ok_or_else(|| Wrong::Kind(printable(kind)))?,
        context: context.clone(),
        attribute: attribute.clone(),
        class: class.clone(),
    }))
}

fn sessions(rest: &[Bytes]) -> Result<Command, Wrong> {
    match rest {
        [shard] => {
            let shard = number("shard", shard)?;
            let shard = shard.try_into().map_err(|_| Wrong::Number("shard"))?;
            Ok(Command::Sessions { shard })
        }
        _ => Err(Wrong::Arguments("SJ.SESSIONS")),
    }
}

fn expire(rest: &[Bytes]) -> Result<Command, Wrong> {
    match rest {
        [digest] => Ok(Command::Expire {
            id: Digest::from_hex(digest).ok_or(Wrong::Digest)?,
        }),
        _ => Err(Wrong::Arguments("SJ.EXPIRE")),
    }
}

fn ping(rest: Vec<Bytes>) -> Result<Command, Wrong> {
    if rest.len() > 1 {
        return Err(Wrong::Arguments("PING"));
    }
    Ok(Command::Ping(rest.into_iter().next()))
}

fn auth(rest: &[Bytes]) -> Result<Command, Wrong> {
    match rest {
        [token] | [_, token] => Ok(Command::Auth {
            token: token.clone(),
        }),
        _ => Err(Wrong::Arguments("AUTH")),
    }
}

fn hello(rest: &[Bytes]) -> Result<Command, Wrong> {
    let Some((protocol, mut options)) = rest.split_first() else {
        return Ok(Command::Hello {
            protocol: None,
            token: None,
        });
    };
    let protocol = Some(number("protocol version", protocol)?);
    let mut token = None;
    loop {
        match options {
            [] => return Ok(Command::Hello { protocol, token }),
            [word, _, given, rest @ ..] if word.eq_ignore_ascii_case(b"AUTH") => {
                token = Some(given.clone());
                options = rest;
            }
            [word, _, rest @ ..] if word.eq_ignore_ascii_case(b"SETNAME") => options = rest,
            _ => return Err(Wrong::Arguments("HELLO")),
        }
    }
}

fn channel(command: &'static str, rest: &[Bytes], parsed: Command) -> Result<Command, Wrong> {
    match rest {
        [name] if name.as_ref() == CHANNEL.as_bytes() => Ok(parsed),
        [] => Err(Wrong::Arguments(command)),
        _ => Err(Wrong::Channel),
    }
}

fn client(rest: &[Bytes]) -> Result<Command, Wrong> {
    let word = rest
        .first()
        .map(|word| word.to_ascii_uppercase())
        .unwrap_or_default();
    match word.as_slice() {
        b"SETNAME" | b"SETINFO" | b"NO-EVICT" | b"NO-TOUCH" => Ok(Command::ClientSet),
        b"ID" => Ok(Command::ClientId),
        b"GETNAME" => Ok(Command::ClientName),
        _ => Err(Wrong::Unsupported("CLIENT")),
    }
}

fn select(rest: &[Bytes]) -> Result<Command, Wrong> {
    match rest {
        [index] if index.as_ref() == b"0" => Ok(Command::Select),
        _ => Err(Wrong::Unsupported("SELECT")),
    }
}

fn none(command: &'static str, rest: &[Bytes], parsed: Command) -> Result<Command, Wrong> {
    if rest.is_empty() {
        Ok(parsed)
    } else {
        Err(Wrong::Arguments(command))
    }
}

fn only_session(command: &'static str, rest: &[Bytes]) -> Result<Bytes, Wrong> {
    match rest {
        [session] => session_name(session),
        _ => Err(Wrong::Arguments(command)),
    }
}

fn session_name(name: &Bytes) -> Result<Bytes, Wrong> {
    if (1..=MAX_NAME).contains(&name.len()) {
        Ok(name.clone())
    } else {
        Err(Wrong::Name(name.len()))
    }
}

/// Versions and times are signed 64-bit integers in replies, hence the bound.
pub(super) fn number(what: &'static str, text: &[u8]) -> Result<u64, Wrong> {
    let number = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    number
        .and_then(|number| u64::try_from(number).ok())
        .ok_or(Wrong::Number(what))
}

/// The servlet API says "never" with zero too.
fn idle_time(text: &[u8]) -> Result<i64, Wrong> {
    let idle = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<i32>().ok());
    let idle = idle.ok_or(Wrong::Number("idle"))?;
    Ok(if idle <= 0 { -1 } else { i64::from(idle) })
}

/// At most 64 characters of what a client sent, fit for a reply and a log line.
fn printable(bytes: &[u8]) -> String {
    bytes
        .iter()
        .take(64)
        .flat_map(|byte| byte.escape_ascii())
        .map(char::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&[u8]]) -> Result<Command, Wrong> {
        Command::parse(
            words
                .iter()
                .map(|word| Bytes::copy_from_slice(word))
                .collect(),
        )
    }

    #[test]
    fn wrong_requests_say_what_is_wrong() {
        assert_eq!(parse(&[b"GET", b"x"]), Err(Wrong::Unknown("GET".into())));
        assert_eq!(parse(&[b"SJ.OPEN", b"s"]), Err(Wrong::Arguments("SJ.OPEN")));
        assert_eq!(parse(&[b"SJ.OPEN", b"", b"0"]), Err(Wrong::Name(0)));
        assert_eq!(
            parse(&[b"SJ.OPEN", &[b'n'; 1025], b"0"]),
            Err(Wrong::Name(1025))
        );
        assert_eq!(
            parse(&[b"SJ.OPEN", b"s", b"-1"]),
            Err(Wrong::Number("held"))
        );
        assert_eq!(
            parse(&[b"SJ.OPEN", b"s", b"1", b"TICKET", b"PATCH", b"EXCLUSIVE"]),
            Err(Wrong::Words)
        );
        let commit: &[&[u8]] = &[b"SJ.COMMIT", b"s", b"0", b"60", b"1", b"SET", b"a"];
        assert_eq!(parse(commit), Err(Wrong::Arguments("SJ.COMMIT")));
        let commit: &[&[u8]] = &[b"SJ.COMMIT", b"s", b"0", b"60", b"1", b"ADD", b"a"];
        assert_eq!(parse(commit), Err(Wrong::Operation("ADD".into())));
        let commit: &[&[u8]] = &[b"SJ.COMMIT", b"s", b"0", b"60", b"1", b"DEL", b"\0"];
        assert_eq!(parse(commit), Err(Wrong::Attribute));
        let commit: &[&[u8]] = &[b"SJ.COMMIT", b"s", b"0", b"60", b"1", b"DEL", b"\xff"];
        assert_eq!(parse(commit), Err(Wrong::Attribute));
    }

    #[test]
    fn zero_and_below_mean_never() {
        for idle in [&b"0"[..], b"-1", b"-7"] {
            let Ok(Command::Commit { commit, .. }) = parse(&[b"SJ.COMMIT", b"s", b"0", idle, b"1"])
            else {
                panic!("a good commit");
            };
            assert_eq!(commit.idle, -1);
        }
    }

    #[test]
    fn ordinary_clients_can_connect() {
        assert_eq!(
            parse(&[b"client", b"setinfo", b"lib-name", b"x"]),
            Ok(Command::ClientSet)
        );
        assert_eq!(parse(&[b"COMMAND", b"DOCS"]), Ok(Command::CommandList));
        assert_eq!(parse(&[b"SELECT", b"1"]), Err(Wrong::Unsupported("SELECT")));
        let token = Some(Bytes::from_static(b"t"));
        assert_eq!(
            parse(&[b"HELLO", b"2", b"AUTH", b"default", b"t", b"SETNAME", b"x"]),
            Ok(Command::Hello {
                protocol: Some(2),
                token
            })
        );
    }
}

//! Tags: with one a request's reply finds it, whatever comes before.

use bytes::Bytes;

use super::parse::number;
use super::{Command, Wrong};
use crate::resp::Request;

const TAG: &str = "SJ.TAG";

/// A request as the client put it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The client's number for it: the reply bears it, and does not wait for its turn.
    pub tag: Option<u64>,
    /// What is asked for, or why that cannot be.
    pub command: Result<Command, Wrong>,
    /// The bytes of its words.
    pub bytes: usize,
}

impl Asked {
    /// What a request asks for, tagged or not. What is wrong with the tag itself cannot be told under it.
    pub fn parse(mut request: Request) -> Self {
        let bytes = request.iter().map(Bytes::len).sum();
        let (tag, command) = match request.as_slice() {
            [name, words @ ..] if is_tag(name) => match tag_of(words) {
                Ok(tag) => {
                    request.drain(..2);
                    (Some(tag), tagged(request))
                }
                Err(wrong) => (None, Err(wrong)),
            },
            _ => (None, Command::parse(request)),
        };
        Self {
            tag,
            command,
            bytes,
        }
    }
}

fn is_tag(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(TAG.as_bytes())
}

fn tag_of(words: &[Bytes]) -> Result<u64, Wrong> {
    match words {
        [tag, _, ..] => number("tag", tag),
        _ => Err(Wrong::Arguments(TAG)),
    }
}

fn tagged(request: Request) -> Result<Command, Wrong> {
    if request.first().is_some_and(|name| is_tag(name)) {
        return Err(Wrong::Untaggable(TAG));
    }
    let command = Command::parse(request)?;
    match untaggable(&command) {
        None => Ok(command),
        Some(name) => Err(Wrong::Untaggable(name)),
    }
}

/// What changes how the connection itself goes on: what comes before and after it must be plain.
fn untaggable(command: &Command) -> Option<&'static str> {
    match command {
        Command::Auth { .. } => Some("AUTH"),
        Command::Hello { .. } => Some("HELLO"),
        Command::Quit => Some("QUIT"),
        Command::Subscribe => Some("SUBSCRIBE"),
        Command::Unsubscribe => Some("UNSUBSCRIBE"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> (Option<u64>, Result<Command, Wrong>) {
        let words = line
            .split(' ')
            .map(|word| Bytes::copy_from_slice(word.as_bytes()));
        let asked = Asked::parse(words.collect());
        (asked.tag, asked.command)
    }

    #[test]
    fn a_tag_goes_before_any_other_command() {
        let session = Bytes::from_static(b"s");
        let touch = || {
            Ok(Command::Touch {
                session: session.clone(),
            })
        };
        assert_eq!(parse("SJ.TOUCH s"), (None, touch()));
        assert_eq!(parse("SJ.TAG 0 SJ.TOUCH s"), (Some(0), touch()));
        let most = i64::MAX as u64;
        assert_eq!(
            parse(&format!("sj.tag {most} sj.touch s")),
            (Some(most), touch())
        );
    }

    #[test]
    fn what_is_wrong_with_the_tag_is_told_without_one() {
        for line in ["SJ.TAG", "SJ.TAG 1", "SJ.TAG x"] {
            assert_eq!(
                parse(line),
                (None, Err(Wrong::Arguments("SJ.TAG"))),
                "{line}"
            );
        }
        for tag in ["-1", "x", "", "9223372036854775808"] {
            let line = format!("SJ.TAG {tag} PING");
            assert_eq!(parse(&line), (None, Err(Wrong::Number("tag"))), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_the_command_is_told_under_the_tag() {
        assert_eq!(
            parse("SJ.TAG 1 GET x"),
            (Some(1), Err(Wrong::Unknown("GET".into())))
        );
        assert_eq!(
            parse("SJ.TAG 1 SJ.END"),
            (Some(1), Err(Wrong::Arguments("SJ.END")))
        );
        for line in [
            "AUTH t",
            "HELLO 2",
            "QUIT",
            "SUBSCRIBE sojourn",
            "UNSUBSCRIBE",
            "SJ.TAG 2 PING",
            "sj.tag",
        ] {
            let (tag, command) = parse(&format!("SJ.TAG 1 {line}"));
            assert_eq!(tag, Some(1), "{line}");
            assert!(
                matches!(command, Err(Wrong::Untaggable(_))),
                "{line}: {command:?}"
            );
        }
    }
}

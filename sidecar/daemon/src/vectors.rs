//! The protocol's test vectors, shared with the other implementations.

use bytes::Bytes;
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/vectors");

/// Every file, and who tests it here. A new file must be added, or the build fails.
const KNOWN: [&str; 7] = [
    "broken.json",
    "deltas.json",
    "endpoints.json",
    "keys.json",
    "replies.json",
    "requests.json",
    "storez.json",
];

/// The vectors in a file.
pub(crate) fn read(file: &str) -> Vec<Value> {
    assert!(KNOWN.contains(&file), "{file}");
    let text = std::fs::read_to_string(format!("{FOLDER}/{file}")).expect(file);
    serde_json::from_str(&text).expect(file)
}

/// A string of the vectors that is plain text.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

/// The bytes that a string of the vectors stands for.
pub(crate) fn bytes_of(value: &Value) -> Bytes {
    let mut bytes = Vec::new();
    let mut text = value.as_str().expect("a string").bytes();
    while let Some(byte) = text.next() {
        assert!(
            (0x20..0x7f).contains(&byte),
            "only printable ASCII in {value}"
        );
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match text.next().expect("an escape") {
            b'r' => b'\r',
            b'n' => b'\n',
            b'\\' => b'\\',
            b'x' => {
                let digits = [text.next().unwrap(), text.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            other => panic!("unknown escape {other} in {value}"),
        });
    }
    bytes.into()
}

#[test]
fn every_file_is_known() {
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            KNOWN.contains(&name.as_str()),
            "{name} is tested by nobody here"
        );
    }
}

mod requests {
    use bytes::BytesMut;

    use super::*;
    use crate::command::{Asked, Command, Commit, Note, NoteKind, Patch};
    use crate::key::Digest;
    use crate::resp::Decoder;
    use crate::session::Change;
    use crate::session::delta::Delta;

    fn command_of(command: &str, fields: &Value) -> Command {
        let bytes = |name: &str| bytes_of(&fields[name]);
        let number = |name: &str| fields[name].as_u64().unwrap();
        match command {
            "SJ.OPEN" => Command::Open {
                session: bytes("session"),
                held: number("held"),
                exclusive: fields.get("exclusive").is_some(),
                patch: fields["patch"] == true,
                ticket: fields["ticket"] == true,
                passive: fields["passive"] == true,
            },
            "SJ.UNLOCK" => Command::Unlock {
                session: bytes("session"),
                lock: number("lock"),
            },
            "SJ.COMMIT" => Command::Commit {
                commit: commit_of(fields),
                lock: fields.get("lock").and_then(Value::as_u64),
            },
            "SJ.TOUCH" => Command::Touch {
                session: bytes("session"),
            },
            "SJ.END" => Command::End {
                session: bytes("session"),
                follow: fields["follow"] == true,
            },
            "SJ.RENAME" => Command::Rename {
                session: bytes("session"),
                new_session: bytes("newSession"),
                base: number("base"),
            },
            "SJ.REAP" => Command::Reap {
                session: bytes("session"),
            },
            "SJ.NOTE" => Command::Note(Note {
                kind: NoteKind::of(&bytes("kind")).unwrap(),
                context: bytes("context"),
                attribute: bytes("attribute"),
                class: bytes("class"),
            }),
            "SJ.SESSIONS" => Command::Sessions {
                shard: number("shard").try_into().unwrap(),
            },
            "SJ.EXPIRE" => Command::Expire {
                id: Digest::from_hex(&bytes("digest")).unwrap(),
            },
            "PING" => Command::Ping(fields.get("text").map(bytes_of)),
            "AUTH" => Command::Auth {
                token: bytes("token"),
            },
            "HELLO" => Command::Hello {
                protocol: fields.get("protocol").and_then(Value::as_u64),
                token: None,
            },
            "SUBSCRIBE" => Command::Subscribe,
            "SJ.DRAIN" => Command::Drain,
            "SELECT" => Command::Select,
            "QUIT" => Command::Quit,
            other => panic!("unknown command {other}"),
        }
    }

    fn commit_of(fields: &Value) -> Commit {
        let operations = fields["operations"].as_array().unwrap();
        Commit {
            session: bytes_of(&fields["session"]),
            base: fields["base"].as_u64().unwrap(),
            idle: fields["idle"].as_i64().unwrap(),
            created: fields["created"].as_u64().unwrap(),
            changes: operations
                .iter()
                .filter(|operation| operation.get("patch").is_none())
                .map(change_of)
                .collect(),
            patches: operations.iter().filter_map(patch_of).collect(),
            passive: fields["passive"] == true,
        }
    }

    fn patch_of(operation: &Value) -> Option<Patch> {
        Some(Patch {
            name: bytes_of(operation.get("patch")?),
            delta: Delta::read(&bytes_of(&operation["delta"])).unwrap(),
        })
    }

    fn change_of(operation: &Value) -> Change {
        match operation.get("delete") {
            Some(name) => Change::whole(bytes_of(name), None),
            None => Change::whole(
                bytes_of(&operation["set"]),
                Some(bytes_of(&operation["value"])),
            ),
        }
    }

    #[test]
    fn the_bytes_of_the_vectors_are_understood() {
        for vector in read("requests.json") {
            let mut input = BytesMut::from(bytes_of(&vector["wire"]).as_ref());
            let request = Decoder::default().decode(&mut input).unwrap().unwrap();
            assert!(input.is_empty());
            let expected = command_of(&text_of(&vector["command"]), &vector["fields"]);
            let asked = Asked::parse(request);
            assert_eq!(asked.command, Ok(expected), "{}", vector["name"]);
            assert_eq!(asked.tag, vector["tag"].as_u64(), "{}", vector["name"]);
        }
    }

    #[test]
    fn broken_bytes_are_refused() {
        for vector in read("broken.json")
            .iter()
            .filter(|vector| vector["side"] == "server")
        {
            let mut input = BytesMut::from(bytes_of(&vector["wire"]).as_ref());
            let mut decoder = Decoder::default();
            let mut good = 0;
            let broken = loop {
                match decoder.decode(&mut input) {
                    Ok(Some(_)) => good += 1,
                    Ok(None) => panic!("{} was not refused", vector["name"]),
                    Err(broken) => break broken,
                }
            };
            assert_eq!(
                broken.to_string(),
                text_of(&vector["error"]),
                "{}",
                vector["name"]
            );
            assert_eq!(
                good,
                vector["requestsBefore"].as_u64().unwrap_or(0),
                "{}",
                vector["name"]
            );
        }
    }
}

#[test]
fn sessions_have_the_keys_of_the_vectors() {
    for vector in read("keys.json") {
        let digest = crate::key::Digest::of(&bytes_of(&vector["session"]));
        assert_eq!(
            digest.hex(),
            text_of(&vector["digest"]),
            "{}",
            vector["name"]
        );
        let key = digest.key(&text_of(&vector["cluster"]));
        assert_eq!(key, text_of(&vector["key"]), "{}", vector["name"]);
    }
}

#[test]
fn values_have_the_deltas_of_the_vectors() {
    use crate::session::delta::Delta;
    for vector in read("deltas.json") {
        let name = &vector["name"];
        let (old, new) = (bytes_of(&vector["old"]), bytes_of(&vector["new"]));
        let delta = Delta::between(&old, &new);
        if vector["delta"].is_null() {
            assert_eq!(delta, None, "{name}");
            continue;
        }
        let delta = delta.unwrap_or_else(|| panic!("{name} makes no delta"));
        let mut encoded = Vec::new();
        delta.encode(&mut encoded);
        assert_eq!(encoded, bytes_of(&vector["delta"]), "{name}");
        let ranges = delta
            .ranges
            .iter()
            .zip(vector["ranges"].as_array().unwrap());
        for (range, expected) in ranges {
            assert_eq!(
                Some(range.offset as u64),
                expected["offset"].as_u64(),
                "{name}"
            );
            assert_eq!(
                Some(range.removed as u64),
                expected["removed"].as_u64(),
                "{name}"
            );
            assert_eq!(range.inserted, bytes_of(&expected["inserted"]), "{name}");
        }
        assert_eq!(
            delta.ranges.len(),
            vector["ranges"].as_array().unwrap().len(),
            "{name}"
        );
        assert_eq!(delta.apply(&old), Some(new), "{name}");
        for other in vector["refuses"].as_array().into_iter().flatten() {
            assert_eq!(delta.apply(&bytes_of(other)), None, "{name}");
        }
    }
}

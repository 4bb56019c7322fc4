//! The protocol's test vectors, shared with the other implementations.

use bytes::Bytes;
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/vectors");

/// Every file, and who tests it here. A new file must be added, or the build fails.
const KNOWN: [&str; 6] = [
    "broken.json",
    "deltas.json",
    "endpoints.json",
    "keys.json",
    "replies.json",
    "requests.json",
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

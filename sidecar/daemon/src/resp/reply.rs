//! Replies and their bytes.

use bytes::{BufMut, Bytes, BytesMut};

/// A RESP2 reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// `+text`
    Simple(&'static str),
    /// `-PREFIX text`: never holds a line break.
    Error(String),
    /// `:n`
    Integer(i64),
    /// `$n` and bytes
    Bulk(Bytes),
    /// The null bulk string.
    NullBulk,
    /// The null array.
    NullArray,
    /// An array of replies.
    Array(Vec<Reply>),
}

impl Reply {
    /// `+OK`
    pub const OK: Self = Self::Simple("OK");

    /// An error with its prefix. A line break in `text` would end the reply early: it is replaced.
    pub fn error(prefix: &str, text: impl AsRef<str>) -> Self {
        let text = text.as_ref().replace(['\r', '\n'], " ");
        Self::Error(format!("{prefix} {text}"))
    }

    /// A bulk string of text.
    pub fn text(text: &str) -> Self {
        Self::Bulk(Bytes::copy_from_slice(text.as_bytes()))
    }

    /// An integer reply of a version or a time, which never exceed 63 bits.
    pub fn number(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// Appends the reply's bytes.
    pub fn encode(&self, out: &mut BytesMut) {
        match self {
            Self::Simple(text) => line(out, b'+', text),
            Self::Error(text) => line(out, b'-', text),
            Self::Integer(number) => line(out, b':', &number.to_string()),
            Self::Bulk(bytes) => {
                line(out, b'$', &bytes.len().to_string());
                out.reserve(bytes.len() + 2);
                out.put_slice(bytes);
                out.put_slice(b"\r\n");
            }
            Self::NullBulk => line(out, b'$', "-1"),
            Self::NullArray => line(out, b'*', "-1"),
            Self::Array(items) => {
                line(out, b'*', &items.len().to_string());
                for item in items {
                    item.encode(out);
                }
            }
        }
    }
}

fn line(out: &mut BytesMut, kind: u8, text: &str) {
    out.reserve(text.len() + 3);
    out.put_u8(kind);
    out.put_slice(text.as_bytes());
    out.put_slice(b"\r\n");
}

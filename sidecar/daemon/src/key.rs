//! Where a session lies in the store.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The session's name, unreadable: all of a name that ever leaves the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; Digest::LENGTH]);

impl Digest {
    const LENGTH: usize = 20;

    /// The digest of a session's name.
    pub fn of(name: &[u8]) -> Self {
        let mut digest = [0; Self::LENGTH];
        for (to, from) in digest.iter_mut().zip(Sha256::digest(name)) {
            *to = from;
        }
        Self(digest)
    }

    /// The digest that [`Digest::hex`] wrote.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        unhex(hex).map(Self)
    }

    /// Lower-case hexadecimal.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// The first byte: sessions with the same one share a slot and an index.
    pub fn shard(&self) -> u8 {
        let [shard, ..] = self.0;
        shard
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key of a session of `cluster`.
    pub fn key(&self, cluster: &str) -> String {
        let hex = self.hex();
        let shard = hex.get(..2).unwrap_or_default();
        format!("sj:{{{shard}}}:{cluster}:{hex}")
    }
}

/// The key of a shard's index of sessions that may be over.
pub fn due(shard: u8, cluster: &str) -> String {
    format!("sj:{{{shard:02x}}}:{cluster}:due")
}

/// A key that there is once in a cluster.
pub fn single(cluster: &str, name: &str) -> String {
    format!("sj:{{00}}:{cluster}:{name}")
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let text = String::with_capacity(2 * bytes.len());
    bytes.iter().fold(text, |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that [`hex`] wrote, if they are just as many.
pub(crate) fn unhex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (to, pair) in bytes.iter_mut().zip(text.chunks(2)) {
        *to = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_goes_both_ways() {
        let digest = Digest::of(b"/shop\nA1B2C3");
        assert_eq!(Digest::from_hex(digest.hex().as_bytes()), Some(digest));
        assert_eq!(Digest::from_hex(b"abc"), None);
        assert_eq!(Digest::from_hex(&[b'x'; 40]), None);
    }
}

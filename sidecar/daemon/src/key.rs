//! Where a session lies in the store.

use sha2::{Digest as _, Sha256};

/// The session's name, unreadable: all of a name that ever leaves the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; Digest::LENGTH]);

impl Digest {
    /// In bytes.
    pub const LENGTH: usize = 20;

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

    /// The digest in these bytes.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// One of a shard that no session has.
    pub fn of_none(shard: u8) -> Self {
        Self(std::array::from_fn(|n| match n {
            0 => shard,
            _ => fastrand::u8(..),
        }))
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

/// The shard of what there is once in a cluster.
pub const SINGLE: u8 = 0;

/// The key of what there is once on each server, in one of its shards, or once in a cluster.
pub fn on_each(shard: u8, cluster: &str, name: &str) -> String {
    format!("sj:{{{shard:02x}}}:{cluster}:{name}")
}

/// The shard of a key of any kind.
pub fn shard_of(key: &str) -> u8 {
    let shard = key.get(4..6);
    shard
        .and_then(|shard| u8::from_str_radix(shard, 16).ok())
        .unwrap_or_default()
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(halves.filter_map(|half| char::from_digit(half.into(), 16)));
    text
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
    fn all_keys_of_a_session_are_of_its_shard() {
        let digest = Digest::of(b"/shop\nA1B2C3");
        for key in [digest.key("shop"), due(digest.shard(), "shop")] {
            assert_eq!(shard_of(&key), digest.shard(), "{key}");
        }
        assert_eq!(shard_of(&on_each(0, "shop", "reaper")), 0);
    }

    #[test]
    fn hexadecimal_goes_both_ways() {
        let digest = Digest::of(b"/shop\nA1B2C3");
        assert_eq!(Digest::from_hex(digest.hex().as_bytes()), Some(digest));
        assert_eq!(Digest::from_hex(b"abc"), None);
        assert_eq!(Digest::from_hex(&[b'x'; 40]), None);
    }
}

//! For who operates the cluster: which sessions there are, and an end to some.

use std::sync::Arc;

use bytes::Bytes;
use tracing::info;

use super::expiry::SOON;
use super::{Failure, Service};
use crate::cache::Slot;
use crate::claims::message::Message;
use crate::key::Digest;
use crate::session::Attribute;

/// The container's attribute with the name of who is logged in, a string as Java serializes it.
const USER: &[u8] = b"\0user";
/// What the name of a client's note ends with, which is nobody's session.
const NOTE: &[u8] = b"\n";
/// Of a stream with one short string: magic, version, `TC_STRING` (Java Object Serialization Specification, 6.4.2).
const STRING: &[u8] = &[0xAC, 0xED, 0, 5, b't'];

/// One session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Its digest.
    pub id: Digest,
    /// The web application, by its context path; not known without the cluster's secret.
    pub context: Option<Bytes>,
    /// Who is logged in.
    pub user: Option<Bytes>,
    /// When it was created, milliseconds since the epoch.
    pub created: u64,
    /// Its last access, as far as the store knows; the same.
    pub accessed: u64,
    /// Seconds until it ends unused.
    pub idle: i64,
    /// Of names and values.
    pub bytes: usize,
    /// The application's.
    pub attributes: usize,
}

impl Service {
    /// `SJ.SESSIONS`: those of a shard that live, as the store has them, or the other one while there are two.
    pub async fn sessions(&self, shard: u8) -> Result<Vec<Overview>, Failure> {
        let mut sessions = Vec::new();
        for id in self.store.members(shard).await? {
            sessions.extend(self.look_at(id).await?);
        }
        Ok(sessions)
    }

    async fn look_at(&self, id: Digest) -> Result<Option<Overview>, Failure> {
        let Some((sealed, listing)) = self.store.look(id).await? else {
            return Ok(None);
        };
        let accessed = listing.accessed;
        let name = self.sealer.open(id, &sealed);
        if name.as_ref().is_some_and(|name| name.ends_with(NOTE)) {
            return Ok(None);
        }
        Ok(listing.load(None).map(|loaded| {
            let session = loaded.session;
            let there = |(name, attribute): &(&Bytes, &Attribute)| {
                attribute.value.is_some() && !name.starts_with(b"\0")
            };
            Overview {
                id,
                context: name.as_ref().map(context),
                user: session.value(USER).and_then(string).map(Bytes::from),
                created: session.created,
                accessed,
                idle: session.idle,
                bytes: session.size(),
                attributes: session.attributes().iter().filter(there).count(),
            }
        }))
    }

    /// `SJ.EXPIRE`: has a session end as one that nobody used for too long, wherever it is in use; whether there was one.
    pub async fn expire(self: &Arc<Self>, id: Digest) -> Result<bool, Failure> {
        let slot = self.cache().slot(id);
        let expired = self.expire_slot(id, &slot).await;
        // Whatever came of it, the store is asked next.
        slot.state().set_claim(None);
        self.settle(id, slot);
        if matches!(expired, Ok(true)) {
            // Its user will ask why, and the store does not know any more.
            info!(session = id.hex(), "ended by an operator");
            self.announce(Message::Expired { id });
            self.announce_end(id, None);
        }
        expired
    }

    async fn expire_slot(&self, id: Digest, slot: &Slot) -> Result<bool, Failure> {
        let _turn = self.turn(id, slot).await;
        // Known before the store takes it, as any other end: if it does not, the tombstone follows, and nobody puts back what has ended.
        let begun = self.ends.begin(id);
        let token = begun.token;
        self.wait_until_flushed(slot).await?;
        let was_held = slot.state().held.take().is_some();
        let expired = self.store.expire(id, token, SOON).await?;
        self.accesses().take(id);
        let may_be_lost = was_held || self.recovery.was_emptied_lately();
        // What somebody may still put back is over without its listeners.
        Ok(self
            .bury_lost(begun, expired, !expired, may_be_lost)
            .await?)
    }
}

/// A session's name is `<context path> LF <id>`. One that is no text spoils the list for nobody.
fn context(name: &Bytes) -> Bytes {
    let end = name.iter().position(|byte| *byte == b'\n');
    let path = name.get(..end.unwrap_or(0)).unwrap_or_default();
    String::from_utf8_lossy(path).into_owned().into()
}

/// The text of a serialized string; `None` for anything else.
fn string(value: &Bytes) -> Option<String> {
    let (length, text) = value.strip_prefix(STRING)?.split_first_chunk::<2>()?;
    if text.len() != usize::from(u16::from_be_bytes(*length)) {
        return None;
    }
    Some(String::from_utf16_lossy(&characters(text)?))
}

/// Java's characters, as it writes them: each half of a surrogate pair on its own (`java.io.DataInput`, modified UTF-8).
fn characters(text: &[u8]) -> Option<Vec<u16>> {
    let mut bytes = text.iter().map(|byte| u16::from(*byte));
    let mut characters = Vec::with_capacity(text.len());
    while let Some(first) = bytes.next() {
        let mut more = || Some(bytes.next().filter(|byte| byte & 0xC0 == 0x80)? & 0x3F);
        characters.push(match first {
            0..=0x7F => first,
            0xC0..=0xDF => (first & 0x1F) << 6 | more()?,
            0xE0..=0xEF => (first & 0x0F) << 12 | more()? << 6 | more()?,
            _ => return None,
        });
    }
    Some(characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_string_is_one() {
        let of = |bytes: &'static [u8]| string(&Bytes::from_static(bytes));
        assert_eq!(of(b"\xAC\xED\0\x05t\0\x03Ann").as_deref(), Some("Ann"));
        for other in [
            &b""[..],
            b"Ann",
            b"\xAC\xED\0\x05t\0",
            b"\xAC\xED\0\x05t\0\x04Ann",
            b"\xAC\xED\0\x05t\0\x02Ann",
            b"\xAC\xED\0\x05p",
            b"\xAC\xED\0\x05t\0\x01\xC3",
            b"\xAC\xED\0\x05t\0\x01\x80",
        ] {
            assert_eq!(of(other), None);
        }
    }

    #[test]
    fn a_string_is_read_as_java_writes_it() {
        let text = b"\xC0\x80\xC3\xAB\xE2\x82\xAC\xED\xA0\xBD\xED\xB8\x80";
        let value = [STRING, &[0, 13], text].concat();
        assert_eq!(
            string(&value.into()).as_deref(),
            Some("\0\u{EB}\u{20AC}\u{1F600}")
        );
    }

    #[test]
    fn a_context_is_what_stands_before_the_id() {
        let of = |name: &'static [u8]| context(&Bytes::from_static(name));
        assert_eq!(of(b"/shop\nA1"), &b"/shop"[..]);
        assert_eq!(of(b"\nA1"), &b""[..]);
        assert_eq!(of(b"of another client"), &b""[..]);
    }
}

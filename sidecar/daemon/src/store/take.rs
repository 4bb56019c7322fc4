//! What a store does for the other one that a session goes to.

use std::time::Duration;

use redis::Value;

use super::answer::{Answer, Listing, bytes, integer};
use super::claims::Call;
use super::{Patience, Store, Unavailable};
use crate::key::Digest;
use crate::moment::Moment;

/// A session that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// When it was asked for.
    pub(super) at: Moment,
    pub(super) name: Vec<u8>,
    pub(super) moves: u64,
    pub(super) ago: Duration,
    pub(super) listing: Listing,
}

/// What there is to take.
#[derive(Debug)]
pub(super) enum Take {
    Taken(Box<Taken>),
    /// It has gone to the other one.
    Gone,
    /// It lives, and was not to be taken.
    Lives,
    Nothing,
    Ended(Option<Digest>),
}

impl Take {
    fn read(value: Value, at: Moment) -> Option<Self> {
        let Value::Array(items) = value else {
            return None;
        };
        let mut items = items.into_iter();
        Some(match integer(&items.next()?)? {
            0 => Self::Nothing,
            2 => Self::Gone,
            3 => Self::Lives,
            -1 => {
                let forward = items.next().and_then(bytes);
                Self::Ended(forward.and_then(|hex| Digest::from_hex(&hex)))
            }
            _ => Self::Taken(Box::new(Taken {
                at,
                name: bytes(items.next()?)?,
                moves: u64::try_from(integer(&items.next()?)?).ok()?,
                ago: Duration::from_millis(
                    u64::try_from(integer(&items.next()?)?).unwrap_or_default(),
                ),
                listing: match Answer::read(items.next()?)? {
                    Answer::Listing(listing) => listing,
                    _ => return None,
                },
            })),
        })
    }
}

impl Store {
    /// Ends a session here for the other store, if it is there; with `living` false only one is answered that was taken before.
    pub(super) async fn take(
        &self,
        id: Digest,
        floor: u64,
        living: bool,
    ) -> Result<Take, Unavailable> {
        let script = &self.scripts.take;
        let floor = floor.to_string();
        let living: &[u8] = if living { b"1" } else { b"" };
        let arguments = [floor.as_bytes(), living];
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        let at = Moment::now();
        let value = self.run(call, Patience::Bounded).await?;
        Take::read(value, at).ok_or_else(|| self.caller.nonsense(script, &Value::Nil))
    }

    /// Leaves word that a session is elsewhere; false where it is here, or has moved since.
    pub(super) async fn leave_word(&self, id: Digest, moves: u64) -> Result<bool, Unavailable> {
        let script = &self.scripts.moved;
        let moves = moves.to_string();
        let arguments = [moves.as_bytes()];
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        Ok(self.run(call, Patience::Bounded).await? == Value::Int(1))
    }
}

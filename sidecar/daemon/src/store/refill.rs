//! What a daemon asks of a store that may have lost something, and what it puts back.

use std::time::Duration;

use redis::Value;
use tokio::time::timeout_at;

use super::answer::{Answer, bytes, integer, moves};
use super::claims::Call;
use super::moving::Brought;
use super::whole::Whole;
use super::{Patience, Store, Unavailable};
use crate::key::{self, Digest};
use crate::session::{Session, Token};

/// Every key has a time-out; this one is set again long before.
const EPOCH_TTL: u64 = 30 * 86_400;

/// What is there, without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probed {
    /// Nothing.
    Absent,
    /// It has ended.
    Ended(Option<Digest>),
    /// It is in another store.
    Moved,
    /// Nobody used it for too long.
    Over,
    /// A session.
    At {
        /// Its version.
        version: u64,
        /// That version's token.
        token: Token,
        /// The token of the version that was asked for, if that is among its records.
        ours: Option<Token>,
    },
}

/// A session to put back.
#[derive(Debug)]
pub struct Refill<'a> {
    /// As it was.
    pub session: &'a Session,
    /// Its sealed name.
    pub name: &'a [u8],
    /// How long ago it was used.
    pub ago: Duration,
    /// The version and token that it takes the place of; without them it is put where there is none.
    pub instead: Option<(u64, Token)>,
    /// It comes from another store, and that is its so many-th move.
    pub moves: Option<u64>,
}

impl Probed {
    fn read(value: Value) -> Option<Self> {
        let Value::Array(items) = value else {
            return None;
        };
        let mut items = items.into_iter();
        match integer(&items.next()?)? {
            -2 => Some(Self::Over),
            -1 => {
                let forward = items.next().and_then(bytes);
                if forward.as_deref().and_then(moves).is_some() {
                    return Some(Self::Moved);
                }
                Some(Self::Ended(forward.and_then(|hex| Digest::from_hex(&hex))))
            }
            0 => Some(Self::Absent),
            _ => Some(Self::At {
                version: u64::try_from(integer(&items.next()?)?).ok()?,
                token: Token::read(&bytes(items.next()?)?)?,
                ours: items
                    .next()
                    .and_then(bytes)
                    .and_then(|token| Token::read(&token)),
            }),
        }
    }
}

impl Store {
    /// Tells one connection from another; `None` while there is none.
    pub fn connection_id(&self) -> Option<u64> {
        self.caller.connection_id()
    }

    /// Returns once there is a connection, and another one than that.
    pub async fn connected_anew(&self, than: Option<u64>) {
        self.caller.connected_anew(than).await;
    }

    /// One shard of each server that the store consists of.
    pub fn shards(&self) -> Vec<u8> {
        self.caller.route().shards()
    }

    /// Of those the one that is of the server that has this; `None` where nobody has it.
    pub fn first_of(&self, shard: u8) -> Option<u8> {
        self.caller.route().first_of(shard)
    }

    /// What names everything that the server with this shard has held since it was empty. Set where it is missing.
    pub async fn epoch(&self, shard: u8) -> Result<Vec<u8>, Unavailable> {
        let key = key::on_each(shard, &self.cluster, "epoch");
        let mut get = redis::cmd("GET");
        get.arg(&key);
        if let Some(epoch) = bytes(self.caller.ask(shard, &get).await?) {
            return Ok(epoch);
        }
        let mut set = redis::cmd("SET");
        let new = format!("{:016x}", fastrand::u64(..));
        set.arg(&key).arg(new).arg("NX").arg("EX").arg(EPOCH_TTL);
        self.caller.ask(shard, &set).await?;
        // Somebody else may have been first.
        Ok(bytes(self.caller.ask(shard, &get).await?).unwrap_or_default())
    }

    /// Keeps the epochs for another 30 days.
    pub async fn keep_epochs(&self) -> Result<(), Unavailable> {
        for shard in self.shards() {
            let key = key::on_each(shard, &self.cluster, "epoch");
            let mut expire = redis::cmd("PEXPIRE");
            expire.arg(&key).arg(EPOCH_TTL * 1000);
            self.caller.ask(shard, &expire).await?;
        }
        Ok(())
    }

    /// Waits for what others put back, no longer than the patience lasts.
    pub async fn in_time<T>(
        &self,
        patience: Patience,
        waiting: impl Future<Output = T>,
    ) -> Result<T, Unavailable> {
        match patience {
            Patience::Until(end) | Patience::UntilAway(end) => timeout_at(end, waiting)
                .await
                .map_err(|_| self.caller.late()),
            Patience::Bounded | Patience::Endless => Ok(waiting.await),
        }
    }

    /// Looks at a session of which we hold `version`; no access.
    pub async fn probe(
        &self,
        id: Digest,
        version: u64,
        patience: Patience,
    ) -> Result<Probed, Unavailable> {
        let script = &self.scripts.probe;
        let version = version.to_string();
        let arguments = [version.as_bytes()];
        let call = Call::of(script, id, &arguments);
        let value = self.run(call, patience).await?;
        Probed::read(value).ok_or_else(|| self.caller.nonsense(script, &Value::Nil))
    }

    /// Puts a session back as it is.
    pub async fn refill(
        &self,
        id: Digest,
        refill: &Refill<'_>,
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        if refill.instead.is_none() {
            // What is in another store, or has ended there, is not lost.
            if let Brought::Ended(forward) = self.bring(id, 0, patience).await? {
                let going = Vec::new();
                return Ok(Answer::Ended { forward, going });
            }
        }
        let mut answer = self.put(id, refill, patience).await?;
        self.tell_others(id, &mut answer, None, patience).await?;
        Ok(answer)
    }

    /// The same, whatever is in another store; nobody has been told of its end whose claim is over with it.
    pub(super) async fn put(
        &self,
        id: Digest,
        refill: &Refill<'_>,
        patience: Patience,
    ) -> Result<Answer, Unavailable> {
        let Refill {
            session,
            name,
            ago,
            instead,
            moves,
        } = refill;
        let moves = moves.map_or_else(String::new, |moves| moves.to_string());
        let whole = Whole::of(session, self.packing);
        let ago = ago.as_millis().to_string();
        let old_version = instead.map_or_else(String::new, |(version, _)| version.to_string());
        let old_token = instead.map(|(_, token)| token.0);
        let trail = session.history.before(session.version);
        let mut arguments = whole.arguments(name).to_vec();
        arguments.extend([
            ago.as_bytes(),
            old_version.as_bytes(),
            old_token.as_ref().map_or(&[][..], |token| token.as_slice()),
            &trail,
            moves.as_bytes(),
        ]);
        let call = Call {
            indexed: true,
            ..Call::of(&self.scripts.refill, id, &arguments)
        };
        self.ask_here(call, patience).await
    }

    /// Leaves the tombstone of a session that is known to have ended: 1 if there was none, 2 if there is one with this token, 0 if there is another. One that
    /// waits for its listeners is left to them, unless they are `told`.
    pub async fn bury(
        &self,
        id: Digest,
        token: Token,
        forward: Option<Digest>,
        told: bool,
    ) -> Result<i64, Unavailable> {
        let script = &self.scripts.bury;
        let forward = forward.map(|forward| forward.hex()).unwrap_or_default();
        let told = if told { "1" } else { "" };
        let arguments = [token.0.as_slice(), forward.as_bytes(), told.as_bytes()];
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        match self.run(call, Patience::Bounded).await? {
            Value::Int(buried) => Ok(buried),
            other => Err(self.caller.nonsense(script, &other)),
        }
    }
}

//! What the reaper asks of the store.

use std::iter;
use std::time::Duration;

use redis::Value;

use super::answer::{Answer, Listing, bytes, integer};
use super::caller::Run;
use super::claims::Call;
use super::scripts::Script;
use super::{Patience, Store, Unavailable};
use crate::key::{Digest, SINGLE, due, on_each};
use crate::session::Token;

/// What became of a session that was due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reaped {
    /// It lives, or it is gone: nobody is to be told.
    Nothing,
    /// It is over from now on.
    Marked,
    /// It was marked before, and nobody has taken it up; its name is sealed, and empty where nobody wrote it.
    Waits(Vec<u8>),
}

/// Sessions of a shard that may be over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The longest due first.
    pub members: Vec<Digest>,
    /// For how long the first of all has been due, be it among them or not.
    pub lag: Duration,
}

impl Store {
    /// At most `count` sessions of a shard that may be over, and are due for so long at least.
    pub async fn due(&self, shard: u8, count: usize, least: Duration) -> Result<Due, Unavailable> {
        let (count, least) = (count.to_string(), least.as_millis().to_string());
        let keys = [due(shard, &self.cluster)];
        let arguments = [count.as_bytes(), least.as_bytes()];
        let script = &self.scripts.due;
        let items = self.ask_index(script, &keys, &arguments, Patience::Bounded);
        let items = items.await?;
        let lag = items.first().and_then(integer).unwrap_or_default();
        Ok(Due {
            members: digests(items),
            lag: Duration::from_millis(u64::try_from(lag).unwrap_or_default()),
        })
    }

    /// Takes those of them that are gone out of the index, has those that live looked at when they may be over, and answers those that are, or has them looked
    /// at `again` after a while.
    pub async fn sift(
        &self,
        shard: u8,
        members: &[Digest],
        again: Option<Duration>,
        patience: Patience,
    ) -> Result<Vec<Digest>, Unavailable> {
        let sessions = members.iter().map(|id| id.key(&self.cluster));
        let keys: Vec<String> = iter::once(due(shard, &self.cluster))
            .chain(sessions)
            .collect();
        let again = again.map_or_else(String::new, |again| again.as_millis().to_string());
        let script = &self.scripts.sift;
        let arguments = [again.as_bytes()];
        let over = self.ask_index(script, &keys, &arguments, patience);
        Ok(digests(over.await?))
    }

    /// Has members of an index that are due looked at after a while, be they where the index is or not.
    pub async fn look_later(
        &self,
        shard: u8,
        members: &[Digest],
        after: Duration,
    ) -> Result<(), Unavailable> {
        if members.is_empty() {
            return Ok(());
        }
        let after = after.as_millis().to_string();
        let digests: Vec<String> = members.iter().map(Digest::hex).collect();
        let mut arguments = vec![after.as_bytes()];
        arguments.extend(digests.iter().map(String::as_bytes));
        self.indexed(&self.scripts.later, shard, &arguments)
            .await
            .map(|_| ())
    }

    /// The digests that a script answers of a shard's index.
    pub(super) async fn indexed(
        &self,
        script: &Script,
        shard: u8,
        arguments: &[&[u8]],
    ) -> Result<Vec<Digest>, Unavailable> {
        let keys = [due(shard, &self.cluster)];
        let items = self.ask_index(script, &keys, arguments, Patience::Bounded);
        Ok(digests(items.await?))
    }

    /// What a script says of a shard's index, and perhaps of sessions of that shard: they have the same slot.
    async fn ask_index(
        &self,
        script: &Script,
        keys: &[String],
        arguments: &[&[u8]],
        patience: Patience,
    ) -> Result<Vec<Value>, Unavailable> {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let run = Run {
            script,
            keys: &keys,
            arguments,
        };
        match self.caller.run(run, patience).await? {
            Value::Array(items) => Ok(items),
            other => Err(self.caller.nonsense(script, &other)),
        }
    }

    /// Looks at a session that may be over, and has it looked at again after a while; takes what is gone out of the index. One that is not marked yet is,
    /// where `mark` says after how long it is to be looked at then.
    pub async fn reap(
        &self,
        id: Digest,
        again: Duration,
        mark: Option<Duration>,
        patience: Patience,
    ) -> Result<Reaped, Unavailable> {
        let token = Token::random().0;
        let again = again.as_millis().to_string();
        let mark = mark.map_or_else(String::new, |soon| soon.as_millis().to_string());
        let arguments = [token.as_slice(), again.as_bytes(), mark.as_bytes()];
        let script = &self.scripts.reap;
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        match self.run(call, patience).await? {
            Value::Array(items) if items.first() == Some(&Value::Int(2)) => {
                self.caller.done(id.shard());
                Ok(Reaped::Marked)
            }
            Value::Array(items) => Ok(match items.into_iter().nth(1).and_then(bytes) {
                Some(name) => Reaped::Waits(name),
                None => Reaped::Nothing,
            }),
            other => Err(self.caller.nonsense(script, &other)),
        }
    }

    /// A session that has expired and whose listeners nobody tells; for `telling` nobody else gets it.
    pub async fn expired(
        &self,
        id: Digest,
        telling: Duration,
    ) -> Result<Option<Listing>, Unavailable> {
        let token = Token::random().0;
        let telling = telling.as_millis().to_string();
        let arguments = [token.as_slice(), telling.as_bytes()];
        let call = Call {
            indexed: true,
            ..Call::of(&self.scripts.expired, id, &arguments)
        };
        let mut answer = self.ask_here(call, Patience::Bounded).await?;
        self.tell_others(id, &mut answer, None, Patience::Bounded)
            .await?;
        Ok(match answer {
            Answer::Listing(listing) => Some(listing),
            _ => None,
        })
    }

    /// Makes `who` the one who does `what` for `time`, or gives that up if it is zero; whether it is. Where a server has no room for that, the next one is asked. While it gets
    /// some again there may be two for as long as it takes to renew it.
    pub async fn lease(&self, what: &str, who: &[u8], time: Duration) -> Result<bool, Unavailable> {
        let mut leased = self.lease_at(SINGLE, what, who, time).await;
        for shard in self.caller.others_than(Some(SINGLE)) {
            match &leased {
                Err(unavailable) if unavailable.is_full() => {
                    leased = self.lease_at(shard, what, who, time).await;
                }
                _ => break,
            }
        }
        leased
    }

    async fn lease_at(
        &self,
        shard: u8,
        what: &str,
        who: &[u8],
        time: Duration,
    ) -> Result<bool, Unavailable> {
        let key = on_each(shard, &self.cluster, what);
        let time = time.as_millis().to_string();
        let script = &self.scripts.lease;
        let run = Run {
            script,
            keys: &[&key],
            arguments: &[who, time.as_bytes()],
        };
        match self.caller.run(run, Patience::Bounded).await? {
            Value::Int(taken) => Ok(taken == 1),
            other => Err(self.caller.nonsense(script, &other)),
        }
    }
}

fn digests(items: Vec<Value>) -> Vec<Digest> {
    let digests = items.into_iter().filter_map(bytes);
    digests.filter_map(|hex| Digest::from_hex(&hex)).collect()
}

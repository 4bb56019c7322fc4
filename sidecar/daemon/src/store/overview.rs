//! What an operator of the cluster asks of the store.

use std::time::Duration;

use redis::Value;

use super::answer::{Answer, Listing, bytes};
use super::claims::Call;
use super::{Patience, Store, Unavailable};
use crate::key::Digest;
use crate::session::Token;

impl Store {
    /// The sessions of a shard that may be there, or in the other store, but for those that never end by themselves.
    pub async fn members(&self, shard: u8) -> Result<Vec<Digest>, Unavailable> {
        let mut members = self.members_here(shard).await?;
        if let Some(other) = self.other() {
            members.extend(other.store().members_here(shard).await?);
            // One that came from there in between was in neither.
            members.extend(self.members_here(shard).await?);
            members.sort_unstable();
            members.dedup();
        }
        Ok(members)
    }

    /// The same, of this store alone.
    pub async fn members_here(&self, shard: u8) -> Result<Vec<Digest>, Unavailable> {
        self.indexed(&self.scripts.members, shard, &[]).await
    }

    /// A session whole, and its name as it is sealed here, whichever store it is in; no access, and it stays there.
    pub async fn look(&self, id: Digest) -> Result<Option<(Vec<u8>, Listing)>, Unavailable> {
        let here = self.look_here(id).await?;
        let Some(other) = self.other().filter(|_| here.is_none()) else {
            return Ok(here);
        };
        if let Some((name, listing)) = other.store().look_here(id).await? {
            return Ok(Some((other.seal_anew(id, name), listing)));
        }
        // It may have come from there in between.
        self.look_here(id).await
    }

    async fn look_here(&self, id: Digest) -> Result<Option<(Vec<u8>, Listing)>, Unavailable> {
        let script = &self.scripts.look;
        let value = self
            .run(Call::of(script, id, &[]), Patience::Bounded)
            .await?;
        let Value::Array(items) = value else {
            return Err(self.caller.nonsense(script, &value));
        };
        let mut items = items.into_iter().skip(1);
        let (Some(name), Some(listing)) = (items.next().and_then(bytes), items.next()) else {
            return Ok(None);
        };
        match Answer::read(listing) {
            Some(Answer::Listing(listing)) => Ok(Some((name, listing))),
            _ => Err(self.caller.nonsense(script, &Value::Nil)),
        }
    }

    /// Has a session end as one that nobody used for too long, which a reaper finds after a while; whether there was one.
    pub async fn expire(
        &self,
        id: Digest,
        token: Token,
        due: Duration,
    ) -> Result<bool, Unavailable> {
        let script = &self.scripts.expire;
        let due = due.as_millis().to_string();
        let arguments = [token.0.as_slice(), due.as_bytes()];
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        let read = |answer: Value| match answer {
            Value::Array(items) => Some(items.first() == Some(&Value::Int(1))),
            _ => None,
        };
        let not_there = |expired: &bool| (!expired).then_some(0);
        let expired = self.wherever(call, Patience::Bounded, read, not_there);
        Ok(expired.await?.is_ok())
    }
}

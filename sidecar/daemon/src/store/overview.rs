//! What an operator of the cluster asks of the store.

use redis::Value;

use super::answer::{Answer, Listing, bytes};
use super::claims::Call;
use super::{Patience, Store, Unavailable};
use crate::key::Digest;
use crate::session::Token;

impl Store {
    /// The sessions of a shard that may be there, but for those that never end by themselves.
    pub async fn members(&self, shard: u8) -> Result<Vec<Digest>, Unavailable> {
        self.indexed(&self.scripts.members, shard, &[]).await
    }

    /// A session whole, and its sealed name; no access.
    pub async fn look(&self, id: Digest) -> Result<Option<(Vec<u8>, Listing)>, Unavailable> {
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

    /// Has a session end as one that nobody used for too long; whether there was one.
    pub async fn expire(&self, id: Digest, token: Token) -> Result<bool, Unavailable> {
        let script = &self.scripts.expire;
        let arguments = [token.0.as_slice()];
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        let deadline = self.deadline(Patience::Bounded);
        loop {
            let answer = self.run(call, Patience::Bounded).await?;
            let Value::Array(items) = &answer else {
                return Err(self.caller.nonsense(script, &answer));
            };
            if items.first() == Some(&Value::Int(1)) {
                return Ok(true);
            }
            if !self.bring(id, 0, Patience::Bounded).await?.is_here() {
                return Ok(false);
            }
            self.check(deadline)?;
        }
    }
}

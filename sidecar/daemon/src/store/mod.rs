//! The store: scripts, one round trip each, tried again for as long as the patience lasts.

pub mod answer;
mod caller;
mod channel;
mod claims;
mod client;
mod cluster;
mod commit;
mod conduct;
mod expiry;
mod floor;
mod full;
mod health;
mod link;
mod lives;
mod map;
mod moving;
mod other;
mod overview;
mod reason;
mod refill;
mod replicas;
mod route;
mod scripts;
mod sentinel;
mod slots;
mod take;
mod target;
mod tell;
mod turns;
mod unavailable;
mod whole;
mod wire;

use std::sync::Arc;

use redis::Value;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::cache::Others;
use crate::claims::Claims;
use crate::claims::accesses::Use;
use crate::claims::page::Page;
use crate::claims::shared::News;
use crate::config::StoreConfig;
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::session::packing::Packing;
use crate::session::{Session, Token};
use answer::{Answer, ended};
use caller::Caller;
pub use channel::Heard;
use claims::Call;
use commit::may_share;
pub use commit::{Blind, Brief, Terms};
pub use expiry::{Due, Reaped};
pub use health::{Health, HealthPage};
use moving::Brought;
pub use other::Other;
pub use reason::Reason;
pub use refill::{Probed, Refill};
use scripts::Scripts;
use tell::Telling;
pub use unavailable::{Patience, Unavailable};
use whole::Whole;

/// The store, from the daemon's side.
#[derive(Debug)]
pub struct Store {
    cluster: String,
    scripts: Scripts,
    caller: Caller,
    claims: Arc<Claims>,
    metrics: Arc<Metrics>,
    /// The channels have been subscribed to, perhaps anew.
    heard: Arc<Notify>,
    telling: Telling,
    packing: Packing,
    answered_early: bool,
    /// Another one, while sessions move.
    other: Option<Box<Other>>,
}

impl Store {
    /// Begins to connect and returns at once, with what other daemons will say.
    pub fn start(
        cluster: &str,
        config: &StoreConfig,
        metrics: Arc<Metrics>,
        page: Option<Arc<Page>>,
        other: Option<Other>,
    ) -> (Self, mpsc::UnboundedReceiver<Heard>) {
        let claims = Arc::new(Claims::new(cluster, Arc::clone(&metrics), page));
        let heard = Arc::<Notify>::default();
        let caller = Caller::start(config, Arc::clone(&metrics));
        let target = caller.route().target.clone();
        let messages = channel::start(
            config.clone(),
            target,
            Arc::clone(&claims),
            Arc::clone(&heard),
        );
        tokio::spawn(caller.lose_claims(Arc::clone(&claims), Arc::clone(&heard)));
        let store = Self {
            cluster: cluster.to_owned(),
            scripts: Scripts::new(),
            caller,
            claims,
            metrics,
            heard,
            telling: Telling::new(),
            packing: config.packing,
            answered_early: config.answered_early,
            other: other.map(Box::new),
        };
        (store, messages)
    }

    /// What is compressed.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// Why the store cannot be used, if so.
    pub fn down(&self) -> Option<Reason> {
        self.caller.down()
    }

    /// Whether there is a connection to the server that has a shard, though others may be away.
    pub fn is_up(&self, shard: u8) -> bool {
        self.caller.is_up(shard)
    }

    /// Whether the server that has a shard is away, and not only being connected to anew; others may be there.
    pub fn is_away(&self, shard: u8) -> bool {
        self.caller.is_away(shard)
    }

    /// Waits while it is only being connected to anew.
    pub async fn until_up_or_away(&self, shard: u8) {
        self.caller.until_up_or_away(shard).await;
    }

    /// Which connection that is.
    pub fn connection_to(&self, shard: u8) -> Option<u64> {
        self.caller.connection_to(shard)
    }

    /// Whether sessions reach it.
    pub fn health(&self) -> Health {
        self.caller.health()
    }

    /// When it was last back after requests had been answered without it, though there was a connection.
    pub fn back(&self) -> Option<Instant> {
        self.caller.back()
    }

    /// A shard by which to know the server that has this one: the same for all of its own, as long as none moves.
    pub fn server_of(&self, shard: u8) -> u8 {
        self.caller.route().first_of(shard).unwrap_or(shard)
    }

    /// When the server with this shard was last known to have no room for what it was told, for as long as requests wait, or found to have some again.
    pub fn full(&self, shard: u8) -> Option<Instant> {
        self.caller.full(shard)
    }

    /// Since when that server has room again after such a time; as of now where it has none.
    pub fn room_since(&self, shard: u8) -> Option<Instant> {
        self.caller.room_since(shard)
    }

    /// Returns once it takes writes again for which it had no room.
    pub async fn has_room_again(&self) {
        self.caller.has_room_again().await;
    }

    /// Asks what changed since `held`, and perhaps for a claim; an access, unless it is passive.
    pub async fn open(
        &self,
        id: Digest,
        held: Option<&Session>,
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let version = held.map_or(0, |held| held.version).to_string();
        let token = held.map(|held| held.token.0).unwrap_or_default();
        let mut arguments = vec![version.as_bytes(), token.as_slice()];
        if terms.passive {
            arguments.push(b"1");
        }
        let call = Call {
            want: terms.want,
            void: terms.void,
            ..Call::of(&self.scripts.open, id, &arguments)
        };
        let mut answer = self.ask(call, terms.patience).await?;
        // Who knows of that version may go on saying so.
        let news = match &answer {
            Answer::Listing(listing) if may_share(terms) => Some(News::read_at(listing.at())),
            _ => None,
        };
        self.tell_others(id, &mut answer, news.as_ref(), terms.patience)
            .await?;
        Ok(answer)
    }

    /// Puts a session where there is none, at the version that it has, with its sealed name.
    pub async fn create(
        &self,
        id: Digest,
        session: &Session,
        name: &[u8],
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let whole = Whole::of(session, self.packing);
        let arguments = whole.arguments(name);
        let call = Call {
            want: terms.want,
            indexed: true,
            ..Call::of(&self.scripts.create, id, &arguments)
        };
        self.answer(call, terms.patience).await
    }

    /// Tells of accesses; whether the session is there, or is again, for it was in use all the time.
    pub async fn touch(
        &self,
        id: Digest,
        used: Use,
        patience: Patience,
    ) -> Result<bool, Unavailable> {
        let told = used.told(Instant::now().into_std());
        let arguments = told.each_ref().map(String::as_bytes);
        let call = Call::of(&self.scripts.touch, id, &arguments);
        let read = |value: Value| Some(value == Value::Int(1));
        let not_there = |touched: &bool| (!touched).then_some(0);
        let touched = self.wherever(call, patience, read, not_there).await?;
        Ok(touched.is_ok())
    }

    /// Leaves a tombstone, with `left` of a session that goes on under another digest, if it still has the version that was copied: 1 if this call ended it, or
    /// who has the same token, 0 if there was none, 2 if it has another version.
    pub async fn end(
        &self,
        id: Digest,
        token: Token,
        left: Option<(Digest, u64)>,
        patience: Patience,
    ) -> Result<i64, Unavailable> {
        let (forward, only) = left
            .map(|(forward, only)| (forward.hex(), only.to_string()))
            .unwrap_or_default();
        let arguments = [token.0.as_slice(), forward.as_bytes(), only.as_bytes()];
        let call = Call {
            indexed: true,
            ..Call::of(&self.scripts.end, id, &arguments)
        };
        let not_there = |(ended, _): &(i64, _)| (*ended == 0).then_some(0);
        let answer = self.wherever(call, patience, ended, not_there);
        let Ok((ended, mut going)) = answer.await? else {
            return Ok(0);
        };
        self.until_let_go(id, &mut going, None, patience).await?;
        Ok(ended)
    }

    async fn answer(&self, call: Call<'_>, patience: Patience) -> Result<Answer, Unavailable> {
        let mut answer = self.ask(call, patience).await?;
        self.tell_others(call.id, &mut answer, None, patience)
            .await?;
        Ok(answer)
    }

    /// Asks of a session wherever it is.
    async fn ask(&self, call: Call<'_>, patience: Patience) -> Result<Answer, Unavailable> {
        let not_there = |answer: &Answer| match answer {
            Answer::Absent => Some(0),
            Answer::Moved(moves) => Some(*moves),
            _ => None,
        };
        let answer = self.wherever(call, patience, Answer::read, not_there);
        Ok(match answer.await? {
            Ok(answer) => {
                if matches!(answer, Answer::Done(_)) {
                    self.caller.done(call.id.shard());
                }
                answer
            }
            Err(Brought::Ended(forward)) => {
                let going = Vec::new();
                Answer::Ended { forward, going }
            }
            Err(_) => Answer::Absent,
        })
    }

    async fn ask_here(&self, call: Call<'_>, patience: Patience) -> Result<Answer, Unavailable> {
        let script = call.script;
        let value = self.run(call, patience).await?;
        // Only a store that is none of ours answers anything else.
        Answer::read(value).ok_or_else(|| self.caller.nonsense(script, &Value::Nil))
    }

    async fn tell_others(
        &self,
        id: Digest,
        answer: &mut Answer,
        news: Option<&News>,
        patience: Patience,
    ) -> Result<(), Unavailable> {
        let Some(going) = answer.going() else {
            return Ok(());
        };
        let all = going.clone();
        self.until_let_go(id, going, news, patience).await?;
        let others = Others::told(&all, going);
        match answer {
            Answer::Done(done) => done.others = others,
            Answer::Listing(listing) => listing.shared |= others.any,
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

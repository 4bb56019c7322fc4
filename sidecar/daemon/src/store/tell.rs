//! What is said to other daemons by the store's channels: to one of them once, to all of them until a server has passed it on.

use std::time::Duration;

use redis::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Store, Unavailable};
use crate::claims::id::Node;
use crate::claims::message::Message;

/// How soon something is said again to all that no server has passed on, and for how long: until then another server has taken the place of one that is away.
const SAY_AGAIN: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
const WORTH_SAYING: Duration = Duration::from_mins(1);

/// What is being said to all.
#[derive(Debug)]
pub(super) struct Telling {
    under_way: watch::Sender<usize>,
    /// The daemon is about to end: what is to be said again is said now, or never.
    is_ending: watch::Sender<bool>,
}

impl Telling {
    pub(super) fn new() -> Self {
        Self {
            under_way: watch::Sender::new(0),
            is_ending: watch::Sender::new(false),
        }
    }

    fn begin(&self) -> UnderWay<'_> {
        self.under_way.send_modify(|count| *count += 1);
        UnderWay(&self.under_way)
    }
}

/// Something that is being said, until it is dropped.
struct UnderWay<'a>(&'a watch::Sender<usize>);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Store {
    /// Says something to one daemon; it is not known whether he hears it.
    pub async fn tell(&self, node: Node, message: &Message) {
        let channel = node.channel(&self.cluster);
        let _ = self.publish(&channel, message).await;
    }

    /// Says something to all daemons, again and again until a server has passed it on: nobody says it anew. Who hears it twice knows it already. One that is
    /// not connected to any hears instead, once it is, that it has missed something.
    pub async fn tell_all(&self, message: &Message) {
        let _under_way = self.telling.begin();
        let channel = self.claims.channel_of_all();
        let mut is_ending = self.telling.is_ending.subscribe();
        let told = async {
            let mut pause = SAY_AGAIN;
            while let Err(unavailable) = self.publish(&channel, message).await {
                if !unavailable.reason().passes() {
                    return;
                }
                let ending = is_ending.wait_for(|is_ending| *is_ending);
                if timeout(pause, ending).await.is_ok() {
                    return self.publish_by_any(&channel, message).await;
                }
                pause = LONGEST_PAUSE.min(pause * 2);
            }
        };
        let _ = timeout(WORTH_SAYING, told).await;
    }

    /// Before the end: what no server has passed on yet is said once more. Who has no connection to any does not wait for one.
    pub async fn tell_what_is_left(&self) {
        self.telling.is_ending.send_replace(true);
        let mut under_way = self.telling.under_way.subscribe();
        let _ = under_way.wait_for(|count| *count == 0).await;
    }

    pub(super) async fn publish(
        &self,
        channel: &str,
        message: &Message,
    ) -> Result<Value, Unavailable> {
        // Any server passes it on; the one that keeps our life is the one that a beat is about. While that is away others still wait for what we say.
        let shard = self.passing_on().next();
        self.publish_by(
            shard.unwrap_or(self.claims.node().shard()),
            channel,
            message,
        )
        .await
    }

    /// By one server after the other, until one has passed it on: it may be that the first hangs.
    async fn publish_by_any(&self, channel: &str, message: &Message) {
        for shard in self.passing_on() {
            if self.publish_by(shard, channel, message).await.is_ok() {
                return;
            }
        }
    }

    /// One shard of each server that there is a connection to, that of our own life first.
    fn passing_on(&self) -> impl Iterator<Item = u8> {
        let own = self.claims.node().shard();
        let own_server = self.caller.route().first_of(own);
        let others = self.caller.route().shards().into_iter();
        let others = others.filter(move |shard| Some(*shard) != own_server);
        let all = [own].into_iter().chain(others);
        all.filter(|shard| self.caller.is_up(*shard))
    }

    async fn publish_by(
        &self,
        shard: u8,
        channel: &str,
        message: &Message,
    ) -> Result<Value, Unavailable> {
        let mut publish = redis::cmd("PUBLISH");
        publish.arg(channel).arg(message.bytes());
        self.caller.ask(shard, &publish).await
    }
}

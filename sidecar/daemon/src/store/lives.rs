//! The lives of daemons: that of this one is told, and that of another one may be over.

use std::time::Duration;

use redis::Value;

use super::Store;
use super::claims::Call;
use crate::claims::id::Claim;
use crate::claims::message::Message;
use crate::claims::trust::{Beat, KEPT};

/// Whoever lives answers within a round trip, but may have to connect anew to a store that was away or took no writes for a while, with a pause of up to a second before it. Who asks waits for that beyond his
/// patience, once: else nobody whose patience is shorter would ever find out.
const ANSWERED: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
];

impl Store {
    pub(super) async fn is_life_over(&self, claim: Claim) -> bool {
        let mut get = redis::cmd("GET");
        get.arg(claim.life_key(&self.cluster));
        let life = self.caller.ask(claim.node().shard(), &get).await;
        let over = matches!(life, Ok(Value::Nil));
        if over {
            self.claims.peers().life_over(claim);
        }
        over
    }

    /// Asks a holder to let go and waits a while for that; whether nobody goes by the claim any more, and it is void.
    ///
    /// That its life has run out is not enough: while the store takes no writes every life runs out, and what was answered before is still on its way. Its
    /// holder says so when he is asked, or lets go. Of one that says nothing each session is void from then on. In `Sync` there is nothing on its way that anybody was told of.
    pub(super) async fn is_over(&self, claim: Claim, call: Call<'_>, wait: Duration) -> bool {
        let peers = self.claims.peers();
        let message = Message::Claim {
            id: call.id,
            claim,
            asker: call.want.unwrap_or_else(|| self.claims.name()),
            hand_over: call.want.is_some(),
        };
        let mut silent = ANSWERED.into_iter();
        loop {
            let release = self.claims.releases().of(call.id);
            let asked = self.tell(claim.node(), &message);
            let (over, ()) = tokio::join!(self.is_life_over(claim), asked);
            let given = if !over {
                peers.answered(claim);
                Some(wait)
            } else if !self.answered_early || peers.is_silent(claim) {
                None
            } else {
                silent.next()
            };
            let Some(given) = given else {
                if self.answered_early {
                    peers.silent(claim);
                }
                self.metrics.claims.takeovers.inc();
                return true;
            };
            // Where the store could not be asked, or the message not sent, it will be in the next round.
            if release.within(given).await || !over {
                return false;
            }
        }
    }

    /// Waits until it is worth while to send a beat before the next one is due.
    pub async fn heard(&self) {
        self.heard.notified().await;
    }

    /// Tells the store and ourselves that we live.
    pub async fn beat(&self, beat: Beat) {
        let mut set = self.set_life(beat.life);
        if !beat.first {
            // If it was gone for a moment somebody may have taken our claims in it.
            set.arg("XX");
        }
        let time = redis::cmd("TIME");
        let channel = self.claims.channel();
        let message = Message::Beat {
            number: beat.number,
        };
        let shard = self.claims.node().shard();
        let (set, time, published) = tokio::join!(
            self.caller.ask_whoever(shard, &set),
            self.caller.ask(shard, &time),
            self.publish(&channel, &message)
        );
        let failed = [
            set.as_ref().err(),
            time.as_ref().err(),
            published.as_ref().err(),
        ];
        let refused = failed
            .into_iter()
            .flatten()
            .find(|unavailable| unavailable.is_forbidden());
        if let Some(reason) = refused {
            self.claims.forbid(&reason.to_string());
        }
        // Where the slot is on its way it may have been another server that answered.
        let elsewhere = matches!(set, Ok((_, true)));
        if set.is_ok() && !elsewhere {
            self.caller.done(shard);
        }
        match (set, time) {
            (Ok((Value::Nil, _)), _) => self.claims.stored(beat.number, None),
            (Ok(_), Ok(time)) => self.claims.stored(beat.number, Some(millis(time))),
            _ => {}
        }
        // Not together with those: the life is not told later because another server is slow.
        let asked = (!elsewhere).then_some(shard);
        self.caller.ask_for_room(&self.cluster, asked).await;
    }

    /// Has others wait for what was claimed in a life that is not trusted any more, and is on its way to the store. Nobody goes by its claims, be its key there
    /// again or not.
    pub async fn prolong_life(&self, life: u16) {
        let set = self.set_life(life);
        // Who waits asks again, and where that is in vain he could not have waited.
        let _ = self.caller.ask(self.claims.node().shard(), &set).await;
    }

    fn set_life(&self, life: u16) -> redis::Cmd {
        let mut set = redis::cmd("SET");
        set.arg(self.claims.node().life_key(life, &self.cluster))
            .arg(1)
            .arg("PX")
            .arg(KEPT.as_millis().to_string());
        set
    }

    /// Before the end: what this daemon has claimed and not let go of is void.
    pub async fn leave(&self) {
        let life = self.claims.last_life();
        // The one before may have been left to end by itself, for what was on its way then.
        for over in [life.wrapping_sub(1), life] {
            self.end_life(over).await;
        }
    }

    /// Takes a life's key away: nobody needs to wait for what it claimed.
    pub async fn end_life(&self, life: u16) {
        let mut unlink = redis::cmd("UNLINK");
        unlink.arg(self.claims.node().life_key(life, &self.cluster));
        // It goes by itself soon.
        let _ = self.caller.ask(self.claims.node().shard(), &unlink).await;
    }
}

/// The answer to `TIME` in milliseconds; 0 for nonsense.
fn millis(time: Value) -> u64 {
    let time: Result<(u64, u64), _> = redis::from_redis_value(time);
    time.map_or(0, |(seconds, micros)| seconds * 1000 + micros / 1000)
}

//! What is known of the store without asking it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};

use super::Caller;
use crate::claims::Claims;
use crate::store::health::Health;
use crate::store::link::State;
use crate::store::reason::Reason;
use crate::store::route::changed;

/// A connection that is only made anew takes less, who has a shard being looked for included. Those of others may be there before ours is.
const MADE_ANEW: Duration = Duration::from_secs(2);

impl Caller {
    pub(in crate::store) fn down(&self) -> Option<Reason> {
        match &*self.route.state.borrow() {
            State::Up(_) => None,
            State::Down { reason, .. } => Some(reason.clone()),
        }
    }

    /// Whether sessions reach the store.
    pub(in crate::store) fn health(&self) -> Health {
        match &*self.route.state.borrow() {
            State::Down { since, reason, .. } => Health::down(since.elapsed(), reason),
            State::Up(connection) => match connection.useless() {
                Some(trouble) => Health::down(trouble.since.elapsed(), &trouble.reason),
                None => self.refusals.health(connection.id()),
            },
        }
    }

    /// The connection that is up, if one is: another one may lead to another store.
    pub(in crate::store) fn connection_id(&self) -> Option<u64> {
        match &*self.route.state.borrow() {
            State::Up(connection) => Some(connection.id()),
            State::Down { .. } => None,
        }
    }

    pub(in crate::store) async fn connected_anew(&self, than: Option<u64>) {
        let mut state = self.route.state.clone();
        let other =
            |state: &State| matches!(state, State::Up(connection) if Some(connection.id()) != than);
        let _ = state.wait_for(other).await;
    }

    /// Whether it has done nothing for as long as requests wait.
    pub(in crate::store) fn is_long_away(&self) -> bool {
        let since = match &*self.route.state.borrow() {
            State::Down { since, .. } => Some(*since),
            State::Up(connection) => connection.conduct().trouble().map(|trouble| trouble.since),
        };
        since.is_some_and(|since| since.elapsed() >= self.patience)
    }

    /// Whether there is a connection to who has a shard.
    pub(in crate::store) fn is_up(&self, shard: u8) -> bool {
        matches!(*self.route.way(shard).0.borrow(), State::Up(_))
    }

    /// The connection to the server that has a shard, if it is up.
    pub(in crate::store) fn connection_to(&self, shard: u8) -> Option<u64> {
        match &*self.route.way(shard).0.borrow() {
            State::Up(connection) => Some(connection.id()),
            State::Down { .. } => None,
        }
    }

    /// Whether who has a shard is away: there has been no connection to him for longer than one takes that is only made anew, so that others have none either,
    /// as far as anybody can say; or there is one again and again, and none has been of use for as long as requests wait.
    pub(in crate::store) fn is_away(&self, shard: u8) -> bool {
        match &*self.route.way(shard).0.borrow() {
            State::Up(connection) => connection
                .useless()
                .is_some_and(|trouble| trouble.since.elapsed() >= self.patience),
            State::Down { lost, since, .. } => self.away(*lost, *since) <= Instant::now(),
        }
    }

    /// Returns once there is a connection to who has a shard, or he is away.
    pub(in crate::store) async fn until_up_or_away(&self, shard: u8) {
        let decided = async {
            loop {
                let (mut state, map) = self.route.way(shard);
                let away = match &*state.borrow_and_update() {
                    State::Up(_) => return,
                    State::Down { lost, since, .. } => self.away(*lost, *since),
                };
                let changed = timeout_at(away, changed(state, map)).await;
                if !matches!(changed, Ok(Ok(()))) {
                    return;
                }
            }
        };
        // Whoever has it may be another one again and again.
        let _ = timeout(self.patience, decided).await;
    }

    /// From when on a server is away to which the last connection was `lost` then, and which has done nothing `since` then.
    pub(super) fn away(&self, lost: Instant, since: Instant) -> Instant {
        (lost + self.made_anew()).min(since + self.patience)
    }

    /// Who has less patience than that does not wait for longer.
    fn made_anew(&self) -> Duration {
        MADE_ANEW.min(self.patience)
    }

    /// When a server was last back that had been connected to, and had done nothing for longer than requests wait.
    pub(in crate::store) fn back(&self) -> Option<Instant> {
        *self.back.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes claims void whenever a connection ends, and has a beat sent whenever there is one. Shows whether there is.
    pub(in crate::store) fn lose_claims(
        &self,
        claims: Arc<Claims>,
        beat: Arc<Notify>,
    ) -> impl Future<Output = ()> + use<> {
        let mut state = self.route.state.clone();
        let up = self.metrics.store_up.clone();
        async move {
            while state.changed().await.is_ok() {
                let is_up = matches!(*state.borrow_and_update(), State::Up(_));
                up.set(i64::from(is_up));
                claims.connected(is_up);
                beat.notify_one();
            }
        }
    }
}

//! Servers that have no room for what they are asked to write.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Caller;
use crate::key;
use crate::store::full::Full;
use crate::store::link::State;
use crate::store::reason::Reason;
use crate::store::slots::SHARDS;

/// When there was no room, for each shard: that another server has got one meanwhile, or has taken the place of one that was full, tells nobody anything.
#[derive(Debug)]
pub(super) struct Room {
    shards: Mutex<Shards>,
    /// Told when a server that had none takes writes again.
    again: Notify,
}

#[derive(Debug)]
struct Shards {
    full: Vec<Full>,
    /// Some have yet to take a write, be it the first of all.
    waits: bool,
}

impl Default for Room {
    fn default() -> Self {
        let full = vec![Full::default(); SHARDS];
        Self {
            shards: Mutex::new(Shards { full, waits: true }),
            again: Notify::new(),
        }
    }
}

impl Room {
    fn shards(&self) -> MutexGuard<'_, Shards> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Caller {
    /// Who has a shard has written something that he was asked for, and that takes room.
    pub(in crate::store) fn done(&self, shard: u8) {
        if let State::Up(connection) = &*self.route.way(shard).0.borrow() {
            self.end_trouble(connection, true);
        }
        let shards = &mut *self.room.shards();
        if !shards.waits {
            return;
        }
        let mut was_long = false;
        for shard in self.route.all_of(shard) {
            if let Some(full) = shards.full.get_mut(usize::from(shard)) {
                was_long |= full.took(self.patience);
            }
        }
        shards.waits = shards.full.iter().any(Full::has_yet_to_take);
        if was_long {
            self.room.again.notify_one();
        }
    }

    /// Who has a shard has not done what he was asked for.
    pub(super) fn refused(&self, shard: u8, reason: &Reason) {
        if !reason.is_full() {
            return;
        }
        let shards = &mut *self.room.shards();
        shards.waits = true;
        for shard in self.route.all_of(shard) {
            if let Some(full) = shards.full.get_mut(usize::from(shard)) {
                full.refused();
            }
        }
    }

    /// When who has a shard, or had it, was last known to have no room, for as long as requests wait, or found to have some again.
    pub(in crate::store) fn full(&self, shard: u8) -> Option<Instant> {
        let shards = self.room.shards();
        shards.full.get(usize::from(shard))?.last(self.patience)
    }

    /// Since when he has room again, or as of now where he has none.
    pub(in crate::store) fn room_since(&self, shard: u8) -> Option<Instant> {
        let shards = self.room.shards();
        shards
            .full
            .get(usize::from(shard))?
            .room_since(self.patience)
    }

    /// Returns once a server that had no room takes writes again.
    pub(in crate::store) async fn has_room_again(&self) {
        self.room.again.notified().await;
    }

    /// Finds out which servers have room, but for the one that was `asked` for a shard of its own. Who only reads what one of them has would not know that others could not tell it of
    /// accesses, and take for over what is in use.
    pub(in crate::store) async fn ask_for_room(&self, cluster: &str, asked: Option<u8>) {
        let asked = self.others_than(asked).into_iter().map(|shard| {
            // By any shard of its own: of one on its way another server may answer, time and again.
            let shard = fastrand::choice(self.route.all_of(shard)).unwrap_or(shard);
            // It is refused as all that takes room, and changes nothing: there is none.
            let mut set = redis::cmd("SET");
            set.arg(key::on_each(shard, cluster, "room"));
            set.arg("").arg("XX").arg("PX").arg("1000");
            async move {
                if matches!(self.ask_whoever(shard, &set).await, Ok((_, false))) {
                    self.done(shard);
                }
            }
        });
        join_all(asked).await;
    }

    /// One shard of each server, but for the one that has this.
    pub(in crate::store) fn others_than(&self, shard: Option<u8>) -> Vec<u8> {
        let its = shard.and_then(|shard| self.route.first_of(shard));
        let mut others = self.route.shards();
        others.retain(|other| Some(*other) != its);
        others
    }
}

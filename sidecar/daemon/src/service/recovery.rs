//! What is known of the store: since when it is back, whether it lost what it held, and for how long others may put that back.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::parts::Parts;
use crate::session::confirmed::TOMBSTONE;

/// How soon a store that did not answer is asked again, and a refill that was cut short goes on.
pub(super) const AGAIN: Duration = Duration::from_millis(250);

/// What has to be looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum News {
    /// Another connection: perhaps another store, a replica that lagged behind the one before.
    Reconnected,
    /// Another epoch: everything is gone, tombstones too.
    Emptied,
}

/// What is known of the store.
#[derive(Debug)]
pub(super) struct Recovery {
    state: Mutex<State>,
    settle: Duration,
    /// Requests that have waited so long are answered without the store.
    patience: Duration,
    /// Told when there are news.
    pub(super) wake: Notify,
    pub(super) parts: Parts,
}

#[derive(Debug)]
struct State {
    known: Option<Known>,
    /// When it answered last, or since when it is asked.
    answered: Instant,
    /// It has refused to since.
    refused: bool,
    /// When it answered again after requests had been answered without it.
    late: Option<Instant>,
    /// When the last news came.
    since: Option<Instant>,
    /// When they last came of a store that was known before.
    changed: Option<Instant>,
    /// When the store was last found empty.
    emptied: Option<Instant>,
    news: Option<News>,
    /// Somebody takes care of them.
    busy: bool,
}

/// A store, as it says itself which one it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) connection: u64,
    /// Of each server, by one of its shards.
    pub(super) epochs: Vec<(u8, Vec<u8>)>,
}

impl Known {
    /// Whether a server has another epoch than before. One that is known by another shard than before, for its slots have moved, cannot be told from a
    /// new one.
    fn was_emptied_before(&self, now: &Self) -> bool {
        let changed = |(shard, epoch)| {
            let mut then = self.epochs.iter();
            then.any(|(known, before)| known == shard && before != epoch)
        };
        now.epochs
            .iter()
            .any(|(shard, epoch)| changed((shard, epoch)))
    }
}

impl Recovery {
    pub(super) fn new(settle: Duration, patience: Duration) -> Self {
        Self {
            state: Mutex::new(State {
                known: None,
                answered: Instant::now(),
                refused: false,
                late: None,
                since: None,
                changed: None,
                emptied: None,
                news: None,
                busy: false,
            }),
            settle,
            patience,
            wake: Notify::new(),
            parts: Parts::new(settle),
        }
    }

    /// How often the epoch is looked at: all have seen another one well before anybody takes the matter for settled.
    pub(super) fn look(&self) -> Duration {
        self.settle.mul_f64(0.4)
    }

    /// Takes note of what was found; whether that is news.
    pub(super) fn found(&self, now: Known) -> Option<News> {
        self.parts.forget();
        let mut state = self.state();
        let news = match &state.known {
            Some(known) if known.was_emptied_before(&now) => Some(News::Emptied),
            Some(known) if known.connection != now.connection => Some(News::Reconnected),
            Some(_) => None,
            // Something may have been committed before the first look, and lost before it too.
            None => Some(News::Reconnected),
        };
        let at = Instant::now();
        if news.is_some() && state.known.is_some() {
            state.changed = Some(at);
        }
        state.known = Some(now);
        // Looks may be further apart than requests wait: by itself that is no outage.
        let was_away = std::mem::take(&mut state.refused) || news.is_some();
        if was_away && at - state.answered > self.patience {
            state.late = Some(at);
        }
        state.answered = at;
        if news.is_some() {
            state.since = Some(at);
            if news == Some(News::Emptied) {
                state.emptied = state.since;
            }
            state.news = state.news.max(news);
            self.wake.notify_one();
        }
        news
    }

    /// The news that nobody has taken care of.
    pub(super) fn take_news(&self) -> Option<News> {
        let mut state = self.state();
        let news = state.news.take();
        state.busy = news.is_some();
        news
    }

    /// They were not taken care of after all.
    pub(super) fn put_back(&self, news: News) {
        let mut state = self.state();
        state.news = state.news.max(Some(news));
    }

    /// Returns once everybody had the time to put back the tombstones of what has ended.
    pub(super) async fn settled(&self) {
        let since = self.state().since;
        if let Some(since) = since {
            sleep_until(since + self.settle).await;
        }
    }

    /// Whether they had that time.
    pub(super) fn is_settled(&self) -> bool {
        let since = self.state().since;
        since.is_none_or(|since| since.elapsed() >= self.settle)
    }

    /// Whether they had that time since this connection was made.
    pub(super) fn is_settled_on(&self, connection: Option<u64>) -> bool {
        let state = self.state();
        let known = state.known.as_ref().map(|known| known.connection);
        let settled = |since: Instant| since.elapsed() >= self.settle;
        known == connection && state.since.is_some_and(settled)
    }

    /// Waits as long, but not if there are news.
    pub(super) async fn overtaken_before_settled(&self) -> bool {
        tokio::select! {
            () = self.settled() => self.has_news(),
            () = async {
                while !self.has_news() {
                    self.wake.notified().await;
                }
            } => true,
        }
    }

    /// Whether the store was ever asked, and answered.
    pub(super) fn has_seen_it(&self) -> bool {
        self.state().known.is_some()
    }

    /// Whether the server with this shard had this epoch before; `None` if none of it is known.
    pub(super) fn knows(&self, shard: u8, epoch: &[u8]) -> Option<bool> {
        let state = self.state();
        let mut epochs = state.known.iter().flat_map(|known| &known.epochs);
        let (_, known) = epochs.find(|(first, _)| *first == shard)?;
        Some(known == epoch)
    }

    /// Whether it has been looked through since this connection was made.
    pub(super) fn is_looked_through_on(&self, connection: Option<u64>) -> bool {
        let state = self.state();
        let known = state.known.as_ref().map(|known| known.connection);
        !state.busy && state.news.is_none() && known == connection
    }

    pub(super) fn has_news(&self) -> bool {
        self.state().news.is_some()
    }

    /// Whether others may be about to put back what a store has lost that was emptied.
    pub(super) fn is_being_refilled(&self) -> bool {
        self.being_refilled_until().is_some()
    }

    /// Whether all that is in a store that was emptied is as it was put back: nobody goes on from that before twice the time to settle is over since he saw
    /// it, and he saw it at most one [`look`](Self::look) before us.
    pub(super) fn is_as_put_back(&self) -> bool {
        let emptied = self.state().emptied;
        emptied.is_some_and(|emptied| emptied.elapsed() < self.settle.mul_f64(1.5))
    }

    /// Waits for those who may hold a session of a store that has lately been emptied; whether there was anything to wait for.
    pub(super) async fn refilled_by_others(&self) -> bool {
        let until = self.being_refilled_until();
        if let Some(until) = until {
            sleep_until(until).await;
        }
        until.is_some()
    }

    fn being_refilled_until(&self) -> Option<Instant> {
        let until = self.state().emptied? + 2 * self.settle;
        (until > Instant::now()).then_some(until)
    }

    /// Takes note that it was asked in vain.
    pub(super) fn refused(&self) {
        self.state().refused = true;
    }

    /// Until when others may be about to store sessions that began while nobody could. A store that takes no writes says all the time that it is the one
    /// that it was: when it was `back` others know.
    pub(super) fn lacks_what_began_until(&self, back: Option<Instant>) -> Option<Instant> {
        let until = self.back(back)? + self.settle;
        (until > Instant::now()).then_some(until)
    }

    /// When it was last back after requests had been answered without it; `by_itself`: with no other connection.
    pub(super) fn back(&self, by_itself: Option<Instant>) -> Option<Instant> {
        self.state().late.max(by_itself)
    }

    /// Whether somebody may still put back what the store has lost.
    pub(super) fn was_emptied_lately(&self) -> bool {
        let emptied = self.state().emptied;
        emptied.is_some_and(|emptied| emptied.elapsed() < TOMBSTONE)
    }

    /// The same of a store that may be another one than before, and lag behind it: whoever holds much looks through it for long.
    pub(super) fn may_lag_on(&self, connection: Option<u64>) -> bool {
        let state = self.state();
        let changed = |changed: Instant| changed.elapsed() < TOMBSTONE;
        let is_another = |known: &Known| Some(known.connection) != connection;
        state.known.as_ref().is_some_and(is_another) || state.changed.is_some_and(changed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;

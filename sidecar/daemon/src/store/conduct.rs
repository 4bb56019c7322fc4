//! How a server has done lately, whichever connection led to it.
//!
//! One that can be connected to need not do what it is asked for: a replica takes no writes, and one that is slow answers late. Neither is over with a
//! new connection, and requests wait from the beginning of it, not each from its own.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::reason::Reason;

/// An answer is given this long at first.
pub(super) const FIRST_RESPONSE: Duration = Duration::from_millis(500);
/// And this long at first by a server that is known to be slow.
const LONGEST_RESPONSE: Duration = Duration::from_secs(2);
/// What was not seen for so long is not the same trouble any more. Servers that cannot be reached are tried more often, and beats come every second.
const FORGOTTEN: Duration = Duration::from_secs(10);

/// Why nothing is done.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    /// Since when.
    pub(super) since: Instant,
    /// As it was seen last.
    pub(super) reason: Reason,
    seen: Instant,
    /// On a connection, so that another one does not end it.
    connected: bool,
    /// Reading does not end it.
    of_writes: bool,
}

#[derive(Debug)]
pub(super) struct Conduct(Mutex<State>);

#[derive(Debug)]
struct State {
    trouble: Option<Trouble>,
    response: Duration,
}

impl Conduct {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State {
            trouble: None,
            response: FIRST_RESPONSE,
        }))
    }

    /// What it is at, if it does nothing.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        let trouble = self.state().trouble.clone();
        trouble.filter(|trouble| trouble.seen.elapsed() < FORGOTTEN)
    }

    /// There is a connection: nothing else may have been missing.
    pub(super) fn connected(&self) {
        let mut state = self.state();
        if state
            .trouble
            .as_ref()
            .is_some_and(|trouble| !trouble.connected)
        {
            state.trouble = None;
        }
    }

    /// There is no connection; since when nothing is done.
    pub(super) fn unreachable(&self, reason: &Reason) -> Instant {
        self.see(reason, false)
    }

    /// It has been given longer than others are.
    pub(super) fn is_slow(&self) -> bool {
        self.response() > FIRST_RESPONSE
    }

    /// There is a connection, and what was asked for on it was not done, though an answer was given so long; what it is at, if it does nothing.
    pub(super) fn failed(&self, reason: &Reason, given: Duration) -> Option<Trouble> {
        // What was cut short says nothing of the server.
        if reason.kind == "timeout" && given >= FIRST_RESPONSE {
            self.late(given);
        }
        if reason.is_trouble() {
            self.see(reason, true);
        }
        self.trouble()
    }

    /// It has done what it was asked for, and perhaps `wrote`; since when it did not. A server that takes no writes still does all the rest.
    pub(super) fn done(&self, wrote: bool) -> Option<Instant> {
        let mut state = self.state();
        let over = |trouble: &mut Trouble| wrote || !trouble.of_writes;
        state.trouble.take_if(over).map(|trouble| trouble.since)
    }

    /// How long an answer is waited for at first.
    pub(super) fn response(&self) -> Duration {
        self.state().response
    }

    /// Others are given more from the start: a server that is given up has to be connected to anew.
    fn late(&self, given: Duration) {
        let mut state = self.state();
        state.response = state.response.max((2 * given).min(LONGEST_RESPONSE));
    }

    /// An answer came after this time.
    pub(super) fn answered(&self, after: Duration) {
        if after < FIRST_RESPONSE / 2 {
            self.state().response = FIRST_RESPONSE;
        }
    }

    fn see(&self, reason: &Reason, connected: bool) -> Instant {
        let mut state = self.state();
        let seen = Instant::now();
        let before = state.trouble.take();
        let before = before.filter(|before| before.seen.elapsed() < FORGOTTEN);
        let since = before.as_ref().map_or(seen, |before| before.since);
        state.trouble = Some(Trouble {
            since,
            reason: reason.clone(),
            seen,
            connected: connected || before.as_ref().is_some_and(|before| before.connected),
            of_writes: reason.is_of_writes() || before.is_some_and(|before| before.of_writes),
        });
        since
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    fn second() -> Duration {
        Duration::from_secs(1)
    }

    fn read_only() -> Reason {
        Reason::new("read-only", "READONLY")
    }

    fn since(conduct: &Conduct) -> Option<Instant> {
        conduct.trouble().map(|trouble| trouble.since)
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_ends_no_trouble_that_was_met_on_one() {
        let conduct = Conduct::new();
        let began = conduct.unreachable(&Reason::dropped());
        sleep(second()).await;
        conduct.connected();
        assert_eq!(since(&conduct), None, "nothing else was missing");
        conduct.unreachable(&Reason::dropped());
        conduct.failed(&read_only(), FIRST_RESPONSE);
        let began_again = since(&conduct).unwrap();
        assert_eq!(began_again - began, second());
        for _ in 0..20 {
            sleep(second()).await;
            conduct.connected();
            assert_eq!(conduct.unreachable(&Reason::dropped()), began_again);
        }
        assert_eq!(conduct.done(false), None, "it was only read");
        assert_eq!(conduct.done(true), Some(began_again));
        assert_eq!(since(&conduct), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_has_seen_for_long_begins_anew() {
        let conduct = Conduct::new();
        conduct.failed(&read_only(), FIRST_RESPONSE);
        sleep(FORGOTTEN).await;
        assert_eq!(since(&conduct), None);
        conduct.failed(&read_only(), FIRST_RESPONSE);
        assert_eq!(since(&conduct), Some(Instant::now()));
    }

    #[test]
    fn who_answers_late_is_given_longer_until_he_is_quick_again() {
        let conduct = Conduct::new();
        let late = |given| conduct.failed(&Reason::timeout(given), given);
        late(FIRST_RESPONSE / 2);
        assert!(!conduct.is_slow(), "he had no time");
        late(FIRST_RESPONSE);
        // Another one was under way at the same time.
        late(FIRST_RESPONSE);
        assert_eq!(conduct.response(), 2 * FIRST_RESPONSE);
        conduct.answered(FIRST_RESPONSE);
        assert_eq!(conduct.response(), 2 * FIRST_RESPONSE);
        late(Duration::from_secs(8));
        assert!(conduct.is_slow() && conduct.response() == LONGEST_RESPONSE);
        conduct.answered(Duration::from_millis(1));
        assert_eq!(conduct.response(), FIRST_RESPONSE);
    }
}

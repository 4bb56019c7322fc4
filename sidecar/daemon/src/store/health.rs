//! Whether sessions reach the store, for who looks at many daemons.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use super::claims::Call;
use super::reason::Reason;
use super::{Patience, Store, Unavailable};
use crate::key::Digest;

/// A refusal is spoken of this long: whoever looks now and then sees it, and it passes once nothing is refused any more.
const REFUSED_LATELY: Duration = Duration::from_secs(30);

/// Whether sessions reach the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Health {
    /// They do.
    Up,
    /// There is no connection, and for how many seconds there has been none.
    Down {
        /// Since the connection was lost, or the daemon started.
        seconds: u64,
        /// Why.
        #[serde(flatten)]
        trouble: Trouble,
    },
    /// The server is there, and does not do what sessions need: what it refused last, and how many seconds ago.
    Refusing {
        /// Since the last refusal.
        seconds: u64,
        /// Why.
        #[serde(flatten)]
        trouble: Trouble,
    },
}

/// What is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// One of few words, as in the metric `sojourn_store_failures_total`.
    kind: &'static str,
    message: String,
    mend: &'static str,
}

/// All that is said of one daemon.
#[derive(Debug, Serialize)]
pub struct HealthPage {
    #[serde(flatten)]
    store: Health,
    /// For how many seconds no application has been connected. None of what it does is kept; whoever does not know of this reads over it.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_without_application: Option<u64>,
}

impl Trouble {
    fn of(reason: &Reason) -> Self {
        Self {
            kind: reason.kind,
            message: reason.to_string(),
            mend: reason.mend(),
        }
    }
}

impl Health {
    pub(super) fn down(since: Duration, reason: &Reason) -> Self {
        Self::Down {
            seconds: since.as_secs(),
            trouble: Trouble::of(reason),
        }
    }

    /// Beside for how long the application has been missed, if it is.
    pub fn on_page(self, missed: Option<Duration>) -> HealthPage {
        HealthPage {
            store: self,
            seconds_without_application: missed.map(|missed| missed.as_secs()),
        }
    }

    fn connected(last_refusal: Option<(Duration, &Reason)>) -> Self {
        match last_refusal {
            Some((ago, reason)) if ago < REFUSED_LATELY => Self::Refusing {
                seconds: ago.as_secs(),
                trouble: Trouble::of(reason),
            },
            _ => Self::Up,
        }
    }
}

/// What was not done though there was a connection, and not only for a moment.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<Option<Refusal>>);

#[derive(Debug)]
struct Refusal {
    at: Instant,
    reason: Reason,
    /// A new connection may lead to a store that does it.
    connection: Option<u64>,
}

impl Refusals {
    pub(super) fn note(&self, reason: &Reason, connection: Option<u64>) {
        let refusal = Refusal {
            at: Instant::now(),
            reason: reason.clone(),
            connection,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
    }

    /// Of a store that is connected.
    pub(super) fn health(&self, connection: u64) -> Health {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refusal = last.as_ref();
        Health::connected(
            refusal
                .filter(|refusal| refusal.connection == Some(connection))
                .map(|refusal| (refusal.at.elapsed(), &refusal.reason)),
        )
    }
}

impl Store {
    /// Asks each of its servers for a session that is not there, which none says that takes no writes: a connection alone is of no use to anybody.
    pub async fn reach(&self) -> Result<(), Unavailable> {
        self.ask_for_none(0).await?;
        // Which others there are is known now.
        for shard in self.shards().into_iter().filter(|shard| *shard != 0) {
            self.ask_for_none(shard).await?;
        }
        Ok(())
    }

    async fn ask_for_none(&self, shard: u8) -> Result<(), Unavailable> {
        let nothing_held = [&b"0"[..], &[0; 4], b"1"];
        let call = Call::of(&self.scripts.open, Digest::of_none(shard), &nothing_held);
        self.ask_here(call, Patience::Bounded).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::vectors;

    /// Seconds that are not over do not count.
    fn seconds(page: &Value, name: &str) -> Option<Duration> {
        let seconds = page[name].as_u64()?;
        Some(Duration::from_millis(seconds * 1000 + 900))
    }

    fn health_of(page: &Value) -> Health {
        let text = |name: &str| page[name].as_str().unwrap().to_owned();
        let since = || seconds(page, "seconds").unwrap();
        let reason = || Reason::new(Box::leak(text("kind").into_boxed_str()), text("message"));
        match page["state"].as_str().unwrap() {
            "down" => Health::down(since(), &reason()),
            "refusing" => Health::connected(Some((since(), &reason()))),
            _ => Health::connected(None),
        }
    }

    #[test]
    fn says_it_as_the_vectors_do() {
        for vector in vectors::read("storez.json") {
            let page = &vector["page"];
            let missed = seconds(page, "seconds_without_application");
            let said = serde_json::to_value(health_of(page).on_page(missed)).unwrap();
            assert_eq!(said, *page, "{}", vector["name"]);
        }
    }

    #[test]
    fn a_refusal_is_told_for_a_while() {
        let reason = Reason::new("permission", "NOPERM");
        let after = |seconds| Health::connected(Some((Duration::from_secs(seconds), &reason)));
        assert!(matches!(after(29), Health::Refusing { seconds: 29, .. }));
        assert_eq!(after(30), Health::Up);
    }

    #[test]
    fn a_refusal_ends_with_its_connection() {
        let refusals = Refusals::default();
        refusals.note(&Reason::new("permission", "NOPERM"), Some(7));
        assert!(matches!(refusals.health(7), Health::Refusing { .. }));
        assert_eq!(refusals.health(8), Health::Up);
    }
}

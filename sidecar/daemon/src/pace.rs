//! How fast the daemon works by itself: expiry and refilling must never be what keeps requests waiting.

mod bucket;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use crate::config;
use crate::key::Digest;
use bucket::TokenBucket;

/// What the daemon may do by itself, in commands to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A second, in all.
    pub background_rate: u32,
    /// A second, for one session.
    pub session_rate: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            background_rate: 200,
            session_rate: 5,
        }
    }
}

/// Buckets of single sessions that are remembered. One that is full says nothing and is forgotten.
const MAX_SESSIONS: usize = 1024;
/// A waiter looks again after this long: the limits may have changed.
const LONGEST_WAIT: Duration = Duration::from_millis(500);
/// How often the file with the limits is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Gives turns to what the daemon does by itself.
#[derive(Debug)]
pub struct Pace {
    buckets: Mutex<Buckets>,
}

#[derive(Debug)]
struct Buckets {
    limits: Limits,
    all: TokenBucket,
    sessions: HashMap<Digest, TokenBucket>,
}

impl Pace {
    /// Full buckets.
    pub fn new(limits: Limits) -> Self {
        let all = TokenBucket::new(limits.background_rate, Instant::now());
        Self {
            buckets: Mutex::new(Buckets {
                limits,
                all,
                sessions: HashMap::new(),
            }),
        }
    }

    /// Returns once it is this session's turn.
    pub async fn turn(&self, id: Digest) {
        loop {
            let wait = self.buckets().try_take(id, Instant::now());
            if wait.is_zero() {
                return;
            }
            sleep(wait.min(LONGEST_WAIT)).await;
        }
    }

    fn set(&self, limits: Limits) {
        let now = Instant::now();
        let mut buckets = self.buckets();
        buckets.limits = limits;
        buckets.all.set_rate(limits.background_rate, now);
        buckets.sessions.clear();
    }

    fn buckets(&self) -> MutexGuard<'_, Buckets> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the limits from a file, at once and whenever it says something else, until the task is dropped.
    pub async fn follow(self: Arc<Self>, file: PathBuf, start: Limits) {
        let mut known = None;
        loop {
            let text = tokio::fs::read_to_string(&file).await.ok();
            if text != known {
                self.take_from(&file, text.as_deref(), start);
                known = text;
            }
            sleep(LOOK).await;
        }
    }

    /// Without the file the limits are those of the start.
    fn take_from(&self, file: &Path, text: Option<&str>, start: Limits) {
        match config::limits(text.unwrap_or_default(), start) {
            Ok(limits) => {
                info!(file = %file.display(), ?limits, "limits taken");
                self.set(limits);
            }
            Err(problems) => {
                warn!(file = %file.display(), %problems, mend = "write it right; the limits stay as they were", "limits not readable");
            }
        }
    }
}

impl Buckets {
    /// Takes a token of both buckets or of none; how long until it is worth a try.
    fn try_take(&mut self, id: Digest, now: Instant) -> Duration {
        if self.sessions.len() >= MAX_SESSIONS {
            self.sessions.retain(|_, bucket| !bucket.is_full(now));
        }
        let rate = self.limits.session_rate;
        let session = self
            .sessions
            .entry(id)
            .or_insert_with(|| TokenBucket::new(rate, now));
        let wait = session.wait(now).max(self.all.wait(now));
        if wait.is_zero() {
            session.take();
            self.all.take();
        }
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(buckets: &mut Buckets, ids: &[Digest], now: Instant) -> usize {
        ids.iter()
            .filter(|id| buckets.try_take(**id, now).is_zero())
            .count()
    }

    #[test]
    fn one_session_has_its_own_limit_below_that_of_all() {
        let pace = Pace::new(Limits {
            background_rate: 10,
            session_rate: 2,
        });
        let now = Instant::now();
        let mut buckets = pace.buckets();
        let one = Digest::of(b"one");
        assert_eq!(taken(&mut buckets, &[one; 9], now), 2);
        let others: Vec<Digest> = (0..20_u8).map(|n| Digest::of(&[n])).collect();
        assert_eq!(taken(&mut buckets, &others, now), 8, "what is left of ten");
        let later = now + Duration::from_secs(1);
        assert_eq!(taken(&mut buckets, &others, later), 10);
    }

    #[test]
    fn a_file_changes_the_limits_and_a_wrong_one_does_not() {
        let start = Limits {
            background_rate: 10,
            session_rate: 2,
        };
        let pace = Pace::new(start);
        let path = Path::new("limits.toml");
        pace.take_from(path, Some("background_rate = 3"), start);
        assert_eq!(pace.buckets().limits.background_rate, 3);
        pace.take_from(path, Some("background_rate = 'x'"), start);
        assert_eq!(pace.buckets().limits.background_rate, 3);
        pace.take_from(path, None, start);
        assert_eq!(pace.buckets().limits, start);
    }
}

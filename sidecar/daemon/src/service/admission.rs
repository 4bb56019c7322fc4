//! Requests that have come whole and are not answered yet: however many there are, by whichever connections, they take no more than so much together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::time::timeout;

use crate::resp::MAX_REQUEST;

/// Smaller requests are not counted: what it takes to answer one is much more than that.
const SMALL: usize = 4 << 10;
/// Room is counted in so many bytes.
const PLACE: usize = 1 << 10;
/// Who comes behind on the same connection waits too, and clients give up a daemon that does not answer (see `GRACE`).
const WAIT: Duration = Duration::from_secs(1);

/// The room that they take up.
#[derive(Debug)]
pub struct Admission {
    places: Arc<Semaphore>,
    all: usize,
    /// Somebody has waited in vain, and nothing was given back since: the others do not wait for the same, one after the other.
    is_stuck: Arc<AtomicBool>,
}

/// The room of one request, given back when it is dropped; small ones take none.
#[derive(Debug, Default)]
pub struct Admitted(Option<(OwnedSemaphorePermit, Arc<AtomicBool>)>);

impl Admitted {
    /// Whether it is any.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if let Some((_, is_stuck)) = &self.0 {
            is_stuck.store(false, Ordering::Relaxed);
        }
    }
}

impl Admission {
    /// A part of what sessions may take, and as much as the largest session at least.
    pub(super) fn beside(cache: usize, session: usize) -> Self {
        let all = (cache / 2).max(session.min(MAX_REQUEST)) / PLACE;
        Self {
            places: Arc::new(Semaphore::new(all)),
            all,
            is_stuck: Arc::default(),
        }
    }

    /// The room of a request, if there is enough.
    pub fn try_take(&self, bytes: usize) -> Option<Admitted> {
        if bytes <= SMALL {
            return Some(Admitted::default());
        }
        let places = Arc::clone(&self.places);
        match places.try_acquire_many_owned(self.places_of(bytes)) {
            Ok(places) => Some(self.admitted(places)),
            Err(TryAcquireError::NoPermits | TryAcquireError::Closed) => None,
        }
    }

    /// Waits for it, in the order of those who ask; `None` where there is none.
    pub async fn take(&self, bytes: usize) -> Option<Admitted> {
        let wait = if self.is_stuck.load(Ordering::Relaxed) {
            Duration::ZERO
        } else {
            WAIT
        };
        let places = Arc::clone(&self.places);
        let places = places.acquire_many_owned(self.places_of(bytes));
        if let Ok(Ok(places)) = timeout(wait, places).await {
            return Some(self.admitted(places));
        }
        self.is_stuck.store(true, Ordering::Relaxed);
        None
    }

    /// What they take.
    pub(super) fn bytes(&self) -> usize {
        PLACE * (self.all - self.places.available_permits())
    }

    /// One that is larger than all that there is takes all of it.
    fn places_of(&self, bytes: usize) -> u32 {
        u32::try_from((bytes / PLACE).min(self.all)).unwrap_or(u32::MAX)
    }

    fn admitted(&self, places: OwnedSemaphorePermit) -> Admitted {
        Admitted(Some((places, Arc::clone(&self.is_stuck))))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    const SESSION: usize = 16 << 20;

    #[tokio::test(start_paused = true)]
    async fn who_finds_no_room_waits_once_for_all_until_some_is_given_back() {
        let admission = Admission::beside(0, SESSION);
        let whole = admission.try_take(2 * SESSION).unwrap();
        let began = Instant::now();
        for _ in 0..3 {
            assert!(admission.take(SESSION).await.is_none());
            assert_eq!(began.elapsed(), WAIT);
        }
        assert!(admission.try_take(SMALL).is_some());
        drop(whole);
        let half = admission.try_take(SESSION / 2).unwrap();
        let other_half = admission.try_take(SESSION / 2).unwrap();
        assert!(admission.try_take(2 * SMALL).is_none());
        let given_back = async {
            sleep(WAIT / 2).await;
            drop(half);
        };
        let (taken, ()) = tokio::join!(admission.take(SESSION / 2), given_back);
        assert!(taken.is_some());
        drop((taken, other_half));
        assert!(admission.try_take(SESSION).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_later_does_not_go_before_one_that_waits() {
        let admission = Admission::beside(0, SESSION);
        let half = admission.try_take(SESSION / 2).unwrap();
        let mut large = Box::pin(admission.take(SESSION));
        assert!(timeout(WAIT / 2, &mut large).await.is_err());
        assert!(admission.try_take(2 * SMALL).is_none());
        drop(half);
        assert!(large.await.is_some());
    }
}

//! A token bucket: so many a second on average, and as many at once.

use std::time::Duration;

use tokio::time::Instant;

/// Holds as many tokens as come in a second. The clock is told, never asked.
#[derive(Debug, Clone)]
pub(super) struct TokenBucket {
    rate: f64,
    tokens: f64,
    filled: Instant,
}

impl TokenBucket {
    pub(super) fn new(rate: u32, now: Instant) -> Self {
        Self {
            rate: rate.into(),
            tokens: rate.into(),
            filled: now,
        }
    }

    /// How long until there is a token; nothing if there is one.
    pub(super) fn wait(&mut self, now: Instant) -> Duration {
        self.fill(now);
        if self.tokens >= 1.0 {
            Duration::ZERO
        } else {
            // Rounded up: who waits that long finds it.
            Duration::from_secs_f64((1.0 - self.tokens) / self.rate) + Duration::from_micros(1)
        }
    }

    /// Takes the token that [`TokenBucket::wait`] found.
    pub(super) fn take(&mut self) {
        self.tokens -= 1.0;
    }

    pub(super) fn set_rate(&mut self, rate: u32, now: Instant) {
        self.fill(now);
        self.rate = rate.into();
        self.tokens = self.tokens.min(self.rate);
    }

    /// A bucket that nobody has taken from of late.
    pub(super) fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.tokens >= self.rate
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.tokens = (self.tokens + passed * self.rate).min(self.rate);
        self.filled = self.filled.max(now);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_second_s_worth_at_once_and_then_one_by_one() {
        let now = Instant::now();
        let mut bucket = TokenBucket::new(10, now);
        for _ in 0..10 {
            assert_eq!(bucket.wait(now), Duration::ZERO);
            bucket.take();
        }
        let wait = bucket.wait(now);
        assert!(wait > Duration::from_millis(99) && wait < Duration::from_millis(101));
        assert_eq!(bucket.wait(now + wait), Duration::ZERO);
        assert!(!bucket.is_full(now));
        assert!(bucket.is_full(now + Duration::from_secs(2)));
    }

    #[test]
    fn a_new_rate_is_kept_from_now_on() {
        let now = Instant::now();
        let mut bucket = TokenBucket::new(100, now);
        bucket.set_rate(1, now);
        assert_eq!(bucket.wait(now), Duration::ZERO);
        bucket.take();
        assert!(bucket.wait(now) > Duration::from_millis(900));
    }

    proptest! {
        #[test]
        fn never_more_than_the_rate_and_one_burst(rate in 1_u32..500, steps in prop::collection::vec(0_u64..200, 1..200)) {
            let start = Instant::now();
            let mut now = start;
            let mut bucket = TokenBucket::new(rate, start);
            let mut taken = 0_u32;
            for step in steps {
                now += Duration::from_millis(step);
                while bucket.wait(now).is_zero() {
                    bucket.take();
                    taken += 1;
                }
            }
            let allowed = f64::from(rate) * (1.0 + (now - start).as_secs_f64());
            prop_assert!(f64::from(taken) <= allowed + 0.001);
        }
    }
}

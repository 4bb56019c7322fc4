//! When a server had no room for what it was asked to write.

use std::time::Duration;

use tokio::time::Instant;

/// Whoever has something to tell it tries so often in that time that it has been told, though it be full again now and then.
const TOLD: Duration = Duration::from_mins(1);

/// A server that is full, or cannot write its disk, keeps its connection: nothing but its refusals says since when it was not told of accesses, and until when.
/// One that has room now and then is told of them soon enough, for that is tried again and again long before they are needed.
#[derive(Debug, Clone, Default)]
pub(super) struct Full {
    /// It has taken a write since this daemon began, which else cannot know for how long it had refused them before.
    taken: bool,
    /// Of its refusals since it took a write, the first and the last.
    refused: Option<(Instant, Instant)>,
    /// When it first took a write after it had refused them for long, and when after it refused them again before all had told it.
    ended: Option<(Instant, Instant)>,
}

impl Full {
    pub(super) fn refused(&mut self) {
        let now = Instant::now();
        let first = self.refused.map_or(now, |(first, _)| first);
        self.refused = Some((first, now));
    }

    /// Whether the next write that it takes is news.
    pub(super) fn has_yet_to_take(&self) -> bool {
        self.refused.is_some() || !self.taken
    }

    /// It took a write; whether it had refused them for so `long` that it has to be told of what was used meanwhile. Others find that out in this moment, too.
    pub(super) fn took(&mut self, long: Duration) -> bool {
        let is_first = !std::mem::replace(&mut self.taken, true);
        let Some((first, last)) = self.refused.take() else {
            return false;
        };
        let now = Instant::now();
        let ended = if is_first || last - first >= long {
            now
        } else if let Some(ended) = self.not_told(last) {
            ended
        } else {
            return false;
        };
        self.ended = Some((ended, now));
        true
    }

    /// When it was last known to have no room after so `long` a time of that, or found to have some again. Until it is found to it has none at this moment,
    /// as long as it is asked: others may have been told sooner that it has.
    pub(super) fn last(&self, long: Duration) -> Option<Instant> {
        let refuses = self.refuses(long).map(|last| match last + TOLD {
            over if over <= Instant::now() => last,
            _ => Instant::now(),
        });
        refuses.or(self.ended.map(|(_, last)| last))
    }

    /// Since when it can be told of what it had no room for before; as of now where it has none yet.
    pub(super) fn room_since(&self, long: Duration) -> Option<Instant> {
        let refuses = self.refuses(long).map(|_| Instant::now());
        refuses.or(self.ended.map(|(first, _)| first))
    }

    /// When it last refused a write, if that counts, and it has not taken one since.
    fn refuses(&self, long: Duration) -> Option<Instant> {
        let (first, last) = self.refused?;
        let counts = !self.taken || last - first >= long || self.not_told(last).is_some();
        counts.then_some(last)
    }

    /// When a long time of refusals ended of which it may not have been told everything `by` then.
    fn not_told(&self, by: Instant) -> Option<Instant> {
        let (ended, _) = self.ended?;
        (by - ended < TOLD).then_some(ended)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const LONG: Duration = Duration::from_secs(15);

    /// A time of refusals, up to now.
    async fn refuse(full: &mut Full, time: Duration) {
        full.refused();
        advance(time).await;
        full.refused();
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_was_refused_for_long_was_not_told_in_time() {
        let mut full = Full::default();
        assert!(!full.took(LONG));
        for _ in 0..100 {
            refuse(&mut full, LONG / 2).await;
            assert_eq!(full.last(LONG), None);
            assert!(!full.took(LONG));
        }
        refuse(&mut full, LONG).await;
        let refused = Instant::now();
        advance(LONG).await;
        assert_eq!(full.last(LONG), Some(Instant::now()), "as far as is known");
        advance(TOLD).await;
        assert_eq!(full.last(LONG), Some(refused), "nobody asks it any more");
        assert!(full.took(LONG));
        assert_eq!(full.last(LONG), Some(Instant::now()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_never_took_a_write_may_have_refused_them_for_long() {
        let mut full = Full::default();
        assert_eq!(full.last(LONG), None);
        refuse(&mut full, Duration::ZERO).await;
        assert_eq!(full.last(LONG), Some(Instant::now()));
        assert!(full.took(LONG));
        assert_eq!(full.last(LONG), Some(Instant::now()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_full_again_before_it_was_told_is_waited_for_a_while() {
        let mut full = Full::default();
        refuse(&mut full, LONG).await;
        assert!(full.took(LONG));
        let ended = Instant::now();
        while ended.elapsed() < TOLD {
            refuse(&mut full, Duration::ZERO).await;
            assert_eq!(full.last(LONG), Some(Instant::now()));
            assert!(full.took(LONG));
            advance(TOLD / 4).await;
        }
        let before = full.last(LONG);
        refuse(&mut full, Duration::ZERO).await;
        assert!(!full.took(LONG), "now and then it has room");
        assert_eq!(full.last(LONG), before);
    }
}

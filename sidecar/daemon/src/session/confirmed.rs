//! When the store was last known to have a session.

use std::time::Duration;

/// How long the store keeps a tombstone.
pub const TOMBSTONE: Duration = Duration::from_mins(10);
/// Nobody is sure of the last minute: commands take time, and clocks differ.
const MARGIN: Duration = Duration::from_mins(1);

/// Whether a session that the store had `ago`, and has no more, was lost by it; `pause` is the longest time that nobody used it since. Had somebody ended
/// it since, its tombstone would still be there; had it expired, its idle time would be over.
pub fn was_lost(ago: Duration, pause: Duration, idle: i64) -> bool {
    let idle_is_over = u64::try_from(idle).is_ok_and(|idle| pause >= Duration::from_secs(idle));
    ago < TOMBSTONE.saturating_sub(MARGIN) && !idle_is_over
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_neither_have_ended_nor_expired_was_lost() {
        let seconds = Duration::from_secs;
        let unused = |ago, idle| was_lost(ago, ago, idle);
        assert!(unused(seconds(0), 60) && unused(seconds(59), 60));
        assert!(!unused(seconds(60), 60));
        assert!(unused(seconds(500), 1800) && unused(seconds(500), -1));
        assert!(!unused(seconds(541), 1800) && !unused(seconds(541), -1));
        // In use all the time, though the store did not know it; but by then it may have forgotten that it was ended.
        assert!(was_lost(seconds(500), seconds(59), 60));
        assert!(!was_lost(seconds(541), seconds(59), 60));
    }
}

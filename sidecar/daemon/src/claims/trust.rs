//! Whether this daemon may believe that its claims still count.
//!
//! A life is a key in the store that is set anew at each beat, for [`KEPT`]. Who finds it gone takes the life's claims as
//! void. So a daemon trusts them for less long than that, from the moment before it *sent* the beat, and only if the beat
//! was stored and its message came back: else nobody could call the claims back. Once that time is over the life is over,
//! whatever comes back later: somebody may have taken the claims in between.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::moment::Moment;

/// From one beat to the next.
pub const BEAT: Duration = Duration::from_secs(1);
/// How long the store keeps a life's key.
pub const KEPT: Duration = Duration::from_secs(3);
/// How long a beat is trusted. The rest of [`KEPT`] is for clocks that run at different speeds.
const TRUSTED: Duration = Duration::from_millis(2_500);
/// Beats whose confirmation is still of use.
const OUTSTANDING: usize = 4;

/// A beat to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// The life that it is of.
    pub life: u16,
    /// Its number.
    pub number: u64,
    /// The life has not been trusted yet: its key need not be there.
    pub first: bool,
    /// The life before this one is over, with all its claims.
    pub over: Option<u16>,
}

#[derive(Debug)]
struct Sent {
    number: u64,
    at: Moment,
    stored: bool,
    echoed: bool,
}

/// The state of the beats.
#[derive(Debug, Default)]
pub struct Trust {
    life: u16,
    number: u64,
    sent: VecDeque<Sent>,
    until: Option<Moment>,
    /// The store did not find the life's key.
    lost: bool,
    /// An instant, and the store's clock at it in milliseconds since the epoch.
    clock: Option<(Instant, u64)>,
}

impl Trust {
    /// The life in which claims can be made now.
    pub fn life(&self, now: Moment) -> Option<u16> {
        self.until
            .is_some_and(|until| now.is_before(until) && !self.lost)
            .then_some(self.life)
    }

    /// Until when that can be said, as far as is known now; none if it cannot.
    pub fn until(&self) -> Option<Moment> {
        self.until.filter(|_| !self.lost)
    }

    /// The life that beats are sent for now, trusted or not.
    pub fn current(&self) -> u16 {
        self.life
    }

    /// The next beat; it begins a new life if the one before it is over.
    pub fn beat(&mut self, now: Moment) -> Beat {
        let over = (self.until.is_some() || self.lost) && self.life(now).is_none();
        let over = over.then_some(self.life);
        if over.is_some() {
            self.life = self.life.wrapping_add(1);
            self.sent.clear();
            self.until = None;
            self.lost = false;
        }
        self.number += 1;
        self.sent.push_back(Sent {
            number: self.number,
            at: now,
            stored: false,
            echoed: false,
        });
        if self.sent.len() > OUTSTANDING {
            self.sent.pop_front();
        }
        Beat {
            life: self.life,
            number: self.number,
            first: self.until.is_none(),
            over,
        }
    }

    /// The store has set the key, and told its time.
    pub fn stored(&mut self, number: u64, store_time: u64, now: Moment) {
        self.clock = Some((now.steady, store_time));
        if let Some(sent) = self.find(number) {
            sent.stored = true;
        }
        self.confirm(number, now);
    }

    /// Something happened to the store that it may have forgotten claims in.
    pub fn lose(&mut self) {
        self.lost |= self.until.is_some();
        // Nor need it know of a life that is only about to begin, whatever comes back of its beats.
        self.sent.clear();
    }

    /// The store did not find the key: somebody may have taken the claims.
    pub fn refused(&mut self, number: u64) {
        if self.find(number).is_some() {
            self.lost = true;
        }
    }

    /// A beat's message came back.
    pub fn echoed(&mut self, number: u64, now: Moment) {
        if let Some(sent) = self.find(number) {
            sent.echoed = true;
        }
        self.confirm(number, now);
    }

    /// The store's clock at an instant, milliseconds since the epoch.
    pub fn store_time(&self, at: Instant) -> Option<u64> {
        let (then, time) = self.clock?;
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Some(match at.checked_duration_since(then) {
            Some(since) => time.saturating_add(millis(since)),
            None => time.saturating_sub(millis(then.duration_since(at))),
        })
    }

    fn find(&mut self, number: u64) -> Option<&mut Sent> {
        self.sent.iter_mut().find(|sent| sent.number == number)
    }

    fn confirm(&mut self, number: u64, now: Moment) {
        let Some(sent) = self.find(number) else {
            return;
        };
        let (confirmed, until) = (sent.stored && sent.echoed, sent.at.plus(TRUSTED));
        let lapsed = self.until.is_some_and(|until| !now.is_before(until));
        let later = self.until.is_none_or(|known| known.steady < until.steady);
        if confirmed && !lapsed && later && now.is_before(until) {
            self.until = Some(until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Moment, millis: u64) -> Moment {
        start.plus(Duration::from_millis(millis))
    }

    fn confirmed(trust: &mut Trust, sent: Moment, back: Moment) -> Beat {
        let beat = trust.beat(sent);
        trust.stored(beat.number, 1_000_000, back);
        trust.echoed(beat.number, back);
        beat
    }

    #[test]
    fn a_beat_is_trusted_once_stored_and_echoed_from_its_sending_on() {
        let start = Moment::now();
        let mut trust = Trust::default();
        let beat = trust.beat(start);
        assert!(beat.first && beat.over.is_none());
        trust.stored(beat.number, 0, at(start, 1));
        assert_eq!(trust.life(at(start, 1)), None);
        trust.echoed(beat.number, at(start, 2));
        assert_eq!(trust.life(at(start, 2)), Some(beat.life));
        assert_eq!(trust.life(at(start, 2_499)), Some(beat.life));
        assert_eq!(trust.life(at(start, 2_500)), None);
    }

    #[test]
    fn beats_in_time_keep_a_life_going() {
        let start = Moment::now();
        let mut trust = Trust::default();
        let first = confirmed(&mut trust, start, at(start, 1));
        for second in 1..10 {
            let beat = confirmed(
                &mut trust,
                at(start, second * 1_000),
                at(start, second * 1_000 + 5),
            );
            assert_eq!(
                (beat.life, beat.first, beat.over),
                (first.life, false, None)
            );
        }
        assert_eq!(trust.life(at(start, 11_499)), Some(first.life));
    }

    #[test]
    fn what_comes_back_too_late_does_not_revive_a_life() {
        let start = Moment::now();
        let mut trust = Trust::default();
        let first = confirmed(&mut trust, start, at(start, 1));
        let second = trust.beat(at(start, 1_000));
        // Stopped, for instance, and then all is there at once.
        trust.stored(second.number, 0, at(start, 2_600));
        trust.echoed(second.number, at(start, 2_600));
        assert_eq!(trust.life(at(start, 2_600)), None);
        let third = confirmed(&mut trust, at(start, 2_700), at(start, 2_701));
        assert_eq!((third.over, third.first), (Some(first.life), true));
        assert_eq!(trust.life(at(start, 2_701)), Some(first.life + 1));
        trust.echoed(second.number, at(start, 2_702));
        assert_eq!(trust.life(at(start, 2_702)), Some(first.life + 1));
    }

    #[test]
    fn a_machine_that_slept_trusts_nothing_from_before() {
        let start = Moment::now();
        let mut trust = Trust::default();
        confirmed(&mut trust, start, at(start, 1));
        let mut woken = at(start, 100);
        woken.wall += Duration::from_mins(10);
        assert_eq!(trust.life(woken), None);
        let mut set_back = at(start, 2_500);
        set_back.wall -= Duration::from_mins(10);
        assert_eq!(trust.life(set_back), None);
    }

    #[test]
    fn a_first_beat_that_takes_too_long_is_no_beginning() {
        let start = Moment::now();
        let mut trust = Trust::default();
        confirmed(&mut trust, start, at(start, 2_500));
        assert_eq!(trust.life(at(start, 2_500)), None);
        let next = confirmed(&mut trust, at(start, 2_500), at(start, 2_600));
        assert!(
            next.first && next.over.is_none(),
            "there is nothing to void"
        );
        assert!(trust.life(at(start, 2_600)).is_some());
    }

    #[test]
    fn a_key_that_was_gone_ends_the_life_at_once() {
        let start = Moment::now();
        let mut trust = Trust::default();
        let first = confirmed(&mut trust, start, at(start, 1));
        let second = trust.beat(at(start, 1_000));
        trust.refused(second.number);
        assert_eq!(trust.life(at(start, 1_001)), None);
        assert_eq!(trust.beat(at(start, 1_002)).over, Some(first.life));
        trust.refused(second.number);
        assert!(!trust.lost, "that was said of the life before");
    }

    #[test]
    fn a_beat_that_another_store_may_have_taken_begins_no_life() {
        let start = Moment::now();
        let mut trust = Trust::default();
        let beat = trust.beat(start);
        trust.stored(beat.number, 0, at(start, 1));
        trust.lose();
        trust.echoed(beat.number, at(start, 2));
        assert_eq!(trust.life(at(start, 2)), None);
        let next = confirmed(&mut trust, at(start, 3), at(start, 4));
        assert!(next.first, "its key need not be there");
        assert!(trust.life(at(start, 4)).is_some());
    }

    #[test]
    fn the_clock_of_the_store_goes_on() {
        let start = Moment::now();
        let mut trust = Trust::default();
        assert_eq!(trust.store_time(start.steady), None);
        confirmed(&mut trust, start, at(start, 500));
        assert_eq!(trust.store_time(at(start, 700).steady), Some(1_000_200));
        assert_eq!(trust.store_time(at(start, 300).steady), Some(999_800));
    }
}

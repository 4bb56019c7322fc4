//! When a session has earned a claim: it is dear where requests alternate between daemons, and cheap where they do not.
//!
//! A sole claim has to be called back before anybody else gets on, so it takes opens in a row. A shared one costs the next commit
//! elsewhere two messages: it is worth while from one open in three on.

/// No session waits for longer than this many opens.
const MOST: u32 = 1024;

/// What an open adds to the luck that nobody else came before, and what one takes that somebody did.
const LUCKY: i8 = 2;
const UNLUCKY: i8 = 1;
const ENOUGH: i8 = 3;
const LUCKIEST: i8 = 8;

/// So many commits of others are heard of in a row, and nobody comes for the session here, before it costs less to ask the store for all of them at once.
const UNHEEDED: u8 = 6;

/// What a session has behind it on this daemon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    undisturbed: u32,
    called_back: u32,
    /// The higher, the likelier will the next open here find what the last one left.
    luck: i8,
    /// What was told of it since somebody last came for it here.
    unheeded: u8,
}

impl Standing {
    /// It was opened or created here, and nobody else had changed it.
    pub fn undisturbed(&mut self) {
        self.undisturbed = self.undisturbed.saturating_add(1);
        self.luck = (self.luck + LUCKY).min(LUCKIEST);
    }

    /// It was opened, and nothing was known of it before.
    pub fn seen(&mut self) {
        self.undisturbed = self.undisturbed.saturating_add(1);
    }

    /// Somebody else had changed it.
    pub fn disturbed(&mut self) {
        self.undisturbed = 0;
        self.luck = (self.luck - UNLUCKY).max(-LUCKIEST);
    }

    /// Others have changed it, and told what: nobody has it to himself.
    pub fn told(&mut self) {
        self.undisturbed = 0;
        self.unheeded = self.unheeded.saturating_add(1);
    }

    /// Somebody has come for it here.
    pub fn used(&mut self) {
        self.unheeded = 0;
    }

    /// Whether to be told of the next change of others is worth while.
    pub fn is_interested(&self) -> bool {
        self.unheeded < UNHEEDED
    }

    /// Whether a shared claim is worth while.
    pub fn is_lucky(&self) -> bool {
        self.luck > ENOUGH
    }

    /// Its claim was called back: the next one is twice as far away.
    pub fn called_back(&mut self) {
        self.undisturbed = 0;
        self.called_back = self.called_back.saturating_add(1);
    }

    /// Whether a commit may ask for a sole claim.
    pub fn has_earned(&self) -> bool {
        self.undisturbed >= self.needs()
    }

    /// Whether an open may ask for a sole claim: it counts itself.
    pub fn earns_now(&self) -> bool {
        self.undisturbed.saturating_add(1) >= self.needs()
    }

    fn needs(self) -> u32 {
        let doubled = 1_u32.checked_shl(self.called_back);
        doubled.map_or(MOST, |needs| needs.min(MOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many opens in a row it takes.
    fn opens(standing: Standing) -> u32 {
        let mut standing = Standing {
            undisturbed: 0,
            ..standing
        };
        let mut opens = 1;
        while !standing.earns_now() {
            standing.undisturbed();
            opens += 1;
        }
        opens
    }

    #[test]
    fn the_first_open_asks_and_the_commit_after_it() {
        let mut standing = Standing::default();
        assert!(!standing.has_earned() && standing.earns_now());
        standing.undisturbed();
        assert!(standing.has_earned());
    }

    #[test]
    fn each_call_back_doubles_the_way_up_to_a_bound() {
        let mut standing = Standing::default();
        for expected in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024] {
            assert_eq!(opens(standing), expected);
            standing.called_back();
        }
        for _ in 0..100 {
            standing.called_back();
        }
        assert_eq!(opens(standing), 1024);
    }

    #[test]
    fn a_shared_claim_takes_two_undisturbed_opens_and_lasts_while_one_in_three_is() {
        let mut standing = Standing::default();
        standing.seen();
        assert!(!standing.is_lucky());
        standing.undisturbed();
        assert!(!standing.is_lucky());
        standing.undisturbed();
        assert!(standing.is_lucky());
        for _ in 0..100 {
            standing.undisturbed();
            standing.disturbed();
            standing.disturbed();
            assert!(standing.is_lucky());
        }
    }

    #[test]
    fn who_is_always_disturbed_has_none_and_soon_has_one_again() {
        let mut standing = Standing::default();
        for _ in 0..100 {
            standing.undisturbed();
        }
        let mut in_vain = 0;
        while standing.is_lucky() {
            standing.disturbed();
            in_vain += 1;
        }
        assert_eq!(in_vain, 5);
        for _ in 0..100 {
            standing.disturbed();
            standing.seen();
            assert!(!standing.is_lucky());
        }
        let mut opens = 0;
        while !standing.is_lucky() {
            standing.undisturbed();
            opens += 1;
        }
        assert_eq!(opens, 6);
    }

    #[test]
    fn changes_of_others_begin_the_count_anew() {
        let mut standing = Standing::default();
        standing.undisturbed();
        standing.undisturbed();
        standing.called_back();
        assert!(!standing.earns_now());
        standing.undisturbed();
        assert!(standing.earns_now());
        standing.disturbed();
        assert!(!standing.earns_now());
        standing.undisturbed();
        assert!(standing.earns_now());
        standing.told();
        assert!(!standing.earns_now() && !standing.has_earned());
    }
}

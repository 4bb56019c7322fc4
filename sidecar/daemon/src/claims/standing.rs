//! When a session has earned a claim: it is dear where requests alternate between daemons, and cheap where they do not.
//!
//! A sole claim has to be called back before anybody else gets on, so it takes opens in a row. A shared one costs each commit
//! elsewhere two messages: it is worth while where it saves an open for every two of them.

/// No session waits for longer than this many opens.
const MOST: u32 = 1024;

/// What an open adds to the luck that a claim saved, or would have, and what a commit of somebody else takes.
const LUCKY: i8 = 2;
const UNLUCKY: i8 = 1;
/// More than this asks for a claim; one that is there is kept through the commits of others down to none at all, lest it go to and fro.
const ENOUGH: i8 = 3;
const LUCKIEST: i8 = 8;

/// What a session has behind it on this daemon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    undisturbed: u32,
    called_back: u32,
    /// The higher, the likelier is it that a claim saves the next open.
    luck: i8,
    /// What it was told of, and what became of that.
    news: News,
}

/// What others told of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum News {
    #[default]
    None,
    /// Nobody has come for it here since.
    Unheeded,
    /// Somebody has come for it, and has not changed it yet: that is one open saved, not two.
    Heeded,
}

impl Standing {
    /// It was opened, created or changed here, and nobody else had changed it, or told what.
    pub fn undisturbed(&mut self) {
        self.undisturbed = self.undisturbed.saturating_add(1);
        if std::mem::take(&mut self.news) != News::Heeded {
            self.lucky();
        }
    }

    /// It was opened, and nothing was known of it before.
    pub fn seen(&mut self) {
        self.undisturbed = self.undisturbed.saturating_add(1);
    }

    /// Somebody else had changed it.
    pub fn disturbed(&mut self) {
        self.undisturbed = 0;
        self.news = News::None;
        self.unlucky();
    }

    /// Others have changed it, and told what: nobody has it to himself.
    pub fn told(&mut self) {
        self.undisturbed = 0;
        self.news = News::Unheeded;
        self.unlucky();
    }

    /// Somebody has come for it here, and the claim was enough for him.
    pub fn used(&mut self) {
        if self.news == News::Unheeded {
            self.news = News::Heeded;
            self.lucky();
        }
    }

    /// Whether to be told of the next change of others is worth while.
    pub fn is_interested(&self) -> bool {
        self.luck > 0
    }

    fn lucky(&mut self) {
        self.luck = (self.luck + LUCKY).min(LUCKIEST);
    }

    fn unlucky(&mut self) {
        self.luck = (self.luck - UNLUCKY).max(-LUCKIEST);
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
    fn news_are_worth_while_as_long_as_somebody_comes_for_one_in_two() {
        let mut standing = lucky();
        for _ in 0..100 {
            standing.told();
            assert!(standing.is_interested());
            standing.told();
            assert!(standing.is_interested());
            standing.used();
        }
        let mut in_vain = 0;
        while standing.is_interested() {
            standing.told();
            in_vain += 1;
        }
        assert_eq!(in_vain, 8);
        for _ in 0..100 {
            standing.told();
            standing.told();
            standing.told();
            standing.used();
            standing.used();
            assert!(!standing.is_interested());
        }
    }

    #[test]
    fn who_comes_for_news_and_changes_the_session_has_saved_one_open() {
        let mut standing = lucky();
        for _ in 0..4 {
            standing.told();
        }
        let mut other = standing;
        standing.used();
        standing.undisturbed();
        other.used();
        assert_eq!(standing.luck, other.luck);
        standing.undisturbed();
        assert_eq!(standing.luck, other.luck + LUCKY);
    }

    fn lucky() -> Standing {
        let mut standing = Standing::default();
        for _ in 0..100 {
            standing.undisturbed();
        }
        standing
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

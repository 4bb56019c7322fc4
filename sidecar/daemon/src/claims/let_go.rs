//! Which claims of other daemons are over: what they said, and whose lives are.
//!
//! A claim that is over stays so, for each has a number of its own, and a life that is over does not come back. So what is known
//! here is true for good, and what has been forgotten is only asked for again.

use std::collections::{HashMap, HashSet, VecDeque};

use tokio::sync::oneshot;

use super::id::{Claim, Node};
use crate::session::Token;

/// Answers may come before the question: they go by another connection. This many of them are kept.
const KEPT: usize = 4096;
const KEPT_LIVES: usize = 256;
/// With fewer claims than this nobody looks for those that nobody waits for any more.
const FEW: usize = 64;

/// What has become of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its holder does not go by it any more.
    Gone,
    /// It speaks of the version that its holder was told of. That is true for now: it is said once, and not remembered.
    Kept,
}

#[derive(Debug)]
struct Waiter {
    /// The version by which the claim may be kept.
    news: Option<Token>,
    told: oneshot::Sender<Fate>,
}

/// What is known, and who waits for more.
#[derive(Debug, Default)]
pub struct LetGo {
    claims: Recent<Claim>,
    lives: Recent<(Node, u16)>,
    /// Of those the ones that nobody answered for.
    silent: Recent<(Node, u16)>,
    waiting: HashMap<Claim, Vec<Waiter>>,
    /// With so many claims it is looked for those that nobody waits for any more: nothing may ever be heard of them.
    crowded: usize,
}

impl LetGo {
    /// Its holder says that he does not go by this claim any more.
    pub fn hear(&mut self, claim: Claim) {
        self.claims.add(claim, KEPT);
        tell(self.waiting.remove(&claim).unwrap_or_default(), Fate::Gone);
    }

    /// Its holder says that he keeps this claim, and that it speaks of this version: not of any that came later.
    pub fn hear_kept(&mut self, claim: Claim, token: Token) {
        let Some(waiting) = self.waiting.get_mut(&claim) else {
            return;
        };
        let of_it = waiting.extract_if(.., |waiter| waiter.news == Some(token));
        tell(of_it.collect(), Fate::Kept);
        if waiting.is_empty() {
            self.waiting.remove(&claim);
        }
    }

    /// The life that this claim was made in is over, with all its claims.
    pub fn life_over(&mut self, claim: Claim) {
        let life = life_of(claim);
        self.lives.add(life, KEPT_LIVES);
        let of_it = self.waiting.extract_if(|other, _| life_of(*other) == life);
        of_it.for_each(|(_, waiters)| tell(waiters, Fate::Gone));
    }

    /// Nobody has answered for what was claimed alone in this claim's life, which is over.
    pub fn silent(&mut self, claim: Claim) {
        self.silent.add(life_of(claim), KEPT_LIVES);
    }

    /// Somebody has, after all.
    pub fn answered(&mut self, claim: Claim) {
        self.silent.remove(&life_of(claim));
    }

    /// Whether nobody has before.
    pub fn is_silent(&self, claim: Claim) -> bool {
        self.silent.has(&life_of(claim))
    }

    /// To be told when nobody goes by the claim any more, or when it is kept by that news; `None`: nobody does.
    pub fn wait(&mut self, claim: Claim, news: Option<Token>) -> Option<oneshot::Receiver<Fate>> {
        if self.claims.has(&claim) || self.lives.has(&life_of(claim)) {
            return None;
        }
        if self.waiting.len() >= self.crowded.max(FEW) {
            self.waiting.retain(|_, waiting| {
                waiting.retain(|waiter| !waiter.told.is_closed());
                !waiting.is_empty()
            });
            self.crowded = 2 * self.waiting.len();
        }
        let (told, receiver) = oneshot::channel();
        let waiting = self.waiting.entry(claim).or_default();
        waiting.retain(|waiter| !waiter.told.is_closed());
        waiting.push(Waiter { news, told });
        Some(receiver)
    }
}

fn life_of(claim: Claim) -> (Node, u16) {
    (claim.node(), claim.life())
}

fn tell(waiters: Vec<Waiter>, fate: Fate) {
    for waiter in waiters {
        // Who does not wait any more asks again, or knows.
        let _ = waiter.told.send(fate);
    }
}

/// The last of many.
#[derive(Debug)]
struct Recent<T> {
    all: HashSet<T>,
    order: VecDeque<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self {
            all: HashSet::new(),
            order: VecDeque::new(),
        }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Recent<T> {
    fn add(&mut self, one: T, most: usize) {
        if !self.all.insert(one) {
            return;
        }
        self.order.push_back(one);
        if self.order.len() > most
            && let Some(oldest) = self.order.pop_front()
        {
            self.all.remove(&oldest);
        }
    }

    fn remove(&mut self, one: &T) {
        if self.all.remove(one) {
            self.order.retain(|other| other != one);
        }
    }

    fn has(&self, one: &T) -> bool {
        self.all.contains(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_told_and_who_asks_later_knows() {
        let node = Node::random();
        let (one, other) = (Claim::shared(node, 1, 1), Claim::shared(node, 1, 2));
        let mut let_go = LetGo::default();
        let mut waiting = let_go.wait(one, None).unwrap();
        let mut too = let_go.wait(one, None).unwrap();
        let_go.hear(other);
        assert!(waiting.try_recv().is_err());
        let_go.hear(one);
        assert_eq!(
            (waiting.try_recv(), too.try_recv()),
            (Ok(Fate::Gone), Ok(Fate::Gone))
        );
        assert!(let_go.wait(one, None).is_none() && let_go.wait(other, None).is_none());
    }

    #[test]
    fn with_a_life_all_its_claims_are_over() {
        let node = Node::random();
        let mut let_go = LetGo::default();
        let mut waiting = let_go.wait(Claim::shared(node, 1, 3), None).unwrap();
        let mut for_another = let_go.wait(Claim::shared(node, 2, 3), None).unwrap();
        let_go.life_over(Claim::shared(node, 1, 1));
        assert!(waiting.try_recv().is_ok() && for_another.try_recv().is_err());
        assert!(let_go.wait(Claim::shared(node, 1, 2), None).is_none());
        assert!(let_go.wait(Claim::shared(node, 2, 1), None).is_some());
        assert!(
            let_go
                .wait(Claim::shared(Node::random(), 1, 1), None)
                .is_some()
        );
    }

    #[test]
    fn that_a_life_is_over_does_not_say_that_nobody_answers_for_it() {
        let node = Node::random();
        let mut let_go = LetGo::default();
        let_go.life_over(Claim::sole(node, 1, 1));
        assert!(!let_go.is_silent(Claim::sole(node, 1, 1)));
        let_go.silent(Claim::sole(node, 1, 1));
        assert!(let_go.is_silent(Claim::sole(node, 1, 2)));
        assert!(!let_go.is_silent(Claim::sole(node, 2, 1)));
        let_go.answered(Claim::sole(node, 1, 3));
        assert!(!let_go.is_silent(Claim::sole(node, 1, 1)));
    }

    #[test]
    fn what_was_heard_long_ago_is_asked_for_again() {
        let node = Node::random();
        let mut let_go = LetGo::default();
        for number in 0..=u32::try_from(KEPT).unwrap() {
            let_go.hear(Claim::shared(node, 1, number));
        }
        assert!(let_go.wait(Claim::shared(node, 1, 0), None).is_some());
        assert!(let_go.wait(Claim::shared(node, 1, 1), None).is_none());
        assert_eq!(let_go.claims.all.len(), KEPT);
    }

    #[test]
    fn who_gave_up_is_forgotten() {
        let claim = Claim::shared(Node::random(), 1, 1);
        let mut let_go = LetGo::default();
        for _ in 0..10 {
            drop(let_go.wait(claim, None));
        }
        assert_eq!(let_go.waiting.get(&claim).map(Vec::len), Some(1));
    }

    #[test]
    fn of_claims_that_nothing_is_heard_of_few_stay() {
        let node = Node::random();
        let mut let_go = LetGo::default();
        let held: Vec<_> = (0..100)
            .map(|number| let_go.wait(Claim::shared(node, 1, number), None))
            .collect();
        for number in 100..10_000 {
            drop(let_go.wait(Claim::shared(node, 1, number), None));
        }
        assert!(let_go.waiting.len() <= 2 * held.len() + 1);
        (0..100).for_each(|number| let_go.hear(Claim::shared(node, 1, number)));
        let told = |one: Option<oneshot::Receiver<Fate>>| one.unwrap().try_recv().is_ok();
        assert!(held.into_iter().all(told));
    }

    #[test]
    fn what_is_kept_is_kept_for_who_told_of_that_version_alone() {
        let claim = Claim::shared(Node::random(), 1, 1);
        let version = |number| Token([number; 4]);
        let mut let_go = LetGo::default();
        let mut of_two = let_go.wait(claim, Some(version(2))).unwrap();
        let mut of_three = let_go.wait(claim, Some(version(3))).unwrap();
        let mut of_none = let_go.wait(claim, None).unwrap();
        let_go.hear_kept(claim, version(2));
        assert_eq!(of_two.try_recv(), Ok(Fate::Kept));
        assert!(of_three.try_recv().is_err() && of_none.try_recv().is_err());
        assert!(let_go.wait(claim, Some(version(2))).is_some());
        let_go.hear(claim);
        assert_eq!(of_three.try_recv(), Ok(Fate::Gone));
        assert_eq!(of_none.try_recv(), Ok(Fate::Gone));
        let_go.hear_kept(claim, version(2));
        assert!(let_go.wait(claim, Some(version(2))).is_none());
    }
}

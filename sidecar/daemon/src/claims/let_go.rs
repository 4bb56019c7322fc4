//! Which claims of other daemons are over: what they said, and whose lives are.
//!
//! A claim that is over stays so, for each has a number of its own, and a life that is over does not come back. So what is known
//! here is true for good, and what has been forgotten is only asked for again.

use std::collections::{HashMap, HashSet, VecDeque};

use tokio::sync::oneshot;

use super::id::{Claim, Node};

/// Answers may come before the question: they go by another connection. This many of them are kept.
const KEPT: usize = 4096;
const KEPT_LIVES: usize = 256;

/// What is known, and who waits for more.
#[derive(Debug, Default)]
pub struct LetGo {
    claims: Recent<Claim>,
    lives: Recent<(Node, u16)>,
    waiting: HashMap<Claim, Vec<oneshot::Sender<()>>>,
}

impl LetGo {
    /// Its holder says that he does not go by this claim any more.
    pub fn hear(&mut self, claim: Claim) {
        self.claims.add(claim, KEPT);
        tell(self.waiting.remove(&claim).unwrap_or_default());
    }

    /// The life that this claim was made in is over, with all its claims.
    pub fn life_over(&mut self, claim: Claim) {
        let life = life_of(claim);
        self.lives.add(life, KEPT_LIVES);
        let of_it = self.waiting.extract_if(|other, _| life_of(*other) == life);
        of_it.for_each(|(_, waiters)| tell(waiters));
    }

    /// To be told when the claim is over; `None`: it is.
    pub fn wait(&mut self, claim: Claim) -> Option<oneshot::Receiver<()>> {
        if self.claims.has(&claim) || self.lives.has(&life_of(claim)) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        let waiting = self.waiting.entry(claim).or_default();
        waiting.retain(|waiter| !waiter.is_closed());
        waiting.push(sender);
        Some(receiver)
    }
}

fn life_of(claim: Claim) -> (Node, u16) {
    (claim.node(), claim.life())
}

fn tell(waiters: Vec<oneshot::Sender<()>>) {
    for waiter in waiters {
        // Who does not wait any more asks again, or knows.
        let _ = waiter.send(());
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
        let mut waiting = let_go.wait(one).unwrap();
        let mut too = let_go.wait(one).unwrap();
        let_go.hear(other);
        assert!(waiting.try_recv().is_err());
        let_go.hear(one);
        assert_eq!((waiting.try_recv(), too.try_recv()), (Ok(()), Ok(())));
        assert!(let_go.wait(one).is_none() && let_go.wait(other).is_none());
    }

    #[test]
    fn with_a_life_all_its_claims_are_over() {
        let node = Node::random();
        let mut let_go = LetGo::default();
        let mut waiting = let_go.wait(Claim::shared(node, 1, 3)).unwrap();
        let mut for_another = let_go.wait(Claim::shared(node, 2, 3)).unwrap();
        let_go.life_over(Claim::shared(node, 1, 1));
        assert!(waiting.try_recv().is_ok() && for_another.try_recv().is_err());
        assert!(let_go.wait(Claim::shared(node, 1, 2)).is_none());
        assert!(let_go.wait(Claim::shared(node, 2, 1)).is_some());
        assert!(let_go.wait(Claim::shared(Node::random(), 1, 1)).is_some());
    }

    #[test]
    fn what_was_heard_long_ago_is_asked_for_again() {
        let node = Node::random();
        let mut let_go = LetGo::default();
        for number in 0..=u32::try_from(KEPT).unwrap() {
            let_go.hear(Claim::shared(node, 1, number));
        }
        assert!(let_go.wait(Claim::shared(node, 1, 0)).is_some());
        assert!(let_go.wait(Claim::shared(node, 1, 1)).is_none());
        assert_eq!(let_go.claims.all.len(), KEPT);
    }

    #[test]
    fn who_gave_up_is_forgotten() {
        let claim = Claim::shared(Node::random(), 1, 1);
        let mut let_go = LetGo::default();
        for _ in 0..10 {
            drop(let_go.wait(claim));
        }
        assert_eq!(let_go.waiting.get(&claim).map(Vec::len), Some(1));
    }
}

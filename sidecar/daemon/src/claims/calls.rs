//! Claims that are being called back, and who asked.

use std::collections::HashMap;

use super::id::Claim;
use crate::key::Digest;

/// One that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    /// Its claim, or at least a name of it.
    pub claim: Claim,
    /// The claim is to take the other's place.
    pub hand_over: bool,
}

/// The claims that are being called back. Whoever waits asks again and again: one release answers all of them.
#[derive(Debug, Default)]
pub struct Calls(HashMap<(Digest, Claim), Vec<Asker>>);

impl Calls {
    /// Somebody asks; whether nobody had asked before.
    pub fn ask(&mut self, id: Digest, claim: Claim, asker: Asker) -> bool {
        let askers = self.0.entry((id, claim)).or_default();
        let first = askers.is_empty();
        let known = askers
            .iter_mut()
            .find(|known| known.claim.node() == asker.claim.node());
        match known {
            Some(known) => *known = asker,
            None => askers.push(asker),
        }
        first
    }

    /// The claim that takes the other's place: that of who asked first, if it wants to. Anybody else would have to call it
    /// back at once.
    pub fn heir(&self, id: Digest, claim: Claim) -> Option<Claim> {
        let first = self.0.get(&(id, claim))?.first()?;
        first.hand_over.then_some(first.claim)
    }

    /// All who asked, to be told.
    pub fn answer(&mut self, id: Digest, claim: Claim) -> Vec<Asker> {
        self.0.remove(&(id, claim)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::id::Node;
    use super::*;

    fn asker(node: Node, number: u32, hand_over: bool) -> Asker {
        let claim = Claim::sole(node, 1, number);
        Asker { claim, hand_over }
    }

    #[test]
    fn one_release_answers_all_who_asked_and_the_first_inherits() {
        let id = Digest::of(b"a");
        let claim = Claim::sole(Node::random(), 1, 1);
        let (one, other) = (Node::random(), Node::random());
        let mut calls = Calls::default();
        assert!(calls.ask(id, claim, asker(one, 1, true)));
        assert!(!calls.ask(id, claim, asker(other, 1, true)));
        assert!(!calls.ask(id, claim, asker(one, 2, true)), "asks again");
        assert_eq!(calls.heir(id, claim), Some(Claim::sole(one, 1, 2)));
        assert_eq!(calls.answer(id, claim).len(), 2);
        assert_eq!(calls.heir(id, claim), None);
        assert!(calls.ask(id, claim, asker(one, 3, false)));
        assert_eq!(calls.heir(id, claim), None, "does not want it");
    }
}

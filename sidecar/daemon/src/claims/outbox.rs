//! What is to be said to other daemons of shared claims: all that there is to say to one of them goes in one message.

use std::collections::HashMap;

use super::id::{Claim, Node};
use super::message::Message;
use crate::key::Digest;

/// Not said yet.
#[derive(Debug, Default)]
pub struct Outbox(HashMap<Node, Said>);

#[derive(Debug, Default)]
struct Said {
    over: Vec<(Digest, Claim)>,
    gone: Vec<Claim>,
}

impl Outbox {
    /// To its holder: this claim is over, say when you do not go by it any more.
    pub fn over(&mut self, id: Digest, claim: Claim) {
        self.0
            .entry(claim.node())
            .or_default()
            .over
            .push((id, claim));
    }

    /// To who has said so: this claim is not gone by any more.
    pub fn gone(&mut self, to: Node, claim: Claim) {
        self.0.entry(to).or_default().gone.push(claim);
    }

    /// All of it.
    pub fn take(&mut self, from: Node) -> Vec<(Node, Message)> {
        let all = self.0.drain();
        all.map(|(to, Said { over, gone })| (to, Message::Shared { from, over, gone }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gets_one_message() {
        let (own, one, other) = (Node::random(), Node::random(), Node::random());
        let (first, second) = (Digest::of(b"first"), Digest::of(b"second"));
        let claims = [1, 2].map(|number| Claim::shared(one, 1, number));
        let mut outbox = Outbox::default();
        outbox.over(first, claims[0]);
        outbox.over(second, claims[1]);
        let ours = Claim::shared(own, 1, 1);
        outbox.gone(one, ours);
        outbox.gone(other, ours);
        let mut said = outbox.take(own);
        said.sort_by_key(|(to, _)| *to == other);
        let over = vec![(first, claims[0]), (second, claims[1])];
        let to_one = Message::Shared {
            from: own,
            over,
            gone: vec![ours],
        };
        let to_other = Message::Shared {
            from: own,
            over: vec![],
            gone: vec![ours],
        };
        assert_eq!(said, [(one, to_one), (other, to_other)]);
        assert_eq!(outbox.take(own), []);
    }
}

//! What is to be said to other daemons of shared claims: all that there is to say to one of them goes in one message.

use std::collections::HashMap;

use super::id::{Claim, Node};
use super::message::Message;
use super::shared::{Over, Shared, Version};

/// Not said yet.
#[derive(Debug, Default)]
pub struct Outbox(HashMap<Node, Shared>);

impl Outbox {
    /// To its holder: this claim is over, say when you do not go by it any more, or keep it by the news.
    pub fn over(&mut self, over: Over) {
        self.to(over.claim.node()).over.push(over);
    }

    /// To who has said so: this claim is kept, and what it speaks of now.
    pub fn kept(&mut self, to: Node, claim: Claim, version: Version) {
        self.to(to).kept.push((claim, version));
    }

    /// To who has said so: this claim is not gone by any more.
    pub fn gone(&mut self, to: Node, claim: Claim) {
        self.to(to).gone.push(claim);
    }

    /// All of it.
    pub fn take(&mut self, from: Node) -> Vec<(Node, Message)> {
        let all = self.0.drain();
        all.map(|(to, said)| (to, Message::Shared(Shared { from, ..said })))
            .collect()
    }

    fn to(&mut self, to: Node) -> &mut Shared {
        // Who says it is filled in where it leaves.
        self.0.entry(to).or_insert_with(|| Shared::from(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Digest;
    use crate::session::Token;

    #[test]
    fn each_gets_one_message() {
        let (own, one, other) = (Node::random(), Node::random(), Node::random());
        let (first, second) = (Digest::of(b"first"), Digest::of(b"second"));
        let claims = [1, 2].map(|number| Claim::shared(one, 1, number));
        let mut outbox = Outbox::default();
        let over = [(first, claims[0]), (second, claims[1])].map(|(id, claim)| Over {
            id,
            claim,
            news: None,
        });
        for one in over.clone() {
            outbox.over(one);
        }
        let ours = Claim::shared(own, 1, 1);
        outbox.gone(one, ours);
        outbox.gone(other, ours);
        let version = Version {
            number: 7,
            token: Token(*b"seen"),
        };
        outbox.kept(other, ours, version);
        let mut said = outbox.take(own);
        said.sort_by_key(|(to, _)| *to == other);
        let to_one = Message::Shared(Shared {
            over: over.to_vec(),
            gone: vec![ours],
            ..Shared::from(own)
        });
        let to_other = Message::Shared(Shared {
            kept: vec![(ours, version)],
            gone: vec![ours],
            ..Shared::from(own)
        });
        assert_eq!(said, [(one, to_one), (other, to_other)]);
        assert_eq!(outbox.take(own), []);
    }
}

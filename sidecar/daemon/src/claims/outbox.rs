//! What is to be said of shared claims, to other daemons and to the store: all that there is to say to one daemon goes in one message.

use std::collections::HashMap;

use super::id::{Claim, Node};
use super::message::Message;
use super::shared::{Over, Shared};
use crate::key::Digest;
use crate::session::Token;

/// Not said yet.
#[derive(Debug, Default)]
pub struct Outbox {
    to: HashMap<Node, Shared>,
    gone: Vec<(Digest, Vec<Claim>)>,
}

/// What is said in one turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ToSay {
    /// To other daemons.
    pub messages: Vec<(Node, Message)>,
    /// To the store: claims that nobody goes by any more, by their sessions.
    pub gone: Vec<(Digest, Vec<Claim>)>,
}

impl Outbox {
    /// To its holder: this claim is over, say when you do not go by it any more, or keep it by the news.
    pub fn over(&mut self, over: Over) {
        self.to(over.claim.node()).over.push(over);
    }

    /// To who has said so: this claim is kept, and the version that it speaks of now.
    pub fn kept(&mut self, to: Node, claim: Claim, token: Token) {
        self.to(to).kept.push((claim, token));
    }

    /// To who has said so: this claim is not gone by any more.
    pub fn gone(&mut self, to: Node, claim: Claim) {
        self.to(to).gone.push(claim);
    }

    /// To the store: nobody goes by these claims any more.
    pub fn all_gone(&mut self, id: Digest, claims: Vec<Claim>) {
        self.gone.push((id, claims));
    }

    /// All of it.
    pub fn take(&mut self, from: Node) -> ToSay {
        let all = self.to.drain();
        ToSay {
            messages: all
                .map(|(to, said)| (to, Message::Shared(Shared { from, ..said })))
                .collect(),
            gone: std::mem::take(&mut self.gone),
        }
    }

    fn to(&mut self, to: Node) -> &mut Shared {
        // Who says it is filled in where it leaves.
        self.to.entry(to).or_insert_with(|| Shared::from(to))
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
        let token = Token(*b"seen");
        outbox.kept(other, ours, token);
        outbox.all_gone(first, claims.to_vec());
        let mut said = outbox.take(own);
        said.messages.sort_by_key(|(to, _)| *to == other);
        let to_one = Message::Shared(Shared {
            over: over.to_vec(),
            gone: vec![ours],
            ..Shared::from(own)
        });
        let to_other = Message::Shared(Shared {
            kept: vec![(ours, token)],
            gone: vec![ours],
            ..Shared::from(own)
        });
        assert_eq!(said.messages, [(one, to_one), (other, to_other)]);
        assert_eq!(said.gone, [(first, claims.to_vec())]);
        assert_eq!(outbox.take(own), ToSay::default());
    }
}

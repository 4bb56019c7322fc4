//! What this daemon and others tell each other of shared claims.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::id::{Claim, Node};
use super::let_go::{Fate, LetGo};
use super::outbox::{Outbox, ToSay};
use super::shared::Over;
use crate::key::Digest;
use crate::session::Token;

/// What they have said, and what is to be said to them.
#[derive(Debug, Default)]
pub struct Peers {
    let_go: Mutex<LetGo>,
    outbox: Mutex<Outbox>,
    to_say: Notify,
}

impl Peers {
    /// Another daemon does not go by this claim of its own any more.
    pub fn let_go(&self, claim: Claim) {
        locked(&self.let_go).hear(claim);
    }

    /// Another daemon keeps this claim of its own, which speaks of this version now.
    pub fn kept(&self, claim: Claim, token: Token) {
        locked(&self.let_go).hear_kept(claim, token);
    }

    /// The life that this claim was made in is over.
    pub fn life_over(&self, claim: Claim) {
        locked(&self.let_go).life_over(claim);
    }

    /// Nobody has answered for sole claims of this claim's life, which is over.
    pub fn silent(&self, claim: Claim) {
        locked(&self.let_go).silent(claim);
    }

    /// Its holder has answered for this claim's life.
    pub fn answered(&self, claim: Claim) {
        locked(&self.let_go).answered(claim);
    }

    /// Whether nobody has before.
    pub fn is_silent(&self, claim: Claim) -> bool {
        locked(&self.let_go).is_silent(claim)
    }

    /// To be told when another daemon has let go of a claim, or keeps it by news of that version; `None`: it has let go.
    pub fn fate(&self, claim: Claim, news: Option<Token>) -> Option<oneshot::Receiver<Fate>> {
        locked(&self.let_go).wait(claim, news)
    }

    /// To be said to its holder: a shared claim is over.
    pub fn say_over(&self, over: Over) {
        locked(&self.outbox).over(over);
        self.to_say.notify_one();
    }

    /// To be said to who asked: a shared claim of this daemon is kept.
    pub fn say_kept(&self, to: Node, claim: Claim, token: Token) {
        locked(&self.outbox).kept(to, claim, token);
        self.to_say.notify_one();
    }

    /// To be said to who asked: a shared claim of this daemon is not gone by any more.
    pub fn say_gone(&self, to: Node, claim: Claim) {
        locked(&self.outbox).gone(to, claim);
        self.to_say.notify_one();
    }

    /// To be said to the store: nobody goes by these claims any more.
    pub fn all_gone(&self, id: Digest, claims: Vec<Claim>) {
        locked(&self.outbox).all_gone(id, claims);
        self.to_say.notify_one();
    }

    /// What is to be said by this daemon, once there is something, with all that comes up in the same turn.
    pub async fn to_say(&self, from: Node) -> ToSay {
        self.to_say.notified().await;
        tokio::task::yield_now().await;
        locked(&self.outbox).take(from)
    }
}

fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The store at one moment, and what is on its way there.

use crate::locks::Request;
use crate::reference::{Changes, Content, apply};

/// A commit that got no answer: it was not done, or was done, or will be. Whoever has the session claimed shows what was before until somebody reads
/// what it made of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pending {
    pub pod: usize,
    /// It only comes while this request has the session for itself.
    pub lock: Option<Request>,
    pub changes: Changes,
}

/// Whose commits come, where a session is one request's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alone {
    pub pod: usize,
    /// What is queued is of this pod.
    pub queues: bool,
}

/// The store, and what is not in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub content: Content,
    /// In any order, or never.
    pub pending: Vec<Pending>,
    /// Answered before the store had them: one after the other, and none without those before it.
    pub queued: Vec<Changes>,
}

impl State {
    /// What the store has once all that was answered is in it.
    pub fn flushed(&self) -> Content {
        let mut content = self.content.clone();
        self.queued
            .iter()
            .for_each(|changes| apply(&mut content, changes));
        content
    }

    pub fn any_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    pub fn after_pending(&self, index: usize) -> Self {
        let mut after = self.clone();
        let done = after.pending.remove(index);
        apply(&mut after.content, &done.changes);
        after
    }

    pub fn after_queued(&self) -> Option<Self> {
        let mut after = self.clone();
        let (first, rest) = self.queued.split_first()?;
        apply(&mut after.content, first);
        after.queued = rest.to_vec();
        Some(after)
    }
}

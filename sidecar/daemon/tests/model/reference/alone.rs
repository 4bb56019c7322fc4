//! What is true of a session that one request has for itself.

use std::time::Instant;

use super::{Changes, Observer, Session};
use crate::agent::Copy;
use crate::locks::Request;
use crate::possible::Alone;

impl Session {
    /// An exclusive open was answered, with a lock that others wait for until then.
    pub fn lock(&mut self, request: Request, seen: &Copy, by: Observer, kept_until: Instant) {
        for over in self.locks.add(request, by.alone(), kept_until) {
            self.possible.fence(over);
        }
        // All that anybody else did comes before it.
        self.see(seen.version, &seen.content, by, None);
        if self.at_large {
            self.locks.shake_all();
        }
    }

    /// A commit under a lock was answered. Nobody else's came between it and the open.
    pub fn commit_alone(&mut self, request: Request, changes: &Changes, seen: &Copy, by: Observer) {
        assert!(
            !self.locks.is_lost(request),
            "{} was written by a request that had lost it",
            self.name
        );
        let alone = Some(by.alone());
        self.possible.commit(changes, by.queues, alone);
        self.change += 1;
        self.see(seen.version, &seen.content, by, alone);
    }

    /// A commit under a lock got no answer. It comes while the lock is there, or never.
    pub fn doubt_alone(&mut self, request: Request, changes: &Changes, by: Observer) {
        // After the lock is lost it cannot be.
        if !self.locks.is_lost(request) {
            self.possible.doubt(by.pod, Some(request), changes);
            self.change += 1;
        }
    }

    /// Somebody was told that a lock is not there any more.
    pub fn was_lost(&mut self, request: Request) {
        assert!(
            !self.locks.is_sure(request) || self.over || self.short,
            "{}: a lock was lost that nobody else can have",
            self.name
        );
    }

    /// A pod asked for it, and perhaps waited for who has it.
    pub fn asked(&mut self, pod: usize) {
        self.locks.asked(pod);
    }

    /// A pod had it: no other request does.
    pub(super) fn answered(&mut self, pod: usize) {
        for over in self.locks.answered(pod) {
            self.possible.fence(over);
        }
    }
}

impl Observer {
    fn alone(self) -> Alone {
        Alone {
            pod: self.pod,
            queues: self.queues,
        }
    }
}

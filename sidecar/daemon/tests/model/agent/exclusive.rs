//! Requests that have a session for themselves. They have a connection of their own, with which their locks end.

use super::{Agent, Copy, Outcome, refused, take};
use crate::harness::{Daemon, Reply};
use crate::reference::{Changes, apply};

/// What became of an exclusive open.
#[derive(Debug)]
pub enum Exclusive {
    Locked(Copy, i64),
    Absent,
    /// Somebody else has it, or the store did not answer.
    NotNow,
}

/// What became of a commit under a lock.
#[derive(Debug)]
pub enum Written {
    As(Outcome),
    /// The lock was lost, and nothing was written.
    Lost,
}

impl Agent {
    pub fn open_alone(&mut self, name: &str) -> Exclusive {
        let mut copy = self.copies.get(name).cloned().unwrap_or_default();
        let open = format!("SJ.OPEN {name} {} EXCLUSIVE", copy.version);
        match self.alone.say(&open) {
            Reply::Array(None) => {
                self.forget(name);
                Exclusive::Absent
            }
            Reply::Error(text) => {
                let busy = text.starts_with("BUSY");
                assert!(busy || text.starts_with("UNAVAILABLE"), "{text}");
                Exclusive::NotNow
            }
            reply => {
                let lock = reply.items()[5].int();
                copy.version = reply.version();
                take(
                    &mut copy.content,
                    &Reply::Array(Some(reply.items()[..5].to_vec())),
                );
                self.copies.insert(name.into(), copy.clone());
                Exclusive::Locked(copy, lock)
            }
        }
    }

    pub fn commit_alone(&mut self, name: &str, idle: i64, lock: i64, changes: &Changes) -> Written {
        let mut copy = self.copies.get(name).cloned().unwrap_or_default();
        let lock = format!(" LOCK {lock}");
        match self
            .alone
            .say(&super::commit(name, copy.version, idle, &lock, changes))
        {
            Reply::Error(text) if text.starts_with("BUSY") => Written::Lost,
            Reply::Error(text) if text.starts_with("GONE") => {
                self.forget(name);
                Written::As(Outcome::Absent)
            }
            Reply::Error(text) => Written::As(refused(&text)),
            reply => {
                copy.version = reply.version();
                apply(&mut copy.content, changes);
                take(&mut copy.content, &reply);
                self.copies.insert(name.into(), copy.clone());
                Written::As(Outcome::Done(copy))
            }
        }
    }

    /// Whether it was still there.
    pub fn unlock(&mut self, name: &str, lock: i64) -> bool {
        self.alone.say(&format!("SJ.UNLOCK {name} {lock}")).int() == 1
    }

    /// The connection breaks, and with it go the locks.
    pub fn break_off(&mut self, daemon: &Daemon) {
        self.alone = daemon.client();
    }
}

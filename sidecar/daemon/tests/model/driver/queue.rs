//! Commits that are answered before the store has them, on their way when something goes wrong.

use std::ops::Range;

use super::{ASYNC, DAEMONS, Driver, SESSIONS};
use crate::harness::until;
use crate::reference::Session;

/// How many of the youngest sessions are used most when something goes wrong: those with commits on their way.
const YOUNGEST: usize = 4;

impl Driver {
    /// Something goes wrong, and claims may be void from now on: nobody waits for what is answered and not in the store.
    pub(super) fn let_loose(&mut self) {
        self.until_flushed();
        self.send_on_their_way();
        self.sessions.iter_mut().for_each(Session::let_loose);
    }

    /// It is over: what was answered is in the store, and claims count again.
    pub(super) fn hold_together(&mut self) {
        self.until_flushed();
        self.sessions.iter_mut().for_each(Session::hold_together);
    }

    /// A session is claimed where it is created, if its commits are answered early there.
    fn send_on_their_way(&mut self) {
        for _ in 0..self.random.usize(1..4) {
            if self.sessions.len() >= SESSIONS + YOUNGEST {
                // Nobody uses it any more.
                self.sessions.remove(0);
            }
            self.create_at(ASYNC);
        }
        self.commit_early(0..6);
        if self.random.bool() {
            self.some_exclusive(DAEMONS);
        }
    }

    /// Where sessions are that have just been created there.
    pub(super) fn commit_early(&mut self, count: Range<usize>) {
        for _ in 0..self.random.usize(count) {
            let youngest = self.sessions.len().saturating_sub(2);
            let index = self.random.usize(youngest..self.sessions.len());
            self.commit(ASYNC, index);
        }
    }

    /// Requests at the first of the pods, most at the last of these, while something is wrong.
    pub(super) fn meanwhile(&mut self, pods: usize, count: Range<usize>) {
        for _ in 0..self.random.usize(count) {
            if self.sessions.is_empty() {
                return;
            }
            let (any, last) = (self.random.usize(..pods), pods - 1);
            let pod = if self.random.u32(..4) > 0 { last } else { any };
            let index = self.young();
            match self.random.u32(..16) {
                0..2 => self.some_exclusive(pods),
                2..6 => {
                    self.open(pod, index);
                }
                6..15 => self.commit(pod, index),
                _ => self.end(pod, index),
            }
        }
    }

    pub(super) fn young(&mut self) -> usize {
        let count = self.sessions.len();
        let from = if self.random.u32(..4) == 0 {
            0
        } else {
            count.saturating_sub(YOUNGEST)
        };
        self.random.usize(from..count)
    }

    /// A daemon that lives loses nothing, whatever the store does.
    pub(super) fn until_flushed(&mut self) {
        until("the queue to empty", || self.is_flushed().then_some(()));
        self.sessions.iter_mut().for_each(Session::settle);
    }

    /// Takes note of it if nothing is on its way.
    pub(super) fn settle_what_is_flushed(&mut self) {
        if self.is_flushed() {
            self.sessions.iter_mut().for_each(Session::settle);
        }
    }

    fn is_flushed(&self) -> bool {
        let page = self.pods[ASYNC].daemon.page("/metrics");
        let mut lines = page.lines();
        // One that says nothing is no empty queue.
        lines.any(|line| line == "sojourn_queue_bytes 0")
    }
}

//! Requests that have a session for themselves, and all else that happens until they are over.

use std::time::{Duration, Instant};

use super::{DAEMONS, Driver, KEEPS};
use crate::agent::{Exclusive, Outcome, Written};
use crate::harness::{until, within};
use crate::locks::Request;

/// One that is under way.
#[derive(Debug, Clone)]
pub(super) struct UnderWay {
    request: Request,
    pod: usize,
    lock: i64,
    /// How often all claims of its daemon had become void before.
    lapses: i64,
}

impl Driver {
    pub(super) fn some_exclusive(&mut self, pods: usize) {
        for _ in 0..self.random.usize(1..6) {
            self.exclusive(pods);
        }
    }

    /// Begins one at one of the first of the pods, or goes on with one.
    fn exclusive(&mut self, pods: usize) {
        let under_way: Vec<usize> = (0..self.alone.len())
            .filter(|at| self.alone[*at].pod < pods)
            .collect();
        if under_way.is_empty() || self.random.u32(..4) == 0 {
            let pod = self.random.usize(..pods);
            let index = self.wanted();
            if self.random.u32(..3) == 0 && !self.sessions[index].at_large {
                // Claims that many have are in the way of none.
                self.claim_by_all(index);
            }
            self.begin_alone(pod, index);
            return;
        }
        let at = under_way[self.random.usize(..under_way.len())];
        let UnderWay { request, pod, .. } = self.alone[at];
        let Some(index) = self.session_of(request) else {
            // Nobody looks at it any more.
            self.alone.swap_remove(at);
            return;
        };
        match self.random.u32(..16) {
            0..6 => self.write_alone(at, index),
            6..9 => self.unlock(at, index),
            9 => self.break_off(pod),
            // Else it is not known which version it has.
            10 if !self.sessions[index].at_large => self.rename(pod, index),
            10 | 11 => self.commit(pod, index),
            _ => self.come_between(pods, index),
        }
    }

    fn come_between(&mut self, pods: usize, index: usize) {
        let other = self.random.usize(..pods);
        match self.random.u32(..4) {
            0 => {
                self.open(other, index);
            }
            1 => self.commit(other, index),
            _ => {
                self.begin_alone(other, index);
            }
        }
    }

    /// As often as not one that a request has for itself.
    fn wanted(&mut self) -> usize {
        let taken = self.alone.last().map(|last| last.request);
        let taken = taken.and_then(|request| self.session_of(request));
        let any = self.young();
        taken.filter(|_| self.random.bool()).unwrap_or(any)
    }

    fn session_of(&self, request: Request) -> Option<usize> {
        let mut sessions = self.sessions.iter();
        sessions.position(|session| session.locks.has(request))
    }

    /// Whether there was an answer.
    fn begin_alone(&mut self, pod: usize, index: usize) -> bool {
        let name = self.sessions[index].name.clone();
        self.step(format!("{name}: opened alone at {pod}"));
        let by = self.observer(pod, true);
        match self.pods[pod].agent.open_alone(&name) {
            Exclusive::Locked(copy, lock) => {
                let request = self.next();
                self.trace.saw(&format!(
                    "request {request}, version {} {:?}",
                    copy.version, copy.content
                ));
                self.sessions[index].lock(request, &copy, by, Instant::now() + KEEPS);
                let lapses = self.lapses(pod);
                self.alone.push(UnderWay {
                    request,
                    pod,
                    lock,
                    lapses,
                });
                self.locked += 1;
            }
            Exclusive::Absent => self.sessions[index].observe_absent(),
            Exclusive::NotNow => {
                self.sessions[index].asked(pod);
                return false;
            }
        }
        true
    }

    fn write_alone(&mut self, at: usize, index: usize) {
        let UnderWay {
            request, pod, lock, ..
        } = self.alone[at];
        let name = self.sessions[index].name.clone();
        if !self.pods[pod].agent.holds(&name) && !self.open(pod, index) {
            return;
        }
        let attribute = ["a", "b", "c", "d"][self.random.usize(..4)].to_owned();
        let changes = vec![(attribute, Some(self.value()))];
        self.step(format!("{name}: {changes:?} at {pod} by {request}"));
        let idle = self.sessions[index].idle();
        let agent = &mut self.pods[pod].agent;
        if !agent.holds(&name) {
            return;
        }
        let written = agent.commit_alone(&name, idle, lock, &changes);
        self.trace.saw(match &written {
            Written::As(Outcome::Done(_)) => "written",
            Written::As(_) => "no answer",
            Written::Lost => "lost",
        });
        let by = self.observer(pod, false);
        let session = &mut self.sessions[index];
        match written {
            Written::As(Outcome::Done(copy)) => session.commit_alone(request, &changes, &copy, by),
            Written::As(Outcome::Absent) => session.observe_absent(),
            Written::As(Outcome::Unknown) => session.doubt_alone(request, &changes, by),
            Written::Lost => self.was_lost(at, index),
        }
    }

    fn was_lost(&mut self, at: usize, index: usize) {
        let UnderWay {
            request,
            pod,
            lapses,
            ..
        } = self.alone[at];
        self.locks_lost += 1;
        let longest = if self.sessions[index].locks.is_sure(request) {
            // Nothing else explains it, and it is counted with the next beat only.
            Duration::from_secs(2)
        } else {
            Duration::ZERO
        };
        // It had no processor for too long; or, between two stores, the daemon that takes all sessions over has asked for it.
        let lapsed = || (self.lapses(pod) > lapses).then_some(());
        if self.other.is_some() || within(longest, lapsed).is_some() {
            self.sessions[index].locks.shake_all();
        }
        self.sessions[index].was_lost(request);
    }

    fn lapses(&self, pod: usize) -> i64 {
        let daemon = &self.pods[pod].daemon;
        daemon.metric("sojourn_claim_lapses_total", "")
    }

    fn unlock(&mut self, at: usize, index: usize) {
        let UnderWay {
            request, pod, lock, ..
        } = self.alone[at];
        let name = self.sessions[index].name.clone();
        self.step(format!("{name}: given back at {pod} by {request}"));
        if !self.pods[pod].agent.unlock(&name, lock) {
            self.was_lost(at, index);
        }
        self.sessions[index].locks.end(request);
        self.alone.remove(at);
    }

    /// No request has the session for itself any more.
    pub(super) fn unlock_all(&mut self, index: usize) {
        for at in (0..self.alone.len()).rev() {
            if self.session_of(self.alone[at].request) == Some(index) {
                self.unlock(at, index);
            }
        }
    }

    fn break_off(&mut self, pod: usize) {
        self.step(format!("connection of requests at {pod} breaks"));
        let pod_of_it = &mut self.pods[pod];
        pod_of_it.agent.break_off(&pod_of_it.daemon);
        self.forget_requests(pod);
    }

    /// Requests of a pod are over.
    pub(super) fn forget_requests(&mut self, pod: usize) {
        for over in self.alone.extract_if(.., |one| one.pod == pod) {
            for session in &mut self.sessions {
                session.locks.end(over.request);
            }
        }
    }

    /// Each session can be had, once all that had it are gone.
    pub(super) fn until_all_are_free(&mut self) {
        let locked = self.locked;
        (0..DAEMONS).for_each(|pod| self.break_off(pod));
        for index in 0..self.sessions.len() {
            let pod = self.random.usize(..DAEMONS);
            until("a session that nobody has", || {
                self.begin_alone(pod, index).then_some(())
            });
        }
        self.locked = locked;
    }
}

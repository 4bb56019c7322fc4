//! Who has a session for himself, as far as anybody can know.

use std::time::Instant;

use crate::possible::Alone;

/// A request that has opened a session for itself.
pub type Request = u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nothing has happened that could have taken the lock.
    Sure,
    /// Somebody elsewhere has asked for the session, claims may have become void, or the request is over.
    Shaken,
    /// Somebody else has been answered since, who could only be without the lock.
    Lost,
}

#[derive(Debug, Clone)]
struct Lock {
    request: Request,
    of: Alone,
    standing: Standing,
    /// Nobody else gets it before that; nothing once the lock may be gone for other reasons.
    kept_until: Option<Instant>,
}

impl Lock {
    fn shake(&mut self) {
        self.kept_until = None;
        if self.standing == Standing::Sure {
            self.standing = Standing::Shaken;
        }
    }

    fn lose(&mut self) {
        let kept = self.kept_until.is_some_and(|until| Instant::now() < until);
        assert!(!kept, "somebody else did not wait: {self:?}");
        self.standing = Standing::Lost;
    }
}

/// The locks that were had on a session, the last at the end.
#[derive(Debug, Clone, Default)]
pub struct Locks(Vec<Lock>);

impl Locks {
    /// An exclusive open was answered, and others wait until then; the locks that are over with it.
    pub fn add(&mut self, request: Request, of: Alone, kept_until: Instant) -> Vec<Request> {
        assert!(!self.is_taken(of.pod), "two have a session: {self:?}");
        let over = self.lose(|_| true);
        self.0.push(Lock {
            request,
            of,
            standing: Standing::Sure,
            kept_until: Some(kept_until),
        });
        over
    }

    /// Whether a daemon cannot give it to another request: its own wait for each other for as long as it takes.
    fn is_taken(&self, pod: usize) -> bool {
        self.holder().is_some_and(|holder| holder.pod == pod)
    }

    /// Somebody asked for the session, and perhaps waited: a lock elsewhere may be lost.
    pub fn asked(&mut self, pod: usize) {
        for lock in self.sure().filter(|lock| lock.of.pod != pod) {
            lock.standing = Standing::Shaken;
        }
    }

    /// Somebody had the session: a lock elsewhere is lost; those that are over with that.
    pub fn answered(&mut self, pod: usize) -> Vec<Request> {
        self.lose(|lock| lock.of.pod != pod)
    }

    /// Whatever locks there are may be lost.
    pub fn shake_all(&mut self) {
        self.0.iter_mut().for_each(Lock::shake);
    }

    /// A request is over.
    pub fn end(&mut self, request: Request) {
        self.0
            .retain(|lock| lock.request != request || lock.standing != Standing::Lost);
        let of_it = self.0.iter_mut().filter(|lock| lock.request == request);
        of_it.for_each(Lock::shake);
    }

    pub fn has(&self, request: Request) -> bool {
        self.0.iter().any(|lock| lock.request == request)
    }

    pub fn is_sure(&self, request: Request) -> bool {
        self.is(request, Standing::Sure)
    }

    pub fn is_lost(&self, request: Request) -> bool {
        self.is(request, Standing::Lost)
    }

    /// Who has the session for himself, if that is sure.
    pub fn holder(&self) -> Option<Alone> {
        let sure = self.0.iter().find(|lock| lock.standing == Standing::Sure);
        sure.map(|lock| lock.of)
    }

    fn is(&self, request: Request, standing: Standing) -> bool {
        let mut of_it = self.0.iter().filter(|lock| lock.request == request);
        of_it.any(|lock| lock.standing == standing)
    }

    fn sure(&mut self) -> impl Iterator<Item = &mut Lock> {
        let all = self.0.iter_mut();
        all.filter(|lock| lock.standing == Standing::Sure)
    }

    fn lose(&mut self, which: impl Fn(&Lock) -> bool) -> Vec<Request> {
        let left = self
            .0
            .iter_mut()
            .filter(|lock| lock.standing != Standing::Lost);
        let lost = left.filter(|lock| which(lock));
        lost.map(|lock| {
            lock.lose();
            lock.request
        })
        .collect()
    }
}

mod tests {
    use super::*;

    fn at(pod: usize) -> Alone {
        Alone { pod, queues: false }
    }

    #[test]
    fn who_asks_elsewhere_may_have_taken_it_and_who_is_answered_has() {
        let mut locks = Locks::default();
        locks.add(1, at(0), Instant::now());
        locks.asked(0);
        assert!(locks.is_sure(1) && locks.holder() == Some(at(0)));
        locks.asked(1);
        assert!(!locks.is_sure(1) && !locks.is_lost(1) && locks.holder().is_none());
        assert!(locks.answered(0).is_empty());
        assert_eq!(locks.answered(1), [1]);
        assert!(locks.is_lost(1));
    }

    #[test]
    fn the_next_ends_the_one_before() {
        let mut locks = Locks::default();
        locks.add(1, at(0), Instant::now());
        assert_eq!(locks.add(2, at(1), Instant::now()), [1]);
        locks.end(2);
        assert_eq!(locks.add(3, at(1), Instant::now()), [2]);
        locks.end(1);
        assert!(!locks.has(1) && locks.is_lost(2) && locks.is_sure(3));
    }

    #[test]
    fn one_daemon_does_not_give_it_to_two() {
        let mut locks = Locks::default();
        locks.add(1, at(0), Instant::now());
        assert!(locks.is_taken(0) && !locks.is_taken(1));
        locks.asked(1);
        assert!(!locks.is_taken(0));
    }
}

//! What applications ask for, and what the reference makes of the answers.

use sojournd::key::Digest;

use super::{ASYNC, DAEMONS, Driver, SESSIONS};
use crate::agent::Outcome;
use crate::reference::{Content, Listeners, Observer, Session, idle};

impl Driver {
    pub(super) fn request(&mut self) {
        if self.sessions.len() < SESSIONS {
            return self.create();
        }
        let pod = self.random.usize(..DAEMONS);
        let index = self.random.usize(..self.sessions.len());
        match self.random.u32(..100) {
            0..8 => self.some_exclusive(DAEMONS),
            8..42 => {
                self.open(pod, index);
            }
            42..76 => self.commit(pod, index),
            76..84 => self.share(index),
            84..90 => self.race(index),
            90..93 => self.end(pod, index),
            93..96 => self.rename(pod, index),
            96..98 => self.forget(pod, index),
            _ => self.replace(index),
        }
    }

    fn create(&mut self) {
        let pod = self.random.usize(..DAEMONS);
        self.create_at(pod);
    }

    pub(super) fn create_at(&mut self, pod: usize) {
        let name = format!("s{}", self.next());
        let short = self.random.u32(..6) == 0;
        let idle = idle(short);
        let changes = vec![("a".to_owned(), Some(self.value()))];
        self.step(format!("{name}: created at {pod}, idle {idle}"));
        let outcome = self.pods[pod].agent.commit(&name, idle, &changes);
        let content: Content = changes
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        let mut session = Session::new(name, short, content);
        match outcome {
            Outcome::Done(copy) => {
                session.observe(copy.version, &copy.content, self.observer(pod, true));
            }
            Outcome::Absent => panic!("{} could not be created", session.name),
            // Nobody ever heard of it.
            Outcome::Unknown => return,
        }
        self.sessions.push(session);
    }

    /// A user with many windows: all pods have the session claimed, and then change it.
    fn share(&mut self, index: usize) {
        self.claim_by_all(index);
        for _ in 0..self.random.usize(..12) {
            let pod = self.random.usize(..DAEMONS);
            if self.random.u32(..3) == 0 {
                self.open(pod, index);
            } else {
                self.commit(pod, index);
            }
        }
    }

    pub(super) fn claim_by_all(&mut self, index: usize) {
        for _ in 0..4 {
            for pod in 0..DAEMONS {
                self.open(pod, index);
            }
        }
    }

    /// Whether there was an answer.
    pub(super) fn open(&mut self, pod: usize, index: usize) -> bool {
        let name = self.sessions[index].name.clone();
        self.step(format!("{name}: opened at {pod}"));
        let outcome = self.pods[pod].agent.open(&name);
        self.take(pod, index, &outcome, true);
        if let Some((old, _)) = self.sessions[index].old_names.last() {
            let reply = self.pods[pod].agent.open(&old.clone());
            assert!(
                !matches!(reply, Outcome::Done(_)),
                "renamed and still there: {reply:?}"
            );
        }
        !matches!(outcome, Outcome::Unknown)
    }

    /// Of what the agent holds, however old that is; or, just as well, of what it has opened this moment.
    pub(super) fn commit(&mut self, pod: usize, index: usize) {
        let asks = self.random.bool() || !self.pods[pod].agent.holds(&self.sessions[index].name);
        let fresh = asks && self.open(pod, index);
        let name = self.sessions[index].name.clone();
        if !self.pods[pod].agent.holds(&name) {
            return;
        }
        let mut changes = Vec::new();
        for _ in 0..self.random.usize(1..4) {
            let attribute = ["a", "b", "c", "d"][self.random.usize(..4)].to_owned();
            // A daemon that is behind may take a removal for done: only who has just looked removes.
            let value = (!fresh || self.random.u32(..4) > 0).then(|| self.value());
            changes.retain(|(other, _)| *other != attribute);
            changes.push((attribute, value));
        }
        if pod == ASYNC {
            self.settle_what_is_flushed();
        }
        self.step(format!("{name}: {changes:?} at {pod}"));
        let idle = self.sessions[index].idle();
        let outcome = self.pods[pod].agent.commit(&name, idle, &changes);
        let by = self.observer(pod, false);
        let session = &mut self.sessions[index];
        match outcome {
            Outcome::Absent => session.observe_absent(),
            Outcome::Unknown => session.doubt(&changes, pod),
            // One that is answered early may find its session over when it gets to the store.
            Outcome::Done(_) if pod == ASYNC && session.short => session.doubt(&changes, pod),
            // Its version is provisional: what came of it is seen at the next open.
            Outcome::Done(_) if pod == ASYNC => {
                session.queue(&changes, by);
                self.early += usize::from(self.store_is_away);
            }
            Outcome::Done(_) => {
                session.commit(&changes, pod);
                self.take(pod, index, &outcome, false);
            }
        }
    }

    pub(super) fn observer(&self, pod: usize, holds: bool) -> Observer {
        let life = self.pods[pod].life;
        Observer {
            pod,
            life,
            holds,
            queues: pod == ASYNC,
        }
    }

    pub(super) fn take(&mut self, pod: usize, index: usize, outcome: &Outcome, holds: bool) {
        let by = self.observer(pod, holds);
        match outcome {
            Outcome::Done(copy) => {
                self.trace
                    .saw(&format!("version {} {:?}", copy.version, copy.content));
                self.sessions[index].observe(copy.version, &copy.content, by);
            }
            Outcome::Absent => self.sessions[index].observe_absent(),
            Outcome::Unknown => self.sessions[index].asked(pod),
        }
    }

    pub(super) fn end(&mut self, pod: usize, index: usize) {
        let name = self.sessions[index].name.clone();
        // By its user, or by who operates the cluster.
        let by_operator = self.random.bool();
        let end = if by_operator {
            format!("SJ.EXPIRE {}", Digest::of(name.as_bytes()).hex())
        } else {
            format!("SJ.END {name}")
        };
        self.step(format!("{name}: {end} at {pod}"));
        let reply = self.pods[pod].agent.client.say(&end);
        if reply.text_or_empty().starts_with("UNAVAILABLE") {
            return self.lose_sight(index);
        }
        let session = &mut self.sessions[index];
        let expected = i64::from(!session.over);
        assert!(
            reply.int() == expected || session.short || session.listeners == Listeners::Wait,
            "{name}: {reply:?}"
        );
        if by_operator {
            session.listeners = Listeners::Wait;
        }
        session.end(self.pods[pod].life);
    }

    pub(super) fn rename(&mut self, pod: usize, index: usize) {
        self.open(pod, index);
        if self.sessions[index].over {
            return;
        }
        let (name, new) = (
            self.sessions[index].name.clone(),
            format!("s{}", self.next()),
        );
        self.step(format!("{name}: renamed to {new} at {pod}"));
        let Outcome::Done(copy) = self.pods[pod].agent.open(&name) else {
            return;
        };
        let reply = self.pods[pod]
            .agent
            .client
            .say(&format!("SJ.RENAME {name} {new} {}", copy.version));
        let text = reply.text_or_empty();
        if text.starts_with("UNAVAILABLE")
            || (text.starts_with("GONE") && self.sessions[index].short)
        {
            return self.lose_sight(index);
        }
        // One higher, or more where somebody committed in between.
        assert!(reply.int() > copy.version, "{reply:?}");
        let life = self.pods[pod].life;
        let session = &mut self.sessions[index];
        session.name = new;
        session.old_names.push((name.clone(), life));
        self.pods.iter_mut().for_each(|pod| pod.agent.forget(&name));
        self.open(pod, index);
        // A request that was under way under the old name.
        let late = vec![("late".to_owned(), Some(self.value()))];
        let idle = self.sessions[index].idle();
        let outcome = self.pods[pod].agent.commit(&name, idle, &late);
        self.pods[pod].agent.forget(&name);
        match outcome {
            Outcome::Done(_) => self.sessions[index].commit(&late, pod),
            Outcome::Absent => {
                assert!(self.sessions[index].short, "a late commit was lost");
            }
            Outcome::Unknown => self.sessions[index].doubt(&late, pod),
        }
    }

    fn forget(&mut self, pod: usize, index: usize) {
        let name = &self.sessions[index].name;
        self.pods[pod].agent.forget(name);
    }

    /// Makes room for a new session.
    fn replace(&mut self, index: usize) {
        if self.sessions[index].over {
            self.sessions.swap_remove(index);
        }
    }

    /// One that nobody has written before, now and then a long one.
    pub(super) fn value(&mut self) -> String {
        let n = self.next();
        let length = if self.random.u32(..5) == 0 {
            self.random.usize(..4000)
        } else {
            0
        };
        format!("v{n}{}", "x".repeat(length))
    }
}

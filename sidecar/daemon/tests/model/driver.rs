//! Does one thing after another, at random, and holds what comes of it against the reference.

mod expiry;
mod faults;
mod race;
mod trace;

use std::time::{Duration, Instant};

use crate::agent::{Agent, Outcome};
use crate::harness::{Daemon, Store};
use crate::reference::{Content, DaemonLife, Observer, Session, idle};
use trace::Trace;

const DAEMONS: usize = 3;
const SESSIONS: usize = 24;
/// The last daemon of these answers before the store has it.
const ASYNC: usize = DAEMONS - 1;

/// A daemon, the agent beside it, and which of its lives this is.
struct Pod {
    daemon: Daemon,
    agent: Agent,
    life: DaemonLife,
}

pub struct Driver {
    random: fastrand::Rng,
    store: Store,
    pods: Vec<Pod>,
    sessions: Vec<Session>,
    /// Sessions whose truth nobody can know any more are counted, not looked at.
    unknowable: usize,
    /// Sessions that were used by all at the same time.
    races: usize,
    /// How many operations of those were under way while another was.
    overlapping: usize,
    /// Expired sessions that a listener was told of.
    told: usize,
    counter: u64,
    lives: DaemonLife,
    trace: Trace,
}

fn daemon(store: &Store, index: usize) -> Daemon {
    let mode = if index == ASYNC { "Async" } else { "Sync" };
    let settings = [
        ("SOJOURN_MODE", mode),
        ("SOJOURN_LOG", "debug"),
        ("SOJOURN_STORE_PATIENCE", "400ms"),
        ("SOJOURN_STORE_SETTLE", "400ms"),
        ("SOJOURN_REAP_EVERY", "200ms"),
        ("SOJOURN_BACKGROUND_RATE", "2000"),
    ];
    let daemon = Daemon::with(&store.url(), &settings);
    daemon.until_store("up");
    daemon
}

impl Drop for Driver {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for (index, pod) in self.pods.iter().enumerate() {
                let log = pod.daemon.log();
                let lines: Vec<&str> = log.lines().collect();
                eprintln!("daemon {index}:");
                for line in &lines[lines.len().saturating_sub(30)..] {
                    eprintln!("  {line}");
                }
            }
        }
    }
}

impl Driver {
    pub fn new(seed: u64) -> Self {
        let store = Store::start();
        let mut driver = Self {
            random: fastrand::Rng::with_seed(seed),
            store,
            pods: Vec::new(),
            sessions: Vec::new(),
            unknowable: 0,
            races: 0,
            overlapping: 0,
            told: 0,
            counter: 0,
            lives: 0,
            trace: Trace::of(seed),
        };
        for index in 0..DAEMONS {
            let daemon = daemon(&driver.store, index);
            let agent = Agent::of(&daemon);
            let life = driver.next_life();
            driver.pods.push(Pod {
                daemon,
                agent,
                life,
            });
        }
        driver
    }

    pub fn run(mut self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            match self.random.u32(..1000) {
                0..5 => self.restart_store(),
                5..9 => self.pause_store(),
                9..13 => self.flush_store(),
                13..17 => self.fail_over(),
                17..22 => self.kill_daemon(),
                _ => self.request(),
            }
            self.hear();
        }
        self.until_all_expired();
        for index in 0..self.sessions.len() {
            for pod in 0..DAEMONS {
                self.open(pod, index);
            }
        }
        self.store.assert_every_key_has_a_ttl();
        eprintln!(
            "seed {}: {} steps, {} opens by the page, {} changes told, {} races with {} operations that met another, {} sessions expired, {} became unknowable",
            self.trace.seed(),
            self.trace.steps(),
            self.pods.iter().map(|pod| pod.agent.unasked).sum::<usize>(),
            self.pods
                .iter()
                .map(|pod| pod.agent.informed)
                .sum::<usize>(),
            self.races,
            self.overlapping,
            self.told,
            self.unknowable
        );
    }

    fn request(&mut self) {
        if self.sessions.len() < SESSIONS {
            return self.create();
        }
        let pod = self.random.usize(..DAEMONS);
        let index = self.random.usize(..self.sessions.len());
        match self.random.u32(..100) {
            0..42 => {
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
        for _ in 0..4 {
            for pod in 0..DAEMONS {
                self.open(pod, index);
            }
        }
        for _ in 0..self.random.usize(..12) {
            let pod = self.random.usize(..DAEMONS);
            if self.random.u32(..3) == 0 {
                self.open(pod, index);
            } else {
                self.commit(pod, index);
            }
        }
    }

    /// Whether there was an answer.
    fn open(&mut self, pod: usize, index: usize) -> bool {
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
    fn commit(&mut self, pod: usize, index: usize) {
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
        self.step(format!("{name}: {changes:?} at {pod}"));
        let idle = self.sessions[index].idle();
        let outcome = self.pods[pod].agent.commit(&name, idle, &changes);
        if matches!(outcome, Outcome::Absent) {
            return self.sessions[index].observe_absent();
        }
        // One that is answered early may find its session over when it gets to the store.
        let certain = pod != ASYNC || !self.sessions[index].short;
        let certain = certain && matches!(outcome, Outcome::Done(_));
        self.sessions[index].commit(&changes, certain, pod);
        // Else its version is provisional: what came of it is seen at the next open.
        if pod != ASYNC {
            self.take(pod, index, &outcome, false);
        }
    }

    fn observer(&self, pod: usize, holds: bool) -> Observer {
        let life = self.pods[pod].life;
        Observer { pod, life, holds }
    }

    fn take(&mut self, pod: usize, index: usize, outcome: &Outcome, holds: bool) {
        let by = self.observer(pod, holds);
        match outcome {
            Outcome::Done(copy) => {
                self.trace
                    .saw(&format!("version {} {:?}", copy.version, copy.content));
                self.sessions[index].observe(copy.version, &copy.content, by);
            }
            Outcome::Absent => self.sessions[index].observe_absent(),
            Outcome::Unknown => {}
        }
    }

    fn end(&mut self, pod: usize, index: usize) {
        let name = self.sessions[index].name.clone();
        self.step(format!("{name}: ended at {pod}"));
        let reply = self.pods[pod].agent.client.say(&format!("SJ.END {name}"));
        if reply.text_or_empty().starts_with("UNAVAILABLE") {
            return self.lose_sight(index);
        }
        let session = &mut self.sessions[index];
        let expected = i64::from(!session.over);
        assert!(
            reply.int() == expected || session.short,
            "{name}: {reply:?}"
        );
        session.end(self.pods[pod].life);
    }

    fn rename(&mut self, pod: usize, index: usize) {
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
            Outcome::Done(_) => self.sessions[index].commit(&late, true, pod),
            Outcome::Absent => {
                assert!(self.sessions[index].short, "a late commit was lost");
            }
            Outcome::Unknown => self.sessions[index].commit(&late, false, pod),
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

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a step is written where it is done"
    )]
    fn step(&mut self, what: String) {
        self.trace.add(&what);
    }

    fn next(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    fn next_life(&mut self) -> DaemonLife {
        self.lives += 1;
        self.lives
    }

    /// One that nobody has written before, now and then a long one.
    fn value(&mut self) -> String {
        let n = self.next();
        let length = if self.random.u32(..5) == 0 {
            self.random.usize(..4000)
        } else {
            0
        };
        format!("v{n}{}", "x".repeat(length))
    }
}

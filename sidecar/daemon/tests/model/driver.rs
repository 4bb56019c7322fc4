//! Does one thing after another, at random, and holds what comes of it against the reference.

mod exclusive;
mod expiry;
mod faults;

mod queue;
mod race;
mod requests;
mod trace;
mod waits;

use std::ffi::OsString;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::harness::{Daemon, Store, sojournd};
use crate::reference::{DaemonLife, Session};
use exclusive::UnderWay;
use trace::Trace;

const DAEMONS: usize = 3;
const SESSIONS: usize = 24;
/// The last daemon of these answers before the store has it.
const ASYNC: usize = DAEMONS - 1;

/// How long a request waits for the store, and for another that has the session for itself.
const PATIENCE: Duration = Duration::from_millis(400);
/// For how long it keeps a session at least that others want: nine tenths of that.
const KEEPS: Duration = Duration::from_millis(360);

/// A daemon, the agent beside it, and which of its lives this is.
struct Pod {
    daemon: Daemon,
    agent: Agent,
    life: DaemonLife,
}

pub struct Driver {
    random: fastrand::Rng,
    store: Store,
    /// A second one, while sessions move: some daemons take the one, some the other for the main one.
    other: Option<Store>,
    /// An earlier version of the daemon, which half of them are of.
    earlier: Option<OsString>,
    pods: Vec<Pod>,
    sessions: Vec<Session>,
    /// Requests that have opened a session for themselves.
    alone: Vec<UnderWay>,
    /// How often one has got it, and how often one was told that it had lost it.
    locked: usize,
    locks_lost: usize,
    /// Sessions whose truth nobody can know any more are counted, not looked at.
    unknowable: usize,
    /// Sessions that were used by all at the same time.
    races: usize,
    /// How many operations of those were under way while another was.
    overlapping: usize,
    /// Expired sessions that a listener was told of.
    told: usize,
    store_is_away: bool,
    /// Commits that were answered while it was.
    early: usize,
    counter: u64,
    lives: DaemonLife,
    trace: Trace,
}

/// The daemon that has one of two stores for the main one and the other for the previous one, always.
const LOOKS_AFTER: usize = 1;

/// What a daemon calls the store that is not its main one.
const NAMES: [&str; 2] = ["SOJOURN_STORE_NEXT_URL", "SOJOURN_STORE_PREVIOUS_URL"];

/// `other`: another store, and what the daemon calls it.
fn daemon(command: Command, store: &Store, other: Option<(&Store, &str)>, index: usize) -> Daemon {
    let mode = if index == ASYNC { "Async" } else { "Sync" };
    let patience = format!("{}ms", PATIENCE.as_millis());
    let url = other.map(|(other, _)| other.url()).unwrap_or_default();
    let (_, name) = other.unwrap_or((store, NAMES[0]));
    let settings = [
        (name, url.as_str()),
        ("SOJOURN_MODE", mode),
        ("SOJOURN_LOG", "debug"),
        ("SOJOURN_STORE_PATIENCE", &patience),
        ("SOJOURN_STORE_SETTLE", "1s"),
        ("SOJOURN_REAP_EVERY", "200ms"),
        ("SOJOURN_BACKGROUND_RATE", "2000"),
    ];
    let daemon = Daemon::run(command, &store.url(), &settings);
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
        let mut random = fastrand::Rng::with_seed(seed);
        let other = (random.u32(..3) == 0).then(Store::start);
        let store = Store::start();
        let mut driver = Self {
            random,
            store,
            other,
            earlier: std::env::var_os("SOJOURN_MODEL_EARLIER").filter(|path| !path.is_empty()),
            pods: Vec::new(),
            sessions: Vec::new(),
            alone: Vec::new(),
            locked: 0,
            locks_lost: 0,
            unknowable: 0,
            races: 0,
            overlapping: 0,
            told: 0,
            store_is_away: false,
            early: 0,
            counter: 0,
            lives: 0,
            trace: Trace::of(seed),
        };
        for index in 0..DAEMONS {
            let daemon = driver.daemon(index);
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

    /// A new one, by any of the two stores.
    fn daemon(&mut self, index: usize) -> Daemon {
        let command = self.version();
        let Some(other) = &self.other else {
            return daemon(command, &self.store, None, index);
        };
        let (name, is_first_main) = (NAMES[self.random.usize(..2)], self.random.bool());
        let (name, main, other) = match index {
            // Somebody looks after what is in either: of a store that is nobody's main one, nor the previous one, no listener would be told.
            LOOKS_AFTER => (NAMES[1], &self.store, other),
            _ if is_first_main => (name, &self.store, other),
            _ => (name, other, &self.store),
        };
        daemon(command, main, Some((other, name)), index)
    }

    /// While Sojourn is upgraded, or an upgrade is undone, daemons of two versions have one store, and one may follow the other.
    fn version(&mut self) -> Command {
        match &self.earlier {
            Some(earlier) if self.random.bool() => {
                let mut command = Command::new(earlier);
                command.env_clear();
                command
            }
            _ => sojournd(),
        }
    }

    pub fn run(mut self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            match self.random.u32(..1000) {
                // What a store loses that is not everybody's main one nobody puts back.
                0..23 if self.other.is_some() => self.kill_daemon(),
                0..7 => self.restart_store(),
                7..14 => self.pause_store(),
                14..18 => self.flush_store(),
                18..23 => self.fail_over(),
                23..28 => self.kill_daemon(),
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
        self.until_all_are_free();
        self.store.assert_every_key_has_a_ttl();
        if let Some(other) = &self.other {
            other.assert_every_key_has_a_ttl();
        }
        eprintln!(
            "seed {}: {} store(s), {} sessions moved, {} steps, {} opens by the page, {} changes told, {} races with {} operations that met another, {} commits answered without the store, {} locks and {} lost, {} sessions expired, {} became unknowable",
            self.trace.seed(),
            1 + usize::from(self.other.is_some()),
            self.pods
                .iter()
                .map(|pod| pod.daemon.metric("sojourn_store_moved_total", ""))
                .sum::<i64>(),
            self.trace.steps(),
            self.pods.iter().map(|pod| pod.agent.unasked).sum::<usize>(),
            self.pods
                .iter()
                .map(|pod| pod.agent.informed)
                .sum::<usize>(),
            self.races,
            self.overlapping,
            self.early,
            self.locked,
            self.locks_lost,
            self.told,
            self.unknowable
        );
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
}

//! What the daemon takes at most: past its container's limit it is killed, with all that it holds for others.

use std::fs;

use crate::asynchronous::{ASYNC, queue_is_empty};
use crate::harness::{Client, Daemon, Reply, Store, random};

const MEBI: usize = 1 << 20;

/// A daemon, and what it took when it had done nothing yet.
struct Watched {
    daemon: Daemon,
    idle: usize,
}

impl Watched {
    fn start(store: &Store, settings: &[(&str, &str)]) -> Self {
        let daemon = Daemon::with(&store.url(), settings);
        daemon.until_store("up");
        let idle = taken(&daemon, "VmRSS:");
        Self { daemon, idle }
    }

    /// The most that it has taken so far, beside that.
    fn most(&self) -> usize {
        taken(&self.daemon, "VmHWM:") - self.idle
    }
}

fn taken(daemon: &Daemon, which: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.process.0.id())).unwrap();
    let mut lines = status.lines();
    let kibi = lines.find_map(|line| line.strip_prefix(which)).unwrap();
    let kibi = kibi.trim().trim_end_matches(" kB");
    kibi.parse::<usize>().unwrap() << 10
}

fn is_committed(reply: &Reply) -> bool {
    matches!(reply, Reply::Array(Some(_)))
}

/// Commits each of so many sessions once, up to the first that is refused; how many were not.
fn commit_all(client: &mut Client, base: i64, sessions: usize, length: usize) -> usize {
    (0..sessions)
        .take_while(|n| is_committed(&client.set(&format!("s{n}"), base, "a", &random(length))))
        .count()
}

/// While the server hangs all the commits that are held are on their way to it.
#[test]
fn a_queue_that_is_full_takes_about_what_it_may() {
    for length in [20_000, 1_000] {
        let store = Store::start();
        let settings = [
            ASYNC,
            ("SOJOURN_MEMORY", "32MiB"),
            ("SOJOURN_QUEUE", "8MiB"),
            ("SOJOURN_STORE_PATIENCE", "5s"),
        ];
        let watched = Watched::start(&store, &settings);
        let mut client = watched.daemon.client();
        let sessions = 9 * MEBI / (length + 1_000);
        assert_eq!(commit_all(&mut client, 0, sessions, length), sessions);
        queue_is_empty(&watched.daemon);
        store.signal("STOP");
        let held = commit_all(&mut client, 1, sessions, length);
        let full = watched.daemon.metric("sojourn_queue_bytes", "");
        let most = watched.most();
        store.signal("CONT");
        assert!(held < sessions, "the queue has only {full} bytes");
        assert!(
            most < 40 * MEBI,
            "{most} bytes beside what it takes idle, for {held} commits of {length}"
        );
        queue_is_empty(&watched.daemon);
        let most = watched.most();
        assert!(most < 48 * MEBI, "{most} bytes once the store was back");
    }
}

/// As of an application, whose requests all come over one connection.
#[test]
fn large_sessions_at_once_take_turns() {
    const LENGTH: usize = 4_000_000;
    const SESSIONS: usize = 8;
    let store = Store::start();
    let watched = Watched::start(&store, &[("SOJOURN_MEMORY", "8MiB")]);
    let mut client = watched.daemon.client();
    for base in 0..3 {
        for n in 0..SESSIONS {
            let (tag, session) = (n.to_string(), format!("s{n}"));
            client.send(&[
                b"SJ.TAG",
                tag.as_bytes(),
                b"SJ.COMMIT",
                session.as_bytes(),
                base.to_string().as_bytes(),
                b"1800",
                b"1000",
                b"SET",
                b"a",
                &random(LENGTH),
            ]);
        }
        for _ in 0..SESSIONS {
            let reply = client.read().unwrap();
            assert_eq!(reply.items()[1].version(), base + 1);
        }
    }
    let most = watched.most();
    assert!(
        most < 42 * MEBI,
        "{most} bytes beside what it takes idle, for {SESSIONS} of {LENGTH} at once"
    );
}

//! What writes all the time, and what must be there afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crate::harness::{Daemon, Reply, until};

/// Writes to sessions through a daemon, each its own attribute, until it is stopped.
pub struct Writer {
    stop: Arc<AtomicBool>,
    written: Arc<AtomicUsize>,
    thread: JoinHandle<BTreeMap<String, usize>>,
}

impl Writer {
    /// Sessions that there are, and what is to be written as `name`.
    pub fn start(daemon: &Daemon, name: &'static str, sessions: &[String]) -> Self {
        let (stop, written) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (mut client, sessions) = (daemon.client(), sessions.to_vec());
        let (stopped, count) = (Arc::clone(&stop), Arc::clone(&written));
        let thread = std::thread::spawn(move || {
            let mut confirmed = BTreeMap::new();
            let mut bases: BTreeMap<&String, i64> = BTreeMap::new();
            for (number, session) in sessions.iter().cycle().enumerate() {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let base = bases.entry(session).or_insert(1);
                let reply = client.commit(session, *base, &format!("SET {name} {number}"));
                assert!(matches!(reply, Reply::Array(_)), "{session}: {reply:?}");
                *base = reply.version();
                confirmed.insert(session.clone(), number);
                count.fetch_add(1, Ordering::Relaxed);
            }
            confirmed
        });
        Self {
            stop,
            written,
            thread,
        }
    }

    /// Waits for so many commits more.
    pub fn until_more(&self, count: usize) {
        let before = self.written.load(Ordering::Relaxed);
        until("commits", || {
            (self.written.load(Ordering::Relaxed) >= before + count).then_some(())
        });
    }

    /// The last number that was confirmed for each session.
    pub fn stop(self) -> BTreeMap<String, usize> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Creates sessions, spread over all shards as names come.
pub fn sessions(daemon: &Daemon, count: usize) -> Vec<String> {
    let mut client = daemon.client();
    let names = (0..count).map(|n| format!("s{n}"));
    names
        .inspect(|name| assert_eq!(client.commit(name, 0, "SET created 1").version(), 1))
        .collect()
}

/// What was confirmed is there, for whoever reads.
pub fn assert_written(daemon: &Daemon, name: &str, confirmed: &BTreeMap<String, usize>) {
    assert!(!confirmed.is_empty());
    let mut client = daemon.client();
    for (session, number) in confirmed {
        let opened = client.open(session, 0);
        let expected = format!("{name}={number}");
        let attributes = opened.attributes();
        assert!(
            attributes.contains(&expected),
            "{session}: {expected} is not in {attributes:?}"
        );
    }
}

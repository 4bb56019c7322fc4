//! What a daemon does by itself, at the pace that its limits say.

use std::time::Instant;

use tempfile::TempDir;

use crate::expiry::{EVERY, create, message, subscribe};
use crate::harness::{Daemon, Store, until};

/// More than are done at one a second while this test waits for anything.
const CROWD: i64 = 60;

/// A daemon whose limits are changed while it runs.
struct Paced {
    daemon: Daemon,
    directory: TempDir,
}

impl Paced {
    /// Of one a second of the kind of limit, and many of the other.
    fn at_one_a_second(store: &Store, limit: &str, settings: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("limits.toml");
        std::fs::write(&file, format!("{limit} = 1")).unwrap();
        let file = ("SOJOURN_LIMITS_FILE", file.to_str().unwrap().to_owned());
        let all = [("SOJOURN_BACKGROUND_RATE", "1000"), (file.0, &file.1)];
        let all = [&all[..], settings].concat();
        let daemon = Daemon::with(&store.url(), &all);
        until("the limits", || {
            daemon.log().contains("limits taken").then_some(())
        });
        Self { daemon, directory }
    }

    fn raise(&self) {
        let file = self.directory.path().join("limits.toml");
        std::fs::write(file, "background_rate = 1000").unwrap();
    }

    fn refilled(&self, kind: &str) -> i64 {
        let label = format!("\"{kind}\"");
        self.daemon.metric("sojourn_refilled_total", &label)
    }

    fn told(&self) -> i64 {
        self.daemon.metric("sojourn_expired_total", "told")
    }
}

/// Waits until enough is done to tell, and sees that it is no more than one at once and one for each second: whatever the machine is busy with, it can only be
/// less.
fn assert_is_paced(started: Instant, mut done: impl FnMut() -> i64) {
    let done = until("a few", || Some(done()).filter(|done| *done >= 5));
    let allowed = 1 + i64::try_from(started.elapsed().as_secs()).unwrap();
    assert!(done <= allowed, "{done} of {allowed}");
}

fn until_all(mut done: impl FnMut() -> i64) {
    until("all of them", || (done() == CROWD).then_some(()));
}

/// The store loses everything; since when.
fn lose(store: &Store) -> Instant {
    let started = Instant::now();
    store.client().say("FLUSHALL");
    started
}

const SOON: (&str, &str) = ("SOJOURN_STORE_SETTLE", "300ms");

#[test]
fn a_crowd_that_expires_at_once_is_told_one_by_one() {
    let store = Store::start();
    let paced = Paced::at_one_a_second(&store, "background_rate", &[EVERY]);
    let mut client = paced.daemon.client();
    for n in 0..CROWD {
        create(&mut client, &format!("s{n}"), 1);
    }
    let started = Instant::now();
    let mut listener = subscribe(&paced.daemon);
    assert_is_paced(started, || paced.told());
    paced.raise();
    let mut told: Vec<String> = (0..CROWD).map(|_| message(&mut listener)).collect();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), usize::try_from(CROWD).unwrap());
}

#[test]
fn what_one_session_asks_for_again_and_again_is_done_at_a_pace_of_its_own() {
    let store = Store::start();
    // The store is looked at every few milliseconds.
    let settings = [("SOJOURN_STORE_SETTLE", "10ms")];
    let paced = Paced::at_one_a_second(&store, "session_rate", &settings);
    let mut client = paced.daemon.client();
    client.commit("s", 0, "SET a 1");
    assert_eq!(client.say("SJ.END s").int(), 1);
    let started = Instant::now();
    assert_is_paced(started, || {
        lose(&store);
        paced.refilled("tombstone")
    });
}

#[test]
fn tombstones_that_a_store_has_lost_are_put_back_one_by_one() {
    let store = Store::start();
    let paced = Paced::at_one_a_second(&store, "background_rate", &[SOON]);
    let mut client = paced.daemon.client();
    for n in 0..CROWD {
        let session = format!("s{n}");
        client.commit(&session, 0, "SET a 1");
        assert_eq!(client.say(&format!("SJ.END {session}")).int(), 1);
    }
    let started = lose(&store);
    assert_is_paced(started, || paced.refilled("tombstone"));
    paced.raise();
    until_all(|| paced.refilled("tombstone"));
}

#[test]
fn sessions_that_a_store_has_lost_are_put_back_one_by_one() {
    let store = Store::start();
    let paced = Paced::at_one_a_second(&store, "background_rate", &[SOON]);
    let mut client = paced.daemon.client();
    for n in 0..CROWD {
        client.commit(&format!("s{n}"), 0, "SET a 1");
    }
    let started = lose(&store);
    assert_is_paced(started, || paced.refilled("session"));
    paced.raise();
    until_all(|| paced.refilled("session"));
}

/// Those who come for their sessions wait for a time that does not depend on how many others have ended theirs.
#[test]
fn a_session_is_put_back_before_all_of_many_tombstones_and_they_come_all_the_same() {
    let store = Store::start();
    let paced = Paced::at_one_a_second(&store, "background_rate", &[SOON]);
    let mut client = paced.daemon.client();
    client.commit("s", 0, "SET a 1");
    for n in 0..CROWD {
        client.commit(&format!("ended{n}"), 0, "SET a 1");
        assert_eq!(client.say(&format!("SJ.END ended{n}")).int(), 1);
    }
    lose(&store);
    until("the session, before the tombstones", || {
        (paced.refilled("session") == 1).then_some(())
    });
    let tombstones = paced.refilled("tombstone");
    assert!(tombstones < CROWD, "{tombstones}");
    paced.raise();
    until_all(|| paced.refilled("tombstone"));
    assert_eq!(paced.refilled("session"), 1);
}

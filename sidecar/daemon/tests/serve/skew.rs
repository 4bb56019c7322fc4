//! Nodes whose clocks are wrong, or are set: the store's clock decides what is over, and steady clocks what may be believed.

use std::path::Path;

use crate::claims::{MODES, claimed, daemons, until_trusted, value};
use crate::expiry::{message, subscribe};
use crate::harness::{Client, Daemon, Reply, Store, surely, until};
use crate::page_reader::Page;

#[cfg(target_arch = "x86_64")]
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
#[cfg(target_arch = "aarch64")]
const LIBRARY: &str = "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1";
const PRELOAD: (&str, &str) = ("LD_PRELOAD", LIBRARY);
/// The clock of the wall only: what a steady clock says cannot be set on a real machine either.
const WALL_ONLY: (&str, &str) = ("FAKETIME_DONT_FAKE_MONOTONIC", "1");

/// A daemon whose clock differs, as in `+1h`.
fn skewed(store: &Store, by: &str, settings: &[(&str, &str)]) -> Daemon {
    assert!(
        Path::new(LIBRARY).exists(),
        "{LIBRARY} is missing (Debian: apt-get install libfaketime)"
    );
    let clock = [PRELOAD, WALL_ONLY, ("FAKETIME", by)];
    Daemon::with(&store.url(), &[&clock, settings].concat())
}

/// The value of `a` there, counted up by one.
fn click(client: &mut Client, session: &str) -> i64 {
    let opened = client.open(session, 0);
    let next = value(&opened, "a") + 1;
    client.set(session, opened.version(), "a", next.to_string().as_bytes());
    next
}

#[test]
fn clocks_two_hours_apart_share_sessions() {
    for mode in MODES {
        let store = Store::start();
        let daemons = [
            skewed(&store, "+1h", &[mode]),
            skewed(&store, "-1h", &[mode]),
        ];
        daemons.iter().for_each(until_trusted);
        let [ahead, behind] = daemons.each_ref().map(|of| Page::of(of).trusted().1);
        assert!(ahead - behind > 7_000_000, "they do differ, in ms");
        let mut clients = daemons.each_ref().map(Daemon::client);
        // Less than the hour that either is off: by its own clock it would be over, or never.
        assert_eq!(clients[0].say("SJ.COMMIT s 0 600 0 SET a 0").version(), 1);
        for (round, expected) in (1..=20).enumerate() {
            assert_eq!(click(&mut clients[round % 2], "s"), expected);
        }
        store.assert_every_key_has_a_ttl();
    }
}

#[test]
fn a_session_is_over_by_the_clock_of_the_store() {
    let store = Store::start();
    let every = ("SOJOURN_REAP_EVERY", "100ms");
    let daemon = skewed(&store, "+1h", &[every]);
    let mut client = daemon.client();
    client.say("SJ.COMMIT short 0 1 0 SET a 0");
    client.say("SJ.COMMIT long 0 600 0 SET a 0");
    assert_eq!(message(&mut subscribe(&daemon)), "expired short");
    assert_eq!(client.open("short", 0), Reply::Array(None));
    assert_eq!(value(&client.open("long", 0), "a"), 0);
}

/// A clock that can be set.
struct Clock(tempfile::TempDir);

impl Clock {
    fn new() -> Self {
        let clock = Self(tempfile::tempdir().unwrap());
        clock.set("+0");
        clock
    }

    fn file(&self) -> String {
        self.0.path().join("clock").to_str().unwrap().to_owned()
    }

    /// To what is so far from the right time, as `+1h`.
    fn set(&self, to: &str) {
        std::fs::write(self.file(), to).unwrap();
    }

    /// A daemon that goes by it.
    fn daemon(&self, store: &Store, settings: &[(&str, &str)]) -> Daemon {
        let file = self.file();
        let clock = [
            PRELOAD,
            WALL_ONLY,
            ("FAKETIME_TIMESTAMP_FILE", file.as_str()),
            ("FAKETIME_NO_CACHE", "1"),
        ];
        Daemon::with(&store.url(), &[&clock, settings].concat())
    }
}

/// As long as a tombstone is there nobody is given the name of what has ended. After that it is another session.
#[test]
fn a_session_with_the_name_of_one_that_has_ended_is_put_back_as_any_other() {
    let (store, clock) = (Store::start(), Clock::new());
    let daemon = clock.daemon(&store, &[("SOJOURN_STORE_SETTLE", "300ms")]);
    let mut client = daemon.client();
    until_trusted(&daemon);
    let mut subscriber = subscribe(&daemon);
    client.commit("s", 0, "SET a 1");
    assert_eq!(client.say("SJ.END s").int(), 1);
    let mut heard = || subscriber.read().unwrap().items()[2].text();
    while !heard().starts_with("ended ") {}
    let tombstone = store.sessions().remove(0);
    assert_eq!(store.client().say(&format!("DEL {tombstone}")).int(), 1);
    clock.set("+11m");
    assert_eq!(client.commit("s", 0, "SET a 2").version(), 1);

    store.client().say("FLUSHALL");

    until("it to be put back", || {
        (daemon.metric("sojourn_refilled_total", "session") == 1).then_some(())
    });
    let other = Daemon::of(&store);
    assert_eq!(value(&surely(|| other.client().open("s", 0)), "a"), 2);
}

#[test]
fn an_end_is_made_up_for_however_long_the_store_was_away() {
    let (mut store, clock) = (Store::start(), Clock::new());
    let daemon = clock.daemon(&store, &[("SOJOURN_STORE_PATIENCE", "300ms")]);
    let mut client = daemon.client();
    surely(|| client.commit("s", 0, "SET a 1"));
    store.kill();
    daemon.until_store("down");
    let refused = client.say("SJ.END s").text();
    assert!(refused.starts_with("UNAVAILABLE"), "{refused}");
    clock.set("+11m");
    let refused = client.say("SJ.END another").text();
    assert!(refused.starts_with("UNAVAILABLE"), "{refused}");
    store.run();
    until("the tombstones", || {
        (daemon.metric("sojourn_refilled_total", "tombstone") == 2).then_some(())
    });
    let late = Daemon::of(&store).client().commit("s", 1, "SET a 2").text();
    assert!(late.starts_with("GONE"), "{late}");
}

#[test]
fn a_clock_that_is_set_makes_nothing_stale() {
    for (mode, to) in [
        (MODES[0], "+1h"),
        (MODES[0], "-1h"),
        (MODES[1], "+1h"),
        (MODES[1], "-1h"),
    ] {
        let (store, clock) = (Store::start(), Clock::new());
        let set = clock.daemon(&store, &[mode]);
        let [right] = daemons(&store, &[mode]);
        until_trusted(&set);
        let (mut here, mut there) = (set.client(), right.client());
        claimed(&set, &mut here, "s");

        clock.set(to);

        for round in 0..20 {
            let client = if round % 2 == 0 {
                &mut there
            } else {
                &mut here
            };
            assert_eq!(click(client, "s"), 1 + round);
        }
        until_trusted(&set);
        claimed(&set, &mut here, "t");
        until("a claim on it", || {
            (set.metric("sojourn_claims ", "") > 0).then_some(())
        });
    }
}

//! Nodes whose clocks are wrong, or are set: the store's clock decides what is over, and steady clocks what may be believed.

use std::path::Path;

use crate::claims::{MODES, claimed, daemons, until_trusted, value};
use crate::expiry::{message, subscribe};
use crate::harness::{Client, Daemon, Reply, Store, until};
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

#[test]
fn a_clock_that_is_set_makes_nothing_stale() {
    for (mode, to) in [
        (MODES[0], "+1h"),
        (MODES[0], "-1h"),
        (MODES[1], "+1h"),
        (MODES[1], "-1h"),
    ] {
        let store = Store::start();
        let directory = tempfile::tempdir().unwrap();
        let clock = directory.path().join("clock");
        std::fs::write(&clock, "+0").unwrap();
        let settings = [
            PRELOAD,
            WALL_ONLY,
            ("FAKETIME_TIMESTAMP_FILE", clock.to_str().unwrap()),
            ("FAKETIME_NO_CACHE", "1"),
            mode,
        ];
        let [set] = daemons(&store, &settings);
        let [right] = daemons(&store, &[mode]);
        let (mut here, mut there) = (set.client(), right.client());
        claimed(&set, &mut here, "s");

        std::fs::write(&clock, to).unwrap();

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

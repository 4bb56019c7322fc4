//! Which daemon ends the sessions of a cluster that have expired.

use crate::expiry::{EVERY, create, message, subscribe};
use crate::harness::{Client, Daemon, Store, until};
use sojournd::key::{Digest, due};

pub fn is_reaper(daemon: &Daemon) -> bool {
    daemon.metric("sojourn_reaper ", "") == 1
}

#[test]
fn one_daemon_at_a_time_reaps_and_only_one_that_can_tell() {
    let store = Store::start();
    let daemons: Vec<Daemon> = (0..3)
        .map(|_| Daemon::with(&store.url(), &[EVERY]))
        .collect();
    let reapers = || -> i64 {
        daemons
            .iter()
            .map(|daemon| daemon.metric("sojourn_reaper ", ""))
            .sum()
    };
    assert_eq!(reapers(), 0);
    let mut listeners: Vec<Client> = daemons.iter().skip(1).map(subscribe).collect();
    until("a reaper", || (reapers() == 1).then_some(()));
    assert_eq!(daemons[0].metric("sojourn_reaper ", ""), 0);
    let first = (1..3)
        .find(|n| daemons[*n].metric("sojourn_reaper ", "") == 1)
        .unwrap();
    // It drains: the other takes over, at once and not when the lease has run out, which would take an hour.
    store
        .client()
        .say("PEXPIRE sj:{00}:test.shop:reaper 3600000");
    daemons[first].client().say("SJ.DRAIN");
    assert_eq!(message(&mut listeners[first - 1]), "drain");
    create(&mut daemons[0].client(), "s", 1);
    assert_eq!(message(&mut listeners[2 - first]), "expired s");
    assert_eq!(daemons[first].metric("sojourn_reaper ", ""), 0);
    assert_eq!(reapers(), 1);
}

#[test]
fn a_reaper_that_is_stopped_leaves_the_lease_to_the_next() {
    let store = Store::start();
    let lease = || store.client().say("GET sj:{00}:test.shop:reaper");
    // It is between two shards nearly all of the time.
    let mut first = Daemon::with(&store.url(), &[("SOJOURN_REAP_EVERY", "1m")]);
    let _listener = subscribe(&first);
    until("the reaper", || is_reaper(&first).then_some(()));
    let held = lease();
    let second = Daemon::with(&store.url(), &[EVERY]);
    let mut listener = subscribe(&second);
    first.process.signal("TERM");
    assert_eq!(first.process.exit_code(), Some(0));
    assert_ne!(lease(), held, "left to run out");
    create(&mut second.client(), "s", 1);
    assert_eq!(message(&mut listener), "expired s");
    assert!(is_reaper(&second));
}

#[test]
fn a_reaper_that_was_killed_is_missed_for_no_longer_than_its_lease() {
    let store = Store::start();
    let mut first = Daemon::with(&store.url(), &[EVERY]);
    let _listener = subscribe(&first);
    until("the reaper", || is_reaper(&first).then_some(()));
    let second = Daemon::with(&store.url(), &[EVERY]);
    let mut listener = subscribe(&second);
    first.process.signal("KILL");
    first.process.exit_code();
    create(&mut second.client(), "s", 1);
    assert_eq!(message(&mut listener), "expired s");
}

/// Of a daemon that lives and does not let go.
const CLAIM: &str = "NNNNNNLLCCCC";
const LIFE: &str = "sj:{4e}:test.shop:holder:4e4e4e4e4e4e4c4c";

#[test]
fn one_whose_holder_does_not_let_go_keeps_no_others_waiting() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[EVERY, ("SOJOURN_STORE_PATIENCE", "200ms")]);
    // That patience may be over before it is connected.
    let other = Daemon::of(&store);
    let mut client = other.client();
    create(&mut client, "held", 1);
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    direct.say(&format!("SET {LIFE} 1 PX 600000"));
    direct.say(&format!("HSET {key} h {CLAIM}"));
    let shard = |name: &str| Digest::of(name.as_bytes()).shard();
    let mut names = (0..2000).map(|n| format!("s{n}"));
    let behind = names.find(|name| shard(name) > shard("held"));
    let behind = behind.unwrap();
    create(&mut client, &behind, 1);
    let mut listener = subscribe(&daemon);
    assert_eq!(message(&mut listener), format!("expired {behind}"));
}

/// When a member of an index is due that is.
/// Whether its index did not have it: 1 or 0.
pub fn make_due(store: &Store, shard: u8, digest: &str) -> i64 {
    let index = due(shard, "test.shop");
    let added = store.client().say(&format!("ZADD {index} 1000 {digest}"));
    added.int()
}

/// More than are looked at one by one while this test waits for anything, and more in one shard than are looked at at once.
#[test]
fn what_lives_and_what_is_gone_is_not_paced_as_what_is_over() {
    let store = Store::start();
    let settings = [EVERY, ("SOJOURN_BACKGROUND_RATE", "1")];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    for n in 0..60 {
        let name = format!("s{n}");
        create(&mut client, &name, 1800);
        let digest = Digest::of(name.as_bytes());
        make_due(&store, digest.shard(), &digest.hex());
    }
    for n in 0..250 {
        make_due(&store, 0, &format!("00{n:038x}"));
    }
    let _listener = subscribe(&daemon);
    let indexes = || store.keys().into_iter().filter(|key| key.ends_with(":due"));
    until("all to be looked at", || {
        let mut counts = indexes().map(|key| store.client().say(&format!("ZCOUNT {key} 0 1000")));
        counts.all(|count| count.int() == 0).then_some(())
    });
    let left = indexes().map(|key| store.client().say(&format!("ZCARD {key}")).int());
    assert_eq!(left.sum::<i64>(), 60, "those that live");
    store.assert_every_key_has_a_ttl();
}

#[test]
fn how_far_a_reaper_lags_behind_is_told_while_something_waits_for_it() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[EVERY, ("SOJOURN_STORE_PATIENCE", "200ms")]);
    create(&mut Daemon::of(&store).client(), "held", 1);
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    direct.say(&format!("SET {LIFE} 1 PX 600000"));
    direct.say(&format!("HSET {key} h {CLAIM}"));
    let digest = Digest::of(b"held");
    make_due(&store, digest.shard(), &digest.hex());
    let _listener = subscribe(&daemon);
    let lag = || daemon.metric("sojourn_reaper_lag_seconds ", "");
    until("the lag", || (lag() > 1_000_000).then_some(()));
    direct.say(&format!("HDEL {key} h"));
    until("no lag", || {
        (is_reaper(&daemon) && lag() < 1000).then_some(())
    });
}

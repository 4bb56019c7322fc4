//! A connection that was only made anew: what had ended stays so though the store lost its tombstone, and nothing else ends by that.

use crate::expiry::{EVERY, create, message, subscribe};
use crate::harness::{Client, Daemon, Reply, Store, until};
use sojournd::key::Digest;

const ATTEMPTS: usize = 5;
const SOON: (&str, &str) = ("SOJOURN_STORE_SETTLE", "300ms");

fn key(session: &str) -> String {
    Digest::of(session.as_bytes()).key("test.shop")
}

/// As if a replica had taken over that has no tombstone of it.
fn lose(store: &Store, session: &str) {
    let lost = store.client().call(&[b"DEL", key(session).as_bytes()]);
    assert_eq!(lost.int(), 1, "{session}");
}

/// A session that ended before all others: its tombstone, which the store loses, is put back after theirs.
fn end_first(client: &mut Client) {
    client.commit("first", 0, "SET a 1");
    assert_eq!(client.say("SJ.END first").int(), 1);
}

fn reconnect(store: &Store) {
    let killed = store.client().say("CLIENT KILL TYPE normal SKIPME yes");
    assert!(killed.int() > 0);
}

/// Until the end of [`end_first`] is in the store again.
fn until_first_is_buried(store: &Store) {
    let field = |name: &[u8]| {
        store
            .client()
            .call(&[b"HEXISTS", key("first").as_bytes(), name])
    };
    until("the tombstone of what had ended", || {
        (field(b"x").int() == 1 && field(b"y").int() == 0).then_some(())
    });
}

fn assert_lives(store: &Store, session: &str) {
    let opened = Daemon::of(store).client().open(session, 0);
    assert_ne!(opened, Reply::Array(None), "{session}");
}

/// A client that was told, as the first after [`end_first`], that there was nothing to end. Where a daemon's connection was made anew meanwhile, for this
/// machine stood still, it takes what is not there for what may be put back, and another one is asked.
fn end_nothing(end: &str) -> (Store, Daemon, Client) {
    for _ in 0..ATTEMPTS {
        let store = Store::start();
        let daemon = Daemon::with(&store.url(), &[SOON]);
        daemon.until_looked_through();
        let mut client = daemon.client();
        end_first(&mut client);
        if client.say(end).int() == 0 {
            return (store, daemon, client);
        }
    }
    panic!("{end}: something was ended by each of {ATTEMPTS} daemons");
}

#[test]
fn of_nothing_nothing_is_ended_under_whatever_name_it_goes_on() {
    let (store, _daemon, _client) = end_nothing("SJ.END s FOLLOW");
    let there = store.client().call(&[b"EXISTS", key("s").as_bytes()]);
    assert_eq!(there.int(), 0);
}

#[test]
fn what_began_after_the_end_of_nothing_lives_on() {
    let (store, _daemon, mut client) = end_nothing("SJ.END s");
    assert_eq!(client.commit("s", 0, "SET a 1").version(), 1);
    lose(&store, "first");
    reconnect(&store);
    until_first_is_buried(&store);
    assert_lives(&store, "s");
}

#[test]
fn what_began_once_the_tombstone_of_its_name_had_gone_lives_on_with_who_met_that() {
    let store = Store::start();
    let ended_by = Daemon::with(&store.url(), &[SOON]);
    ended_by.client().commit("s", 0, "SET a 1");
    assert_eq!(ended_by.client().say("SJ.END s").int(), 1);
    drop(ended_by);
    let daemon = Daemon::with(&store.url(), &[SOON]);
    daemon.until_looked_through();
    let mut client = daemon.client();
    end_first(&mut client);
    assert_eq!(client.open("s", 0), Reply::Array(None));
    // As if its ten minutes were over.
    lose(&store, "s");
    let other = Daemon::with(&store.url(), &[SOON]);
    assert_eq!(other.client().commit("s", 0, "SET a 2").version(), 1);
    assert_eq!(client.open("s", 0).attributes(), ["a=2"]);
    drop(other);
    lose(&store, "first");
    reconnect(&store);
    until_first_is_buried(&store);
    assert_lives(&store, "s");
}

/// A reaper has marked it. Who comes for it meets that as an end.
#[test]
fn listeners_are_told_of_what_expired_though_its_user_came_back() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[SOON, EVERY]);
    let mut listener = subscribe(&daemon);
    let mut client = daemon.client();
    create(&mut client, "first", 1);
    assert_eq!(message(&mut listener), "expired first");
    assert_eq!(client.say("SJ.REAP first").attributes(), ["a=1"]);
    let marked = store.client().call(&[b"DUMP", key("first").as_bytes()]);
    let Reply::Bulk(Some(marked)) = marked else {
        panic!("no dump")
    };
    assert_eq!(client.say("SJ.END first").int(), 1);
    create(&mut client, "s", 1);
    assert_eq!(message(&mut listener), "expired s");
    assert_eq!(client.open("s", 0), Reply::Array(None));
    // As if a replica had taken over that knows that it expired, and not that its listeners have been told: they are not told again.
    let key = key("first");
    let words: [&[u8]; 5] = [b"RESTORE", key.as_bytes(), b"600000", &marked, b"REPLACE"];
    assert_eq!(store.client().call(&words).text(), "OK");
    reconnect(&store);
    until_first_is_buried(&store);
    assert_eq!(client.say("SJ.REAP s").attributes(), ["a=1"]);
    assert_eq!(client.say("SJ.END s").int(), 1);
}

/// A daemon that holds `s`, which a replica that took over lacks, and puts it back seconds after another one has looked through what it holds.
fn with_a_slow_holder(store: &Store) -> (Daemon, Daemon) {
    let slow = Daemon::of(store);
    let other = Daemon::with(&store.url(), &[SOON]);
    for daemon in [&slow, &other] {
        daemon.until_looked_through();
    }
    (slow, other)
}

fn looks(daemon: &Daemon) -> usize {
    daemon.log().matches("looked_at=").count()
}

fn until_looked_again(daemon: &Daemon, before: usize) {
    until("another look through what it holds", || {
        (looks(daemon) > before).then_some(())
    });
}

#[test]
fn what_was_lost_and_is_not_put_back_yet_ends_for_good() {
    let store = Store::start();
    let (slow, other) = with_a_slow_holder(&store);
    slow.client().commit("s", 0, "SET a 1");
    let before = [&slow, &other].map(looks);
    lose(&store, "s");
    reconnect(&store);
    until_looked_again(&other, before[1]);
    assert_eq!(other.client().say("SJ.END s").int(), 1);
    until_looked_again(&slow, before[0]);
    for daemon in [slow, other, Daemon::of(&store)] {
        assert_eq!(daemon.client().open("s", 0), Reply::Array(None));
    }
    store.assert_every_key_has_a_ttl();
}

#[test]
fn what_is_ended_while_a_replica_takes_over_that_lacks_it_ends_for_good() {
    let mut store = Store::start();
    let (slow, other) = with_a_slow_holder(&store);
    let lagging = store.copy();
    slow.client().commit("s", 0, "SET a 1");
    let before = looks(&slow);
    let mut ending = other.client();
    store.kill();
    other.until_store("down");
    ending.send(&[b"SJ.END", b"s"]);
    store.fail_over(lagging);
    assert_eq!(ending.read(), Some(Reply::Integer(1)));
    until_looked_again(&slow, before);
    for daemon in [slow, other, Daemon::of(&store)] {
        assert_eq!(daemon.client().open("s", 0), Reply::Array(None));
    }
}

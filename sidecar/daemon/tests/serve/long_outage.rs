//! Outages that are longer than the idle time: who was there all the time is there still, and nobody else.

use std::time::{Duration, Instant};

use crate::expiry::{EVERY, message, subscribe};
use crate::harness::{Client, Daemon, Reply, Store, surely, until};
use crate::servers::SlowLink;

/// Less than a claimed session has: the store is told of each access. As long as can be: a machine that is busy may take seconds between two of them.
const IDLE: u64 = 6;
const IN_USE: (&str, &str) = ("SOJOURN_STORE_IN_USE", "true");
const SHORT: (&str, &str) = ("SOJOURN_STORE_PATIENCE", "300ms");
const SETTLE: (&str, &str) = ("SOJOURN_STORE_SETTLE", "3s");

fn daemon(url: &str, more: &[(&str, &str)]) -> Daemon {
    let daemon = Daemon::with(url, &[&[SHORT, SETTLE, IN_USE], more].concat());
    daemon.until_looked_through();
    daemon
}

fn commit(client: &mut Client, base: i64, value: i64) -> Reply {
    client.say(&format!("SJ.COMMIT s {base} {IDLE} 1000 SET a {value}"))
}

fn create(client: &mut Client) {
    surely(|| commit(client, 0, 1));
}

fn wait_for_longer_than_idle(mut meanwhile: impl FnMut()) {
    let began = Instant::now();
    until("the idle time to be over", || {
        meanwhile();
        (began.elapsed() > Duration::from_secs(IDLE + 1)).then_some(())
    });
}

/// Clicks for longer than the idle time; nobody is told that the session is over.
fn click(client: &mut Client, version: i64) {
    wait_for_longer_than_idle(|| {
        assert_ne!(client.open("s", version), Reply::Array(None));
    });
}

fn answer(client: &mut Client, held: i64) -> Reply {
    surely(|| client.open("s", held))
}

#[test]
fn who_was_there_all_the_time_is_there_still_for_everybody() {
    let mut store = Store::start();
    let [one, other] = [(); 2].map(|()| daemon(&store.url(), &[EVERY]));
    let (mut client, mut elsewhere) = (one.client(), other.client());
    let _listener = subscribe(&other);
    create(&mut client);
    store.kill();
    click(&mut client, 1);
    store.run();
    // Whoever comes first, and before the daemon that knows it has said so.
    assert_eq!(answer(&mut elsewhere, 0).attributes(), ["a=1"]);
    assert_eq!(commit(&mut client, 1, 2).version(), 2);
    assert_eq!(answer(&mut elsewhere, 1).attributes(), ["a=2"]);
    assert_eq!(other.metric("sojourn_expired_total", ""), 0);
    store.assert_every_key_has_a_ttl();
}

#[test]
fn a_commit_of_who_was_there_all_the_time_is_not_late() {
    let mut store = Store::start();
    let one = daemon(&store.url(), &[]);
    let mut client = one.client();
    create(&mut client);
    store.kill();
    wait_for_longer_than_idle(|| {
        let text = commit(&mut client, 1, 2).text();
        assert!(text.starts_with("UNAVAILABLE"), "{text}");
    });
    store.run();
    let committed = until("an answer", || {
        let committed = commit(&mut client, 1, 2);
        (!committed.text_or_empty().starts_with("UNAVAILABLE")).then_some(committed)
    });
    assert_eq!(committed.version(), 2, "{committed:?}");
}

#[test]
fn whoever_was_away_for_too_long_is_not_there() {
    let mut store = Store::start();
    let one = daemon(&store.url(), &[]);
    let mut client = one.client();
    create(&mut client);
    store.kill();
    one.until_store("down");
    wait_for_longer_than_idle(|| {});
    // Too late, though the store is not told of the time between.
    client.open("s", 1);
    store.run();
    assert_eq!(answer(&mut client, 1), Reply::Array(None));
}

/// The daemon is cut off from the store, and nobody else is.
#[test]
fn what_was_ended_elsewhere_meanwhile_has_ended() {
    let store = Store::start();
    let link = SlowLink::to(&store);
    let [one, other] = [link.url(), store.url()].map(|url| daemon(&url, &[]));
    let (mut client, mut elsewhere) = (one.client(), other.client());
    create(&mut client);
    elsewhere.open("s", 0);
    link.delay(Duration::from_mins(1));
    click(&mut client, 1);
    elsewhere.say("SJ.END s");
    link.delay(Duration::ZERO);
    assert_eq!(answer(&mut client, 1), Reply::Array(None));
}

#[test]
fn what_listeners_were_told_of_meanwhile_is_over() {
    let store = Store::start();
    let link = SlowLink::to(&store);
    let one = daemon(&link.url(), &[]);
    let other = daemon(&store.url(), &[EVERY]);
    let mut client = one.client();
    create(&mut client);
    let mut listener = subscribe(&other);
    link.delay(Duration::from_mins(1));
    click(&mut client, 1);
    assert_eq!(message(&mut listener), "expired s");
    link.delay(Duration::ZERO);
    assert_eq!(answer(&mut client, 1), Reply::Array(None));
}

/// A store that is full takes no note of accesses.
#[test]
fn who_is_there_while_the_store_is_full_is_not_told_that_it_is_over() {
    let store = Store::start();
    let one = daemon(&store.url(), &[]);
    let mut client = one.client();
    create(&mut client);
    store.client().say("CONFIG SET maxmemory 1");
    click(&mut client, 1);
    store.client().say("CONFIG SET maxmemory 0");
    assert_eq!(answer(&mut client, 1).version(), 1);
}

#[test]
fn a_store_that_comes_back_empty_gets_what_was_in_use() {
    let mut store = Store::start();
    // It is used while it is waited for, too, but once.
    let soon = ("SOJOURN_STORE_SETTLE", "300ms");
    let one = daemon(&store.url(), &[soon]);
    let mut client = one.client();
    create(&mut client);
    store.kill();
    click(&mut client, 1);
    store.lose_everything();
    assert_eq!(answer(&mut client, 1).version(), 1);
}

#[test]
fn what_was_answered_before_the_store_had_it_is_there_when_it_is_back() {
    let mut store = Store::start();
    let [one, other] = [(); 2].map(|()| daemon(&store.url(), &[("SOJOURN_MODE", "Async")]));
    let (mut client, mut elsewhere) = (one.client(), other.client());
    create(&mut client);
    store.kill();
    one.until_store("down");
    let mut version = 1;
    wait_for_longer_than_idle(|| {
        version = commit(&mut client, version, version + 1).version();
    });
    store.run();
    let expected = format!("a={version}");
    assert_eq!(answer(&mut elsewhere, 0).attributes(), [expected]);
}

//! Requests that are no access: whoever only polls keeps no session alive.

use crate::claims::{MODES, daemons, until_claimed};
use crate::harness::{Client, Daemon, Reply, Store, until};

const PASSIVE: &str = "PASSIVE";

/// The last access of the only session there is, as the store knows it.
pub fn access(store: &Store) -> i64 {
    let key = store.sessions().remove(0);
    let told = store.client().say(&format!("HGET {key} a")).text();
    told.parse().unwrap()
}

fn until_stored(daemon: &Daemon) {
    until("the commit", || {
        (daemon.metric("sojourn_queue_bytes", "") == 0).then_some(())
    });
}

/// What a poll does that also counts itself; the version that came of it.
fn poll(client: &mut Client, version: i64) -> i64 {
    let opened = client.say(&format!("SJ.OPEN s {version} {PASSIVE}"));
    let version = opened.version();
    let words = format!("SJ.COMMIT s {version} 1800 1000 {PASSIVE} SET polls {version}");
    client.say(&words).version()
}

#[test]
fn a_poll_is_no_access_whether_the_store_is_asked_or_not_and_what_it_changes_is_kept() {
    for mode in MODES {
        let store = Store::start();
        let [daemon, other] = daemons(&store, &[mode]);
        let (mut client, mut elsewhere) = (daemon.client(), other.client());
        let mut version = client.commit("s", 0, "SET a 0").version();
        until_stored(&daemon);
        let before = access(&store);
        let asked = |command: &str| daemon.metric("sojourn_store_commands_total", command);
        // What is answered early goes to the store many at a time, and is never brief.
        let brief = || mode != MODES[0] || asked("brief") > 1;
        until("polls of each kind", || {
            version = poll(&mut client, version);
            (brief() && asked("\"commit\"") > 0).then_some(())
        });
        for _ in 0..4 {
            version = poll(&mut elsewhere, 0);
            version = poll(&mut client, version);
        }
        until_stored(&daemon);
        until_stored(&other);
        assert_eq!(access(&store), before, "{mode:?}");
        let opened = elsewhere.open("s", 0);
        assert_eq!(opened.items()[2].int(), before, "who comes next is told so");
        let polls = format!("polls={}", version - 1);
        assert!(opened.attributes().contains(&polls), "{opened:?}");
        assert!(access(&store) > before, "an access is one");
        store.assert_every_key_has_a_ttl();
    }
}

#[test]
fn who_only_polls_sees_the_session_end() {
    for mode in MODES {
        let store = Store::start();
        let daemon = Daemon::with(&store.url(), &[mode]);
        let mut client = daemon.client();
        client.say("SJ.COMMIT reads 0 2 1000 SET a 1");
        client.say("SJ.COMMIT writes 0 2 1000 SET a 1");
        let mut version = 1;
        until("both to end", || {
            let read = client.say(&format!("SJ.OPEN reads 1 {PASSIVE}"));
            let words = format!("SJ.COMMIT writes {version} 2 1000 {PASSIVE} SET a {version}");
            let written = client.say(&words);
            if let Reply::Array(Some(_)) = written {
                version = written.version();
            }
            let gone = written.text_or_empty().starts_with("GONE");
            (read == Reply::Array(None) && gone).then_some(())
        });
    }
}

#[test]
fn polls_do_not_hide_an_access_that_the_store_has_not_heard_of_yet() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[]);
    let mut client = daemon.client();
    client.say("SJ.COMMIT s 0 16 1000 SET a 1");
    until_claimed(&daemon, &mut client, "s", 1);
    let before = access(&store);
    until("the store to hear of it", || {
        client.open("s", 1);
        client.say(&format!("SJ.OPEN s 1 {PASSIVE}"));
        (access(&store) > before).then_some(())
    });
}

#[test]
fn a_poll_that_is_written_later_does_not_take_along_an_access_that_the_store_has_not_heard_of() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[MODES[1]]);
    let mut client = daemon.client();
    // The store is told after an eighth of it, and asked after half, which is longer than anybody waits here.
    client.say("SJ.COMMIT s 0 48 1000 SET a 1");
    until_claimed(&daemon, &mut client, "s", 1);
    until_stored(&daemon);
    let before = access(&store);
    client.open("s", 1);
    let words = format!("SJ.COMMIT s 1 48 1000 {PASSIVE} SET polls 1");
    assert_eq!(client.say(&words).version(), 2);
    until_stored(&daemon);
    until("the store to hear of it", || {
        (access(&store) > before).then_some(())
    });
}

#[test]
fn an_exclusive_poll_is_no_access_either() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 0");
    let before = access(&store);
    let opened = client.say(&format!("SJ.OPEN s 1 EXCLUSIVE {PASSIVE}"));
    let lock = opened.items().last().unwrap().int();
    let words = format!("SJ.COMMIT s 1 1800 1000 LOCK {lock} {PASSIVE} SET a 1");
    assert_eq!(client.say(&words).version(), 2);
    assert_eq!(client.say(&format!("SJ.UNLOCK s {lock}")).int(), 1);
    assert_eq!(access(&store), before);
}

/// The idle time goes on from the last access, and listeners are told when that is over.
#[test]
fn a_poll_that_changes_the_idle_time_does_not_put_off_when_listeners_are_told() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 0");
    let key = store.sessions().remove(0);
    let (shard, digest) = key.rsplit_once(':').unwrap();
    let before = access(&store) - 10_000;
    store.client().say(&format!("HSET {key} a {before}"));
    let words = format!("SJ.COMMIT s 1 60 1000 {PASSIVE} SET a 1");
    assert_eq!(client.say(&words).version(), 2);
    let due = store.client().say(&format!("ZSCORE {shard}:due {digest}"));
    assert_eq!(due.text(), (before + 60_000).to_string());
}

/// A commit that would create a session is one like any other where there is one.
#[test]
fn a_passive_commit_that_finds_a_session_there_is_no_access() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_MODE", "Async")]);
    until("claims to be trusted", || {
        (daemon.metric("sojourn_claims_trusted ", "") == 1).then_some(())
    });
    Daemon::of(&store).client().commit("s", 0, "SET a 1");
    let known = access(&store);
    let mut direct = store.client();
    until("some time to go by", || {
        let time = direct.say("TIME");
        let part = |n: usize| time.items()[n].text().parse::<i64>().unwrap();
        let now = part(0) * 1000 + part(1) / 1000;
        (now > known + 300).then_some(())
    });
    let mut client = daemon.client();
    let line = "SJ.COMMIT s 0 1800 1000 PASSIVE SET b 1";
    assert_eq!(client.say(line).version(), 2);
    assert_eq!(client.open("s", 2).items()[2].int(), known);
}

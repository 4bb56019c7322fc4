//! Who waits for a session that another request has for itself, and for how long.

use std::time::Duration;

use super::{commit, lock, open, unlock, until_called_back};
use crate::claims::until_trusted;
use crate::harness::{Daemon, Reply, Store, until};
use crate::servers::SlowLink;

#[test]
fn who_waits_elsewhere_gets_it_when_the_request_is_done() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    let (mut one, mut other) = (daemons[0].client(), daemons[1].client());
    one.commit("s", 0, "SET a 1");
    let first = lock(&open(&mut one, "s", 1));
    let waiting = std::thread::spawn(move || {
        let opened = open(&mut other, "s", 0);
        (opened.version(), lock(&opened))
    });
    until_called_back(&daemons[0]);
    assert!(!waiting.is_finished());
    assert_eq!(commit(&mut one, "s", 1, first, "SET a 2").version(), 2);
    assert_eq!(unlock(&mut one, "s", first), 1);
    assert_eq!(waiting.join().unwrap().0, 2);
}

/// A patience that is none here is waited for elsewhere: a lock that is never given back is refused once it is over.
fn wait_out(daemon: &Daemon) {
    let refused = open(&mut daemon.client(), "kept", 0).text();
    assert!(refused.starts_with("BUSY "), "{refused}");
}

#[test]
fn who_waits_for_a_request_here_and_then_for_another_pod_waits_no_longer_than_the_patience() {
    let store = Store::start();
    let with = |patience| Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", patience)]);
    let daemons = [with("6s"), with("60s")];
    let clock = with("1s");
    for daemon in daemons.iter().chain([&clock]) {
        until_trusted(daemon);
    }
    let waits = || daemons[0].metric("sojourn_lock_waits_total", "");
    let mut one = daemons[0].client();
    let [mut next, mut other, mut last] = [1, 0, 0].map(|at| daemons[at].client());
    for session in ["s", "late"] {
        one.commit(session, 0, "SET a 1");
    }
    next.commit("kept", 0, "SET a 1");
    lock(&open(&mut next, "kept", 1));
    lock(&open(&mut one, "late", 1));
    let first = lock(&open(&mut one, "s", 1));
    let taking = std::thread::spawn(move || {
        let lock = lock(&open(&mut next, "s", 0));
        (next, lock)
    });
    until_called_back(&daemons[0]);
    let waiting = std::thread::spawn(move || open(&mut other, "s", 0).text_or_empty());
    until("it to wait", || (waits() == 1).then_some(()));
    wait_out(&clock);
    let later = std::thread::spawn(move || open(&mut last, "late", 1).text());
    until("it to wait", || (waits() == 2).then_some(()));
    wait_out(&clock);
    assert_eq!(unlock(&mut one, "s", first), 1);
    let (mut next, taken) = taking.join().unwrap();
    // The patience of who began to wait before it is over as well.
    assert!(later.join().unwrap().starts_with("BUSY "));
    unlock(&mut next, "s", taken);
    let reply = waiting.join().unwrap();
    assert!(reply.starts_with("BUSY "), "{reply:?}");
}

#[test]
fn a_request_that_takes_longer_than_the_patience_loses_its_lock() {
    let store = Store::start();
    let patience = [("SOJOURN_STORE_PATIENCE", "2s")];
    let daemons = [
        Daemon::with(&store.url(), &patience),
        Daemon::with(&store.url(), &patience),
    ];
    let (mut one, mut other) = (daemons[0].client(), daemons[1].client());
    for daemon in &daemons {
        daemon.until_store("up");
    }
    one.commit("s", 0, "SET a 1");
    let slow = lock(&open(&mut one, "s", 1));
    let taken = until("the lock", || {
        let opened = open(&mut other, "s", 0);
        match &opened {
            Reply::Error(text) => {
                assert!(text.starts_with("BUSY "), "{text}");
                None
            }
            _ => Some(lock(&opened)),
        }
    });
    assert_eq!(commit(&mut other, "s", 1, taken, "SET a 2").version(), 2);
    let reply = commit(&mut one, "s", 1, slow, "SET a 3").text();
    assert!(reply.starts_with("BUSY "), "{reply}");
    assert_eq!(unlock(&mut one, "s", slow), 0);
    assert_eq!(unlock(&mut other, "s", taken), 1);
    assert_eq!(one.open("s", 0).attributes(), ["a=2"]);
}

/// Who asks once is not refused a moment before it would be his.
#[test]
fn who_waits_for_a_request_that_takes_too_long_is_not_refused() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    daemons.iter().for_each(until_trusted);
    let [mut slow, mut other] = daemons.each_ref().map(Daemon::client);
    slow.commit("ended", 0, "SET a 1");
    let key = store.sessions().remove(0);
    let id = key.rsplit(':').next().unwrap().to_owned();
    slow.commit("s", 0, "SET a 1");
    for session in ["s", "ended"] {
        lock(&open(&mut slow, session, 1));
    }
    let mut operator = daemons[1].client();
    let ending = std::thread::spawn(move || operator.say(&format!("SJ.EXPIRE {id}")));
    lock(&open(&mut other, "s", 0));
    assert_eq!(ending.join().unwrap().int(), 1);
}

/// The lock of this pod is his for less than a round trip: that says nothing of the store.
#[test]
fn who_has_too_little_time_left_to_ask_the_store_is_not_told_that_it_is_away() {
    let store = Store::start();
    let link = SlowLink::to(&store);
    let holder = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "60s")]);
    let daemon = Daemon::with(&link.url(), &[("SOJOURN_STORE_PATIENCE", "6s")]);
    [&holder, &daemon].into_iter().for_each(until_trusted);
    let mut client = holder.client();
    client.commit("s", 0, "SET a 1");
    lock(&open(&mut client, "s", 1));
    link.delay(Duration::from_millis(40));
    let [mut first, mut second] = [0, 1].map(|_| daemon.client());
    first.send(&[b"SJ.OPEN", b"s", b"1", b"EXCLUSIVE"]);
    // One round trip and a half later. The first one's last look takes one more than it has.
    until_called_back(&holder);
    second.send(&[b"SJ.OPEN", b"s", b"1", b"EXCLUSIVE"]);
    for client in [&mut first, &mut second] {
        let reply = client.read().unwrap().text();
        assert!(reply.starts_with("BUSY "), "{reply}");
    }
    let health = daemon.page("/storez");
    assert!(health.contains("\"up\""), "{health}");
}

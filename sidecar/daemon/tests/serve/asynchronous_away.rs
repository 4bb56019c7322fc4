//! `SOJOURN_MODE=Async` while there is no store that answers, or only no connection to it.

use std::time::{Duration, Instant};

use crate::asynchronous::{ASYNC, open_many, queue_is_empty};
use crate::harness::{Client, Daemon, Reply, Store, free_port, surely, until, within};
use crate::servers::{PERMITTED, SlowLink, permit};

/// A server that there is no connection to for longer is taken for one that nobody has a connection to.
const AWAY: Duration = Duration::from_secs(2);

/// A store that goes away when it has the session `s`.
fn store_away() -> (Store, Daemon, Client) {
    let mut store = Store::start();
    let daemon = Daemon::with(&store.url(), &[ASYNC, ("SOJOURN_STORE_PATIENCE", "200ms")]);
    let mut client = daemon.client();
    surely(|| client.commit("s", 0, "SET a 0"));
    queue_is_empty(&daemon);
    store.kill();
    daemon.until_store("down");
    (store, daemon, client)
}

#[test]
fn an_outage_is_not_noticed_by_those_who_commit() {
    let (mut store, daemon, mut client) = store_away();
    for n in 1..=20 {
        assert_eq!(
            client.commit("s", n, &format!("SET a {n}")).version(),
            n + 1
        );
    }
    let reply = client.commit("new", 0, "SET a 1").text();
    assert!(
        reply.starts_with("UNAVAILABLE"),
        "a session begins in the store: {reply}"
    );
    assert!(
        client.open("s", 21).text().starts_with("UNAVAILABLE"),
        "there is nobody to ask"
    );
    store.run();
    queue_is_empty(&daemon);
    assert_eq!(
        Daemon::of(&store).client().open("s", 0).attributes(),
        ["a=20"]
    );
}

/// Others may have their connection before this daemon has its own, and open the session.
#[test]
fn what_is_answered_while_a_connection_is_made_anew_is_seen_by_all() {
    let store = Store::start();
    permit(&store);
    let link = SlowLink::to(&store);
    let [username, password] = PERMITTED;
    let daemon = Daemon::with(&link.url(), &[ASYNC, username, password]);
    let other = Daemon::with(&store.url(), &[ASYNC]);
    let mut elsewhere = other.client();
    let mut sessions = (0..).map(|n| format!("s{n}"));
    until("a connection that is soon made anew", || {
        let (session, mut client) = (sessions.next()?, daemon.client());
        surely(|| client.commit(&session, 0, "SET a 1"));
        queue_is_empty(&daemon);
        // Now it is claimed by the other one alone.
        surely(|| elsewhere.commit(&session, 1, "SET a 2"));
        queue_is_empty(&other);
        link.delay(Duration::from_mins(1));
        let lost = Instant::now();
        store.client().say("CLIENT KILL USER sidecar");
        // A connection that is lost is noticed by who uses it.
        let mut noticing = daemon.client();
        noticing.send(&[b"SJ.OPEN", b"nobody", b"0"]);
        until("the connection to be lost", || {
            (daemon.metric("sojourn_store_up ", "") == 0).then_some(())
        });
        let committing = {
            let session = session.clone();
            std::thread::spawn(move || client.commit(&session, 1, "SET b 3").version())
        };
        let answered = || committing.is_finished().then_some(());
        if within(Duration::from_millis(200), answered).is_none() {
            link.delay(Duration::ZERO);
        }
        committing.join().unwrap();
        let took = lost.elapsed();
        let seen = elsewhere.open(&session, 2).attributes();
        link.delay(Duration::ZERO);
        daemon.until_store("up");
        let is_seen = seen.contains(&"b=3".to_owned());
        if took >= AWAY && !is_seen {
            return None;
        }
        assert!(is_seen, "{seen:?} after {took:?}");
        Some(())
    });
}

/// It has asked the store by the time that the others do not any more.
#[test]
fn the_commit_that_finds_the_store_away_is_answered_as_those_after_it() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[ASYNC, ("SOJOURN_STORE_PATIENCE", "10m")]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    let other = Daemon::with(&store.url(), &[ASYNC]);
    let mut elsewhere = other.client();
    // From now on the session is not claimed here, so a commit asks the store first.
    assert_eq!(elsewhere.commit("s", 1, "SET b 2").version(), 2);
    queue_is_empty(&other);
    store.signal("STOP");
    let committing = std::thread::spawn(move || client.commit("s", 1, "SET c 3").version());
    until("an answer without the store", || {
        committing.is_finished().then_some(())
    });
    assert_eq!(committing.join().unwrap(), 2, "provisional");
    store.signal("CONT");
    queue_is_empty(&daemon);
    let opened = Daemon::of(&store).client().open("s", 0);
    assert_eq!(opened.attributes(), ["a=1", "b=2", "c=3"]);
}

#[test]
fn a_full_queue_makes_commits_wait_like_sync() {
    let mut store = Store::start();
    let settings = [
        ASYNC,
        ("SOJOURN_QUEUE", "8KiB"),
        ("SOJOURN_STORE_PATIENCE", "300ms"),
    ];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    for n in 0..10 {
        surely(|| client.commit(&format!("s{n}"), 0, "SET a 0"));
    }
    store.kill();
    daemon.until_store("down");
    let replies: Vec<Reply> = (0..10)
        .map(|n| client.commit(&format!("s{n}"), 1, "SET a 1"))
        .collect();
    let refused = replies
        .iter()
        .filter(|reply| matches!(reply, Reply::Error(_)))
        .count();
    assert!((1..10).contains(&refused), "{replies:?}");
    assert!(daemon.metric("sojourn_queue_bytes", "") <= 8192);
    store.run();
    queue_is_empty(&daemon);
    assert_eq!(
        daemon.metric("sojourn_queue_full_total", ""),
        i64::try_from(refused).unwrap()
    );
    let other = Daemon::of(&store);
    for (n, reply) in replies.iter().enumerate() {
        let expected = match reply {
            Reply::Error(_) => "a=0",
            _ => "a=1",
        };
        let attributes = other.client().open(&format!("s{n}"), 0).attributes();
        assert_eq!(attributes, [expected]);
    }
}

#[test]
fn an_end_that_waits_in_vain_behind_what_is_on_its_way_is_done_when_the_store_is_back() {
    let (mut store, daemon, mut client) = store_away();
    assert_eq!(client.commit("s", 1, "SET a 1").version(), 2);
    let reply = client.say("SJ.END s").text();
    assert!(reply.starts_with("UNAVAILABLE"), "{reply}");
    store.run();
    let other = Daemon::of(&store);
    let mut elsewhere = other.client();
    until("the end", || {
        (elsewhere.open("s", 0) == Reply::Array(None)).then_some(())
    });
    queue_is_empty(&daemon);
    assert!(client.commit("s", 2, "SET a 2").text().starts_with("GONE"));
    store.assert_every_key_has_a_ttl();
}

#[test]
fn what_a_client_was_not_told_is_not_forgotten_over_sessions_that_cannot_be_asked_for() {
    let (mut store, daemon, mut client) = store_away();
    let mut other = daemon.client();
    assert_eq!(other.commit("s", 1, "SET b 1").version(), 2);
    let early = client.commit("s", 1, "SET c 1");
    assert_eq!((early.version(), early.attributes().len()), (3, 0));
    open_many(&mut other, |reply| {
        assert!(matches!(reply, Reply::Error(_)), "{reply:?}");
    });
    store.run();
    let opened = surely(|| client.open("s", 3));
    assert_eq!(opened.attributes(), ["\0-", "a=0", "b=1", "c=1"]);
}

/// What is on its way to a store that is away keeps those who wait for it no longer than the first of them.
#[test]
fn requests_behind_a_commit_that_waits_for_the_store_wait_together() {
    let mut store = Store::start();
    let settings = [("SOJOURN_MODE", "Async"), ("SOJOURN_STORE_PATIENCE", "2s")];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    store.kill();
    daemon.until_store("down");
    assert_eq!(client.commit("s", 1, "SET a 2").version(), 2);
    // One after the other they would not be through in time.
    let waiting: Vec<_> = (0..20)
        .map(|_| {
            let mut client = daemon.client();
            std::thread::spawn(move || client.open("s", 2).text())
        })
        .collect();
    for answered in waiting {
        let text = answered.join().unwrap();
        assert!(text.starts_with("UNAVAILABLE"), "{text}");
    }
    store.run();
}

/// One after the other, as they have the session, they would not be through in time.
#[test]
fn commits_that_find_no_room_wait_for_it_once_and_not_each_anew() {
    let mut store = Store::start();
    let settings = [
        ASYNC,
        ("SOJOURN_QUEUE", "4KiB"),
        ("SOJOURN_STORE_PATIENCE", "3s"),
    ];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    for session in ["s", "t"] {
        surely(|| client.commit(session, 0, "SET a 0"));
    }
    queue_is_empty(&daemon);
    store.kill();
    daemon.until_store("down");
    let value = "x".repeat(3000);
    let held = client.set("s", 1, "a", value.as_bytes());
    assert_eq!(held.version(), 2);
    for n in 0..20 {
        let tag = n.to_string();
        client.send(&[
            b"SJ.TAG",
            tag.as_bytes(),
            b"SJ.COMMIT",
            b"t",
            b"1",
            b"1800",
            b"1000",
            b"SET",
            b"b",
            value.as_bytes(),
        ]);
    }
    let refused = || daemon.metric("sojourn_queue_full_total", "");
    until("all of them to be refused", || {
        (refused() == 20).then_some(())
    });
    // Nobody waits in vain for what there is room for again.
    store.run();
    queue_is_empty(&daemon);
    let committed = surely(|| daemon.client().set("t", 1, "b", value.as_bytes()));
    assert_eq!(committed.version(), 2);
}

/// A primary that was made a replica, behind an address that stays: connections to it are made again and again, and none is of use.
#[test]
fn a_store_that_takes_no_writes_for_longer_than_requests_wait_is_away() {
    let store = Store::start();
    let settings = [("SOJOURN_MODE", "Async"), ("SOJOURN_STORE_PATIENCE", "1s")];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    let nobody = free_port();
    store.client().say(&format!("REPLICAOF 127.0.0.1 {nobody}"));
    // While it is found out a commit may be refused, at the end of the patience; none is from then on.
    until("an answer without the store", || {
        matches!(client.commit("s", 1, "SET a 2"), Reply::Array(_)).then_some(())
    });
    for version in 2..12 {
        let set = format!("SET a {}", version + 1);
        assert_eq!(client.commit("s", version, &set).version(), version + 1);
    }
    store.client().say("REPLICAOF NO ONE");
    let other = Daemon::of(&store);
    until("what was held in the store", || {
        let opened = surely(|| other.client().open("s", 0));
        (opened.attributes() == ["a=12"]).then_some(())
    });
}

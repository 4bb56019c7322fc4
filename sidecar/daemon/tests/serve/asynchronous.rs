//! `SOJOURN_MODE=Async`: answered once held.

use std::time::{Duration, Instant};

use crate::claims::{claimed, daemons};
use crate::harness::{Client, Daemon, Reply, Store, free_port, surely, until, wire, within};
use crate::lives::under_one_life;
use crate::servers::{PERMITTED, SlowLink, permit};

const ASYNC: (&str, &str) = ("SOJOURN_MODE", "Async");
/// A server that there is no connection to for longer is taken for one that nobody has a connection to.
const AWAY: Duration = Duration::from_secs(2);

fn queue_is_empty(daemon: &Daemon) {
    until("the queue to empty", || {
        (daemon.metric("sojourn_queue_bytes", "") == 0).then_some(())
    });
}

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
fn what_is_held_reaches_the_store_in_order() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[ASYNC]);
    let mut client = daemon.client();
    for n in 0..100 {
        assert_eq!(
            client
                .commit("s", n, &format!("SET a {n} SET b{n} 1"))
                .version(),
            n + 1
        );
    }
    let opened = client.open("s", 100);
    assert_eq!(
        (opened.version(), opened.attributes()),
        (100, vec![]),
        "the open waited"
    );
    queue_is_empty(&daemon);
    let other = Daemon::of(&store);
    let attributes = other.client().open("s", 0).attributes();
    assert_eq!(attributes.len(), 101);
    assert_eq!(attributes[0], "a=99");
    store.assert_every_key_has_a_ttl();
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

#[test]
fn a_version_that_came_out_differently_is_answered_whole() {
    let mut store = Store::start();
    let (daemon, other) = (Daemon::with(&store.url(), &[ASYNC]), Daemon::of(&store));
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    queue_is_empty(&daemon);
    other.client().commit("s", 1, "SET b 2");
    store.kill();
    daemon.until_store("down");
    assert_eq!(client.commit("s", 1, "SET c 3").version(), 2, "provisional");
    store.run();
    queue_is_empty(&daemon);
    let opened = client.open("s", 2);
    assert_eq!(
        (opened.version(), opened.attributes()),
        (
            3,
            vec!["\0-".into(), "a=1".into(), "b=2".into(), "c=3".into()]
        )
    );
    assert!(client.open("s", 3).attributes().is_empty());
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

#[test]
fn sixty_four_attributes_at_once_are_all_there() {
    let store = Store::start();
    let daemons = [
        Daemon::with(&store.url(), &[ASYNC]),
        Daemon::with(&store.url(), &[ASYNC]),
        Daemon::of(&store),
    ];
    daemons[2].client().commit("s", 0, "SET start 1");
    std::thread::scope(|scope| {
        for n in 0..64 {
            let mut client = daemons[n % 3].client();
            scope.spawn(move || client.commit("s", 1, &format!("SET a{n} {n}")).version());
        }
    });
    daemons.iter().take(2).for_each(queue_is_empty);
    for daemon in &daemons {
        assert_eq!(daemon.client().open("s", 0).attributes().len(), 65);
    }
}

#[test]
fn an_end_is_final_whatever_is_on_its_way() {
    let mut store = Store::start();
    let daemon = Daemon::with(&store.url(), &[ASYNC, ("SOJOURN_STORE_PATIENCE", "20s")]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    client.commit("t", 0, "SET a 1");
    store.kill();
    daemon.until_store("down");
    for n in 1..10 {
        client.commit("s", n, &format!("SET a{n} 1"));
        client.commit("t", n, &format!("SET a {n}"));
    }
    let ending =
        std::thread::spawn(move || (client.say("SJ.END s"), client.say("SJ.END t"), client));
    store.run();
    let (old, new, mut client) = ending.join().unwrap();
    assert_eq!((old.int(), new.int()), (1, 1));
    queue_is_empty(&daemon);
    for session in ["s", "t"] {
        assert_eq!(client.open(session, 1), Reply::Array(None));
        assert_eq!(
            Daemon::of(&store).client().open(session, 0),
            Reply::Array(None)
        );
    }
}

#[test]
fn a_full_queue_makes_commits_wait_like_sync() {
    let mut store = Store::start();
    let settings = [
        ASYNC,
        ("SOJOURN_QUEUE", "2KiB"),
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
    assert!(daemon.metric("sojourn_queue_bytes", "") <= 2048);
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
fn what_is_held_is_flushed_before_the_end() {
    let mut store = Store::start();
    let mut daemon = Daemon::with(&store.url(), &[ASYNC]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 0");
    queue_is_empty(&daemon);
    store.kill();
    daemon.until_store("down");
    for n in 1..=50 {
        client.commit("s", n, &format!("SET a {n}"));
    }
    daemon.process.signal("TERM");
    store.run();
    assert_eq!(daemon.process.exit_code(), Some(0));
    assert_eq!(
        Daemon::of(&store).client().open("s", 0).attributes(),
        ["a=50"]
    );
}

#[test]
fn renames_wait_for_what_is_held() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[ASYNC]);
    let mut client = daemon.client();
    client.commit("old", 0, "SET a 1");
    client.commit("old", 1, "SET b 2");
    assert_eq!(client.say("SJ.RENAME old new 2").int(), 3);
    assert_eq!(client.commit("old", 2, "SET late 1").version(), 4);
    queue_is_empty(&daemon);
    assert_eq!(client.open("new", 0).attributes(), ["a=1", "b=2", "late=1"]);
}

#[test]
fn a_commit_that_changes_nothing_or_is_refused_leaves_nothing_behind() {
    let store = Store::start();
    let settings = [("SOJOURN_MODE", "Async"), ("SOJOURN_MAX_SESSION", "1KiB")];
    let [a, b] = std::array::from_fn(|_| Daemon::with(&store.url(), &settings));
    let (mut at_a, mut at_b) = (a.client(), b.client());
    for (n, refused) in [false, true].into_iter().enumerate() {
        let session = format!("s{n}");
        until("the claim", || {
            at_a.commit(&session, 0, "SET a 0");
            let before = store.scripts_run();
            at_a.open(&session, 1);
            (store.scripts_run() == before).then_some(())
        });
        let value = if refused {
            "x".repeat(2000)
        } else {
            "0".into()
        };
        let reply = at_a.commit(&session, 1, &format!("SET a {value}"));
        assert_eq!(reply.text_or_empty().starts_with("TOOLARGE"), refused);
        assert_eq!(at_b.commit(&session, 1, "SET a 1").version(), 2);
        // The second takes the claim again; what was seen under the first must not come back with it.
        for _ in 0..10 {
            let opened = at_a.open(&session, 0);
            assert_eq!(opened.version(), 2);
            assert_eq!(opened.attributes(), ["a=1"]);
        }
    }
}

/// What the daemon before held is lost, and its number is given away again, to the very commit that was made on it.
#[test]
fn who_commits_on_a_version_that_was_lost_with_its_daemon_is_answered_whole() {
    let mut store = Store::start();
    let mut daemon = Daemon::with(&store.url(), &[ASYNC]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    store.kill();
    daemon.until_store("down");
    assert_eq!(client.commit("s", 1, "SET b lost").version(), 2);
    daemon.process.signal("KILL");
    daemon.process.exit_code();
    store.run();
    let again = Daemon::with(&store.url(), &[ASYNC]);
    again.until_store("up");
    let mut client = again.client();
    let committed = client.commit("s", 2, "SET c 1");
    assert_eq!(committed.version(), 2);
    assert_eq!(committed.attributes(), ["\0-", "a=1", "c=1"]);
    assert!(client.open("s", 2).attributes().is_empty());
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

/// Opens more sessions that the daemon does not hold than there may be in doubt.
fn open_many(client: &mut Client, answered: impl Fn(&Reply)) {
    for batch in 0..17 {
        let mut opens = Vec::new();
        for n in 0..1000 {
            let session = format!("other{batch}-{n}");
            let words: [&[u8]; 5] = [b"SJ.TAG", b"1", b"SJ.OPEN", session.as_bytes(), b"1"];
            opens.extend(wire(&words));
        }
        client.send_raw(&opens);
        for _ in 0..1000 {
            answered(&client.read().unwrap().items()[1]);
        }
    }
}

/// What a client was not told is remembered with all else that is in doubt, of which there is only so much.
#[test]
fn what_a_client_was_not_told_is_not_forgotten_over_sessions_that_are_gone() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[ASYNC]);
    let (mut client, mut other) = (daemon.client(), daemon.client());
    let mut session = String::new();
    under_one_life(&[&daemon], |s| {
        session = s.to_owned();
        claimed(&daemon, &mut client, s);
        other.commit(s, 1, "SET b 1");
        let early = client.commit(s, 1, "SET c 1");
        let untold = early.version() == 3 && early.attributes().is_empty();
        untold.then_some(()).ok_or(format!("{early:?}"))
    });
    open_many(&mut other, |reply| assert_eq!(*reply, Reply::Array(None)));
    let expected = ["\0-", "a=0", "b=1", "c=1"];
    assert_eq!(client.open(&session, 3).attributes(), expected);
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

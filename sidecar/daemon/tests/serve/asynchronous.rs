//! `SOJOURN_MODE=Async`: answered once held.

use crate::claims::{claimed, daemons};
use crate::harness::{Client, Daemon, Reply, Store, until, wire};
use crate::lives::under_one_life;

pub const ASYNC: (&str, &str) = ("SOJOURN_MODE", "Async");

pub fn queue_is_empty(daemon: &Daemon) {
    until("the queue to empty", || {
        (daemon.metric("sojourn_queue_bytes", "") == 0).then_some(())
    });
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

/// Opens more sessions that the daemon does not hold than there may be in doubt.
pub fn open_many(client: &mut Client, answered: impl Fn(&Reply)) {
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

//! A store that lost data gets back what daemons hold, and nothing that has ended.

mod in_part;

use crate::harness::{Client, Daemon, Reply, Store, surely, until};

const SOON: (&str, &str) = ("SOJOURN_STORE_SETTLE", "300ms");
/// For whoever has the newest must look through it before that is over, on a machine that is busy too.
const LATER: (&str, &str) = ("SOJOURN_STORE_SETTLE", "3s");

fn refilled(daemon: &Daemon, kind: &str) -> i64 {
    daemon.metric("sojourn_refilled_total", &format!("\"{kind}\""))
}

fn whole(client: &mut Client, session: &str) -> (i64, Vec<String>) {
    let opened = client.open(session, 0);
    assert_ne!(opened, Reply::Array(None), "{session}");
    (opened.version(), opened.attributes())
}

/// Fills a store through a daemon: `s0` to `s<n>`, at version 2 each.
fn fill(client: &mut Client, count: usize) {
    for n in 0..count {
        let session = format!("s{n}");
        client.commit(&session, 0, "SET a 1");
        client.commit(&session, 1, &format!("SET b {n}"));
    }
}

#[test]
fn a_store_that_is_flushed_gets_back_what_is_held_and_nothing_that_ended() {
    let store = Store::start();
    let (daemon, other) = (
        Daemon::with(&store.url(), &[SOON]),
        Daemon::with(&store.url(), &[SOON]),
    );
    let mut client = daemon.client();
    fill(&mut client, 40);
    client.commit("ended", 0, "SET a 1");
    // The other daemon holds it, and is told.
    other.client().open("ended", 0);
    client.say("SJ.END ended");
    client.commit("old", 0, "SET a 1");
    assert_eq!(client.say("SJ.RENAME old new 1").int(), 2);
    store.client().say("FLUSHALL");
    store.client().say("SCRIPT FLUSH");
    until("the sessions", || {
        (refilled(&daemon, "session") == 41).then_some(())
    });
    until("the tombstones", || {
        // Both have heard of both ends; each tombstone is put back by one of them.
        (refilled(&daemon, "tombstone") + refilled(&other, "tombstone") == 2).then_some(())
    });
    until("both", || {
        let told = |daemon: &Daemon| daemon.log().contains("put back what the store had lost");
        (told(&daemon) && told(&other)).then_some(())
    });
    assert_eq!(store.sessions().len(), 43, "{:?}", store.sessions());
    store.assert_every_key_has_a_ttl();
    let stranger = Daemon::of(&store);
    for n in 0..40 {
        let expected = (2, vec!["a=1".to_owned(), format!("b={n}")]);
        assert_eq!(whole(&mut stranger.client(), &format!("s{n}")), expected);
    }
    assert_eq!(whole(&mut stranger.client(), "new").0, 2);
    for gone in ["ended", "old"] {
        assert_eq!(other.client().open(gone, 1), Reply::Array(None), "{gone}");
        assert_eq!(
            stranger.client().open(gone, 0),
            Reply::Array(None),
            "{gone}"
        );
    }
    let late = other.client().commit("ended", 1, "SET a 2").text();
    assert!(late.starts_with("GONE"), "{late}");
    assert_eq!(
        client.commit("old", 1, "SET late 1").version(),
        3,
        "follows"
    );
    // What was put back can expire like any other: its name is known.
    let key = store.sessions().into_iter().find(|key| {
        let name = store.client().call(&[b"HGET", key.as_bytes(), b"n"]);
        let snapshot = store.client().call(&[b"HEXISTS", key.as_bytes(), b"s"]);
        snapshot.int() == 1 && name == Reply::Bulk(None)
    });
    assert_eq!(key, None, "a session without a name");
    assert!(
        daemon.log().contains("sessions=41 tombstones="),
        "{}",
        daemon.log()
    );
}

/// Clients give up a daemon that does not answer, with all that they have asked it for.
#[test]
fn who_would_wait_too_long_for_what_is_being_put_back_is_told_so() {
    let mut store = Store::start();
    let patience = ("SOJOURN_STORE_PATIENCE", "1s");
    let settle = ("SOJOURN_STORE_SETTLE", "2m");
    let daemon = Daemon::with(&store.url(), &[patience, settle]);
    // Who is asked for what is not there looks which store it is. Else it would not be known to have lost anything.
    surely(|| daemon.client().open("unknown", 0));
    surely(|| daemon.client().commit("s", 0, "SET a 1"));
    store.kill();
    daemon.until_store("down");
    store.lose_everything();
    daemon.until_store("up");
    let requests = [
        ("SJ.OPEN s 0", "BUSY "),
        ("SJ.OPEN s 1", "UNAVAILABLE "),
        ("SJ.OPEN s 0 EXCLUSIVE", "BUSY "),
        ("SJ.OPEN unknown 0", "BUSY "),
        ("SJ.COMMIT s 1 1800 1000 SET a 2", "UNAVAILABLE "),
        ("SJ.RENAME s t 1", "UNAVAILABLE "),
    ];
    std::thread::scope(|scope| {
        for (request, prefix) in requests {
            let mut client = daemon.client();
            scope.spawn(move || {
                let reply = client.say(request);
                let is_told = matches!(&reply, Reply::Error(text) if text.starts_with(prefix));
                assert!(is_told, "{request}: {reply:?}");
            });
        }
    });
}

#[test]
fn who_asks_at_once_waits_until_it_is_clear_that_nobody_ended_the_session() {
    let store = Store::start();
    let daemons = [
        Daemon::with(&store.url(), &[LATER]),
        Daemon::with(&store.url(), &[LATER]),
    ];
    let [mut one, mut other] = [daemons[0].client(), daemons[1].client()];
    for session in ["lives", "writes", "ended"] {
        one.commit(session, 0, "SET a 1");
        other.open(session, 0);
    }
    one.say("SJ.END ended");
    store.client().say("FLUSHALL");
    // The other has not heard of the end, and is asked at once.
    assert_eq!(other.open("ended", 1), Reply::Array(None));
    let late = other.commit("ended", 1, "SET a 2").text();
    assert!(late.starts_with("GONE"), "{late}");
    let opened = other.open("lives", 1);
    assert_eq!((opened.version(), opened.attributes()), (1, vec![]));
    assert_eq!(other.commit("writes", 1, "SET a 2").version(), 2);
    assert_eq!(whole(&mut one, "writes"), (2, vec!["a=2".into()]));
    store.assert_every_key_has_a_ttl();
}

#[test]
fn who_holds_an_older_copy_waits_for_who_holds_the_newest() {
    let store = Store::start();
    let daemons = [
        Daemon::with(&store.url(), &[LATER]),
        Daemon::with(&store.url(), &[LATER]),
        Daemon::with(&store.url(), &[LATER]),
    ];
    let [mut newest, mut older, mut none] = daemons.each_ref().map(Daemon::client);
    for session in ["read", "written", "unknown"] {
        newest.commit(session, 0, "SET a 1");
        older.open(session, 0);
        assert_eq!(newest.commit(session, 1, "SET a 2").version(), 2);
    }
    store.client().say("FLUSHALL");
    assert_eq!(whole(&mut older, "read"), (2, vec!["a=2".into()]));
    assert_eq!(older.commit("written", 1, "SET b 1").version(), 3);
    assert_eq!(
        whole(&mut newest, "written"),
        (3, vec!["a=2".into(), "b=1".into()])
    );
    assert_eq!(whole(&mut none, "unknown"), (2, vec!["a=2".into()]));
}

#[test]
fn who_commits_to_what_he_does_not_hold_waits_for_who_holds_it() {
    let store = Store::start();
    let daemons = [
        Daemon::with(&store.url(), &[LATER]),
        Daemon::with(&store.url(), &[LATER]),
    ];
    let [mut holder, mut other] = daemons.each_ref().map(Daemon::client);
    holder.commit("s", 0, "SET a 1");
    for daemon in &daemons {
        daemon.until_looked_through();
    }
    store.client().say("FLUSHALL");
    // The first that anybody asks the store since.
    assert_eq!(other.commit("s", 1, "SET b 1").version(), 2);
    assert_eq!(
        whole(&mut holder, "s"),
        (2, vec!["a=1".into(), "b=1".into()])
    );
}

#[test]
fn who_asks_a_store_that_is_empty_and_refuses_writes_waits_until_it_takes_them() {
    let store = Store::start();
    let daemons = [
        Daemon::with(&store.url(), &[LATER]),
        Daemon::with(&store.url(), &[LATER]),
    ];
    let [mut newest, mut older] = daemons.each_ref().map(Daemon::client);
    newest.commit("s", 0, "SET a 1");
    older.open("s", 0);
    assert_eq!(newest.commit("s", 1, "SET a 2").version(), 2);
    store.client().say("FLUSHALL");
    let need = |replicas| {
        let set = format!("CONFIG SET min-replicas-to-write {replicas}");
        assert_eq!(store.client().say(&set).text(), "OK");
    };
    need(1);
    older.send(&[b"SJ.OPEN", b"s", b"0"]);
    until("refusals", || {
        let refused = store.client().say("INFO errorstats").text();
        let count = refused.split("errorstat_NOREPLICAS:count=").nth(1)?;
        let count: u32 = count.split_whitespace().next()?.parse().ok()?;
        // Each daemon's look, and the request's.
        (count >= 4).then_some(())
    });
    need(0);
    let opened = older.read().unwrap();
    assert_eq!(opened.attributes(), ["a=2"]);
}

#[test]
fn a_session_ended_after_the_loss_stays_so() {
    let store = Store::start();
    let daemons = [
        Daemon::with(&store.url(), &[LATER]),
        Daemon::with(&store.url(), &[LATER]),
    ];
    let [mut one, mut other] = [daemons[0].client(), daemons[1].client()];
    one.commit("s", 0, "SET a 1");
    other.open("s", 0);
    store.client().say("FLUSHALL");
    // There is nothing to end in the store, but there will be.
    one.say("SJ.END s");
    until("the other's look", || {
        other.open("s", 1);
        daemons[1].log().contains("put back what").then_some(())
    });
    assert_eq!(other.open("s", 1), Reply::Array(None));
    assert_eq!(refilled(&daemons[1], "session"), 0);
}

#[test]
fn a_store_that_comes_back_empty_is_filled_again() {
    let mut store = Store::start();
    let daemon = Daemon::with(&store.url(), &[SOON, ("SOJOURN_STORE_PATIENCE", "20s")]);
    let mut client = daemon.client();
    fill(&mut client, 20);
    store.lose_everything();
    assert_eq!(client.commit("s3", 2, "SET c 1").version(), 3);
    until("all of them", || {
        (store.sessions().len() == 20).then_some(())
    });
    until("the last", || {
        (refilled(&daemon, "session") == 20).then_some(())
    });
    assert!(daemon.log().contains("store has lost everything"));
    drop(daemon);
    let fresh = Daemon::of(&store);
    assert_eq!(whole(&mut fresh.client(), "s3").1, ["a=1", "b=3", "c=1"]);
    assert_eq!(
        whole(&mut fresh.client(), "s7"),
        (2, vec!["a=1".into(), "b=7".into()])
    );
    store.assert_every_key_has_a_ttl();
}

#[test]
fn what_a_daemon_held_for_longer_than_a_tombstone_lasts_or_not_at_all_is_gone() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[SOON]);
    let mut client = daemon.client();
    client.say("SJ.COMMIT short 0 1 1000 SET a 1");
    client.commit("s", 0, "SET a 1");
    until("the idle time", || {
        let left = |key: &String| store.client().call(&[b"PTTL", key.as_bytes()]).int();
        store
            .sessions()
            .iter()
            .any(|key| left(key) < 300_000)
            .then_some(())
    });
    store.client().say("FLUSHALL");
    until("the refill", || {
        (refilled(&daemon, "session") == 1).then_some(())
    });
    assert_eq!(client.open("short", 1), Reply::Array(None));
    // A daemon that does not hold it cannot tell a lost one from one that ended long ago.
    let fresh = Daemon::with(&store.url(), &[SOON]);
    drop(daemon);
    store.client().say("FLUSHALL");
    let late = fresh.client().commit("s", 1, "SET a 2").text();
    assert!(late.starts_with("GONE"), "{late}");
}

#[test]
fn a_copy_of_what_was_lost_is_not_taken_for_what_is_there_now() {
    let store = Store::start();
    let mut daemon = Daemon::with(&store.url(), &[SOON]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET mine 1");
    assert_eq!(client.commit("s", 1, "SET mine 2").version(), 2);
    daemon.process.signal("KILL");
    daemon.process.exit_code();
    store.client().say("FLUSHALL");
    let other = Daemon::with(&store.url(), &[SOON]);
    let mut elsewhere = other.client();
    elsewhere.commit("s", 0, "SET theirs 1");
    assert_eq!(elsewhere.commit("s", 1, "SET theirs 2").version(), 2);
    // The agent has outlived its daemon, and its copy has the same number.
    let again = Daemon::with(&store.url(), &[SOON]);
    let opened = again.client().open("s", 2);
    assert_eq!(opened.version(), 2);
    assert_eq!(
        opened.attributes(),
        ["\0-", "theirs=2"],
        "whole, in place of the copy"
    );
}

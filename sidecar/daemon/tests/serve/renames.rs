//! Sessions that are given another name.

use crate::claims::{claimed, daemons, deaf, until_claimed};
use crate::harness::{Daemon, Reply, Store, until};
use crate::lives::under_one_life;

#[test]
fn a_renamed_session_takes_late_commits_along() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    one.commit("old", 0, "SET a 1 SET b 1");
    other.open("old", 0);
    let version = one.say("SJ.RENAME old new 1").int();
    assert_eq!(version, 2);
    assert_eq!(one.open("old", 1), Reply::Array(None));
    assert_eq!(other.open("old", 1), Reply::Array(None));
    // A request in flight, on a daemon that knows nothing of it, and one that does.
    assert_eq!(other.commit("old", 1, "SET late 1").version(), 3);
    assert_eq!(one.commit("old", 1, "SET later 1 DEL b").version(), 4);
    assert_eq!(
        one.open("new", version).attributes(),
        ["b-", "late=1", "later=1"]
    );
    assert_eq!(one.say("SJ.RENAME old new 1").int(), 4, "asked again");
    store.assert_every_key_has_a_ttl();
}

#[test]
fn a_late_commit_is_measured_by_the_session_under_its_new_name() {
    let store = Store::start();
    for mode in ["Sync", "Async"] {
        let settings = [("SOJOURN_MODE", mode), ("SOJOURN_MAX_SESSION", "1000")];
        let daemon = Daemon::with(&store.url(), &settings);
        let mut client = daemon.client();
        let (old, new) = (format!("old{mode}"), format!("new{mode}"));
        client.set(&old, 0, "a", &[7; 900]);
        assert_eq!(client.say(&format!("SJ.RENAME {old} {new} 1")).int(), 2);
        assert_eq!(
            client.set(&old, 1, "b", &[7; 200]).text(),
            "TOOLARGE the session would have 1102 bytes, the limit is 1000"
        );
        assert_eq!(client.open(&new, 2).version(), 2);
        assert_eq!(client.set(&old, 1, "a", &[7; 100]).version(), 3);
    }
}

/// By which who has it by the old name learns that it is not over. What was set since by its new name, he does not know.
#[test]
fn a_commit_of_nothing_by_the_old_name_changes_nothing() {
    let store = Store::start();
    // Of two daemons one holds the renamed session; without channels neither hears what others do.
    let [one, other] = deaf(&store);
    let (mut one, mut other) = (one.client(), other.client());
    let ask = "SJ.COMMIT old 1 1800 1000 PASSIVE";
    one.say("SJ.COMMIT old 0 1800 1000 SET a 1");
    assert_eq!(one.say("SJ.RENAME old new 1").int(), 2);
    one.say("SJ.COMMIT new 2 28800 1000 SET user ann");
    for client in [&mut other, &mut one] {
        assert_eq!(client.say(ask).version(), 3);
        assert_eq!(client.open("new", 0).items()[3].int(), 28800);
    }
    assert_eq!(one.say("SJ.END new").int(), 1);
    for client in [&mut other, &mut one] {
        let answer = client.say(ask);
        assert!(answer.text().starts_with("GONE"), "{answer:?}");
    }
}

/// Who has kept the old cookie may begin a session with it, where its container lets him.
#[test]
fn what_creates_a_session_under_the_name_that_one_has_left_is_none_of_it() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    one.commit("old", 0, "SET user ann");
    assert_eq!(one.say("SJ.RENAME old new 1").int(), 2);
    for daemon in [&mut one, &mut other] {
        let answer = daemon.say("SJ.COMMIT old 0 1800 2000 SET user eve");
        assert!(answer.text().starts_with("GONE"));
    }
    assert_eq!(other.open("new", 0).attributes(), ["user=ann"]);
    // As it was created: the answer to that was lost.
    assert_eq!(other.commit("old", 0, "SET late 1").version(), 3);
    assert_eq!(one.open("new", 2).attributes(), ["late=1"]);
}

/// One that is over leaves no tombstone where nobody is told of it, and nobody would find what is begun in its place.
#[test]
fn nor_is_it_where_that_one_is_over_under_its_new_name() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    one.say("SJ.COMMIT old 0 1 1000 SET user ann");
    assert_eq!(one.say("SJ.RENAME old new 1").int(), 2);
    until("its end", || {
        (other.say("SJ.OPEN new 0 PASSIVE") == Reply::Array(None)).then_some(())
    });
    for daemon in [&mut other, &mut one] {
        let answer = daemon.say("SJ.COMMIT old 0 1800 2000 SET user eve");
        assert!(answer.text().starts_with("GONE"), "{answer:?}");
    }
    assert_eq!(other.open("new", 0), Reply::Array(None));
}

/// A request that began before it knows no other name.
#[test]
fn a_session_is_ended_by_the_name_that_it_had_by_who_asks_for_that() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    one.commit("s", 0, "SET a 1");
    other.open("s", 0);
    assert_eq!(one.say("SJ.RENAME s t 1").int(), 2);
    assert_eq!(one.say("SJ.RENAME t u 2").int(), 3);
    assert_eq!(other.say("SJ.END s").int(), 0, "only what is called so");
    assert_eq!(other.open("u", 0).attributes(), ["a=1"]);
    assert_eq!(other.say("SJ.END s FOLLOW").int(), 1);
    for daemon in [&mut one, &mut other] {
        for name in ["s", "t", "u"] {
            assert_eq!(daemon.open(name, 0), Reply::Array(None));
        }
    }
    assert_eq!(one.say("SJ.END s FOLLOW").int(), 0, "it is over");
}

#[test]
fn a_rename_behind_others_tells_the_client_all_at_its_next_open() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    one.commit("old", 0, "SET a 1");
    other.commit("old", 1, "SET b 1");
    let version = one.say("SJ.RENAME old new 1").int();
    assert_eq!(one.open("new", version).attributes(), ["\0-", "a=1", "b=1"]);
    assert!(
        one.open("new", version).attributes().is_empty(),
        "once is enough"
    );
}

#[test]
fn what_a_client_was_not_told_with_its_commit_it_is_told_under_the_new_name() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[("SOJOURN_MODE", "Async")]);
    let (mut one, mut other) = (daemon.client(), daemon.client());
    under_one_life(&[&daemon], |old| {
        let new = format!("{old}-new");
        claimed(&daemon, &mut one, old);
        assert_eq!(other.commit(old, 1, "SET b 1").version(), 2);
        let early = one.commit(old, 1, "SET c 1");
        if early.version() != 3 || !early.attributes().is_empty() {
            return Err(format!("not answered early: {early:?}"));
        }
        let version = one.say(&format!("SJ.RENAME {old} {new} 3")).int();
        assert_eq!(version, 4);
        assert_eq!(
            one.open(&new, version).attributes(),
            ["\0-", "a=0", "b=1", "c=1"]
        );
        Ok(())
    });
}

#[test]
fn who_keeps_a_claim_through_a_late_commit_is_told_of_those_after_it() {
    let store = Store::start();
    let [one, other] = daemons(&store, &[]);
    let (mut client, mut elsewhere) = (one.client(), other.client());
    claimed(&one, &mut client, "old");
    assert_eq!(client.say("SJ.RENAME old new 1").int(), 2);
    until_claimed(&other, &mut elsewhere, "new", 2);
    let mut version = 2;
    for n in 0..4 {
        version = client
            .commit("old", version, &format!("SET late {n}"))
            .version();
        version = client
            .commit("new", version, &format!("SET a {n}"))
            .version();
        let opened = elsewhere.open("new", 0);
        assert_eq!(opened.version(), version);
        assert_eq!(opened.attributes(), [format!("a={n}"), format!("late={n}")]);
    }
}

#[test]
fn who_keeps_a_claim_on_a_name_that_another_session_takes_is_told_of_what_comes_after() {
    let store = Store::start();
    let [one, other] = daemons(&store, &[]);
    let (mut client, mut elsewhere) = (one.client(), other.client());
    claimed(&other, &mut elsewhere, "new");
    claimed(&one, &mut client, "old");
    assert_eq!(client.commit("old", 1, "SET b 1").version(), 2);
    until_claimed(&one, &mut client, "old", 2);
    assert_eq!(client.say("SJ.RENAME old new 2").int(), 2);
    assert_eq!(client.commit("new", 2, "SET a 1").version(), 3);
    assert_eq!(elsewhere.open("new", 0).attributes(), ["a=1", "b=1"]);
}

#[test]
fn renames_and_commits_at_once_lose_nothing() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    for round in 0..20 {
        let (old, new) = (format!("old{round}"), format!("new{round}"));
        one.client().commit(&old, 0, "SET start 1");
        let (old, new) = (&old, &new);
        std::thread::scope(|scope| {
            for n in 0..4 {
                let mut client = other.client();
                scope.spawn(move || {
                    let reply = client.commit(old, 1, &format!("SET a{n} 1"));
                    assert!(reply.version() > 1);
                });
            }
            let mut client = one.client();
            scope.spawn(move || assert!(client.say(&format!("SJ.RENAME {old} {new} 1")).int() > 1));
        });
        assert_eq!(
            one.client().open(new, 0).attributes(),
            ["a0=1", "a1=1", "a2=1", "a3=1", "start=1"]
        );
    }
}

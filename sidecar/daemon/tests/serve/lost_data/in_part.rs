//! A store that has a session, but not its last commits: a replica that lagged took over, or somebody went on with an older one.

use super::{LATER, SOON, fill, refilled, whole};
use crate::harness::{Daemon, Reply, Store, random, surely, until};

#[test]
fn a_replica_that_lagged_is_brought_up_to_date() {
    let mut store = Store::start();
    let settings = [SOON, ("SOJOURN_STORE_PATIENCE", "20s")];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    fill(&mut client, 10);
    client.commit("ends", 0, "SET a 1");
    let copy = store.copy();
    client.commit("s1", 2, "SET a late");
    client.commit("s2", 2, "DEL a SET c late");
    client.commit("s2", 3, "SET c later");
    client.commit("created", 0, "SET a 1");
    client.say("SJ.END ends");
    store.fail_over(copy);
    daemon.until_store("up");
    until("what was lost", || {
        (refilled(&daemon, "rewound") == 2).then_some(())
    });
    until("the new one", || {
        (refilled(&daemon, "session") == 1).then_some(())
    });
    until("the end", || {
        (refilled(&daemon, "tombstone") == 1).then_some(())
    });
    assert!(!daemon.log().contains("store has lost everything"));
    // Versions are as they were: nobody has to be told anything.
    assert!(client.open("s1", 3).attributes().is_empty());
    let stranger = Daemon::of(&store);
    let mut reader = stranger.client();
    assert_eq!(
        whole(&mut reader, "s1"),
        (3, vec!["a=late".into(), "b=1".into()])
    );
    assert_eq!(
        whole(&mut reader, "s2"),
        (4, vec!["b=2".into(), "c=later".into()])
    );
    assert_eq!(whole(&mut reader, "created"), (1, vec!["a=1".into()]));
    assert_eq!(reader.open("ends", 0), Reply::Array(None));
    assert_eq!(client.commit("s2", 4, "SET d 1").version(), 5);
    store.assert_every_key_has_a_ttl();
}

#[test]
fn a_session_that_others_went_on_with_gets_what_it_lacks_and_keeps_what_is_later() {
    let store = Store::start();
    let (daemon, other) = (
        Daemon::with(&store.url(), &[SOON]),
        Daemon::with(&store.url(), &[SOON]),
    );
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1 SET b 1");
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    let Reply::Bulk(Some(early)) = direct.call(&[b"DUMP", key.as_bytes()]) else {
        panic!("no dump")
    };
    client.commit("s", 1, "SET a 2 SET c 2");
    client.commit("s", 2, "DEL b");
    direct.call(&[b"RESTORE", key.as_bytes(), b"60000", &early, b"REPLACE"]);
    // The same number once more, by somebody else who knows nothing of ours.
    assert_eq!(
        other
            .client()
            .commit("s", 1, "SET a theirs SET d 1")
            .version(),
        2
    );
    let opened = client.open("s", 3);
    assert_eq!(opened.version(), 3);
    assert_eq!(opened.attributes(), ["\0-", "a=theirs", "c=2", "d=1"]);
    assert_eq!(refilled(&daemon, "forked"), 1);
    assert_eq!(
        whole(&mut other.client(), "s").1,
        ["a=theirs", "c=2", "d=1"]
    );
    assert!(client.open("s", 3).attributes().is_empty());

    // And where the first to notice is a commit.
    let Reply::Bulk(Some(early)) = direct.call(&[b"DUMP", key.as_bytes()]) else {
        panic!("no dump")
    };
    client.commit("s", 3, "SET e 1");
    direct.call(&[b"RESTORE", key.as_bytes(), b"60000", &early, b"REPLACE"]);
    let committed = client.commit("s", 4, "SET f 1");
    assert_eq!(committed.version(), 5, "{committed:?}");
    let expected = ["a=theirs", "c=2", "d=1", "e=1", "f=1"];
    assert_eq!(whole(&mut client, "s").1, expected);
    assert_eq!(whole(&mut other.client(), "s").1, expected);
}

/// Else it would commit what it has on top of the older version, and who has the newest would take that for what others did since.
#[test]
fn who_has_read_only_a_snapshot_knows_what_it_came_from() {
    let store = Store::start();
    let (daemon, other) = (
        Daemon::with(&store.url(), &[SOON]),
        Daemon::with(&store.url(), &[SOON]),
    );
    let (mut client, mut elsewhere) = (daemon.client(), other.client());
    // Large and new each time: such a commit is a snapshot, and no record stays.
    for base in 0..3 {
        client.set("s", base, "a", &random(3000));
    }
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    let Reply::Bulk(Some(early)) = direct.call(&[b"DUMP", key.as_bytes()]) else {
        panic!("no dump")
    };
    client.set("s", 3, "a", &random(3000));
    assert_eq!(elsewhere.open("s", 0).version(), 4);
    let newest = random(3000);
    assert_eq!(client.set("s", 4, "a", &newest).version(), 5);
    direct.call(&[b"RESTORE", key.as_bytes(), b"60000", &early, b"REPLACE"]);
    // The one that is behind is the first to notice.
    assert_eq!(elsewhere.open("s", 4).version(), 4);
    assert_eq!(refilled(&other, "rewound"), 1);
    assert_eq!(client.open("s", 5).version(), 5);
    assert_eq!(refilled(&daemon, "rewound"), 1);
    let opened = elsewhere.open("s", 0);
    assert_eq!((opened.version(), opened.attributes().len()), (5, 1));
    assert!(format!("{opened:?}").contains(&format!("{:?}", Reply::Bulk(Some(newest)))));
}

/// What it was meant for may be gone by the time that all is put back: a delta of it would fit nothing.
#[test]
fn a_commit_that_waited_for_the_others_is_made_of_what_is_there_then() {
    let store = Store::start();
    let (daemon, other) = (
        Daemon::with(&store.url(), &[LATER]),
        Daemon::with(&store.url(), &[LATER]),
    );
    let (mut client, mut elsewhere) = (daemon.client(), other.client());
    let mut ours = random(2000);
    client.set("s", 0, "a", &ours);
    assert_eq!(client.set("s", 1, "b", b"1").version(), 2);
    store.client().say("FLUSHALL");
    // Somebody who knows nothing of it begins another one of that name.
    let words: [&[u8]; 8] = [
        b"SJ.COMMIT",
        b"s",
        b"0",
        b"1800",
        b"2000",
        b"SET",
        b"a",
        &random(2000),
    ];
    assert_eq!(elsewhere.call(&words).version(), 1);
    until("the loss to be seen", || {
        let seen = "store has lost everything";
        daemon.log().contains(seen).then_some(())
    });
    ours[1000] ^= 1;
    assert_eq!(client.set("s", 2, "a", &ours).version(), 2);
    let stranger = Daemon::of(&store);
    let opened = stranger.client().open("s", 0);
    assert_eq!(opened.version(), 2);
    assert_eq!(opened.items()[4].items()[1], Reply::Bulk(Some(ours)));
}

#[test]
fn what_was_answered_early_outlasts_a_store_that_goes_away_again_before_all_is_put_back() {
    let mut store = Store::start();
    let settings = [
        ("SOJOURN_MODE", "Async"),
        ("SOJOURN_STORE_SETTLE", "4s"),
        ("SOJOURN_STORE_PATIENCE", "200ms"),
        ("SOJOURN_LOG", "debug"),
    ];
    let daemon = Daemon::with(&store.url(), &settings);
    daemon.until_store("up");
    let mut client = daemon.client();
    for session in ["s", "other"] {
        let committed = surely(|| client.commit(session, 0, "SET a 0"));
        assert_eq!(committed.version(), 1);
    }
    let until_said = |what: &str| {
        until(what, || daemon.log().contains(what).then_some(()));
    };
    daemon.until_looked_through();
    store.client().say("FLUSHALL");
    until_said("store has lost everything");
    store.kill();
    daemon.until_store("down");
    assert_eq!(client.commit("s", 1, "SET a 1").version(), 2);
    // The other session is tried in the same instant.
    until_said("refilling goes on when the store is back");
    store.run();
    let stranger = Daemon::of(&store);
    let mut reader = stranger.client();
    until("what was answered", || {
        let opened = reader.open("s", 0);
        let is_there = matches!(&opened, Reply::Array(Some(_)));
        (is_there && opened.attributes() == ["a=1"]).then_some(())
    });
}

/// Its tombstone would keep away for good what another daemon has more of it.
#[test]
fn a_rename_waits_for_what_others_put_back() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_STORE_SETTLE", "4s")]);
    let later = Daemon::with(&store.url(), &[("SOJOURN_STORE_SETTLE", "5s")]);
    let (mut client, mut elsewhere) = (daemon.client(), later.client());
    client.commit("old", 0, "SET a 1");
    assert_eq!(elsewhere.commit("old", 1, "SET b 1").version(), 2);
    assert_eq!(elsewhere.open("old", 0).version(), 2);
    let mut direct = store.client();
    direct.say("FLUSHALL");
    // Both look at once.
    direct.say("CLIENT KILL TYPE normal SKIPME yes");
    until("one of both versions", || {
        (refilled(&daemon, "session") + refilled(&later, "session") > 0).then_some(())
    });
    assert_eq!(client.say("SJ.RENAME old new 1").int(), 3);
    assert_eq!(whole(&mut client, "new").1, ["a=1", "b=1"]);
    assert_eq!(elsewhere.open("old", 2), Reply::Array(None));
}

#[test]
fn who_commits_on_a_version_that_is_another_by_now_gets_all_of_it_though_others_come_first() {
    let store = Store::start();
    let (daemon, other) = (Daemon::of(&store), Daemon::of(&store));
    // What this daemon's client holds as version 2 was lost, and a daemon before this one with it.
    let mut elsewhere = other.client();
    elsewhere.commit("s", 0, "SET a 1");
    elsewhere.commit("s", 1, "SET b theirs");
    let mut client = daemon.client();
    assert_eq!(client.commit("s", 2, "SET c 1").version(), 3);
    assert_eq!(whole(&mut daemon.client(), "s").0, 3);
    assert_eq!(
        client.open("s", 3).attributes(),
        ["\0-", "a=1", "b=theirs", "c=1"]
    );
    assert!(client.open("s", 3).attributes().is_empty(), "once");
}

/// Of a daemon that lives and does not let go.
const CLAIM: &str = "NNNNNNLLCCCC";
const LIFE: &str = "sj:{4e}:test.shop:holder:4e4e4e4e4e4e4c4c";

#[test]
fn one_whose_holder_does_not_let_go_keeps_no_others_from_being_put_back() {
    let mut store = Store::start();
    let daemon = Daemon::with(&store.url(), &[SOON, ("SOJOURN_STORE_PATIENCE", "300ms")]);
    let mut client = daemon.client();
    surely(|| client.commit("held", 0, "SET a 1"));
    let held = store.sessions().remove(0);
    surely(|| client.commit("other", 0, "SET a 1"));
    let mut direct = store.client();
    direct.say(&format!("SET {LIFE} 1 PX 600000"));
    direct.say(&format!("HSET {held} h {CLAIM}"));
    let lagging = store.copy();
    direct.say(&format!("HDEL {held} h"));
    client.commit("other", 1, "SET a 2");
    // Used last, so looked at first.
    client.commit("held", 1, "SET a 2");
    store.fail_over(lagging);
    until("the other", || {
        (refilled(&daemon, "rewound") == 1).then_some(())
    });
    let stranger = Daemon::of(&store);
    let other = whole(&mut stranger.client(), "other");
    assert_eq!(other, (2, vec!["a=2".into()]));
}

#[test]
fn who_commits_on_a_version_that_is_lost_and_was_given_away_again_is_told_all() {
    let mut store = Store::start();
    let before = Daemon::with(&store.url(), &[SOON]);
    before.client().commit("s", 0, "SET a 1");
    let lagging = store.copy();
    // Who holds this holds something that nobody knows any more.
    before.client().commit("s", 1, "SET lost 1");
    drop(before);
    store.fail_over(lagging);
    let between = Daemon::with(&store.url(), &[SOON]);
    let mut client = between.client();
    assert_eq!(client.commit("s", 1, "SET b 1").version(), 2);
    assert_eq!(client.commit("s", 2, "SET c 1").version(), 3);
    let after = Daemon::with(&store.url(), &[SOON]);
    let committed = after.client().commit("s", 2, "SET d 1");
    let told = committed.attributes();
    assert_eq!(told[0], "\0-", "whole again");
    assert!(told.contains(&"b=1".to_owned()), "{told:?}");
}

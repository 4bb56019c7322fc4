//! What becomes of sessions.

use crate::harness::{Client, Daemon, Reply, Store, random, until};

#[test]
fn a_session_lives_from_its_first_commit_to_its_end() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    assert_eq!(client.open("s", 0), Reply::Array(None));
    assert_eq!(client.commit("s", 0, "SET a 1 SET b 2").version(), 1);
    let opened = client.open("s", 0);
    assert_eq!(opened.attributes(), ["a=1", "b=2"]);
    assert_eq!(
        opened.items()[1].int(),
        1000,
        "created, as the creator said"
    );
    assert_eq!(opened.items()[3].int(), 1800, "idle time");
    assert_eq!(client.commit("s", 1, "SET a 3 DEL b").version(), 2);
    assert_eq!(client.open("s", 1).attributes(), ["a=3", "b-"]);
    assert!(client.open("s", 2).attributes().is_empty());
    store.assert_every_key_has_a_ttl();
    assert_eq!(client.say("SJ.END s"), Reply::Integer(1));
    assert_eq!(client.say("SJ.END s"), Reply::Integer(0));
    assert_eq!(client.open("s", 2), Reply::Array(None));
    store.assert_every_key_has_a_ttl();
}

#[test]
fn nothing_brings_an_ended_session_back() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    one.commit("s", 0, "SET a 1");
    other.open("s", 0);
    one.say("SJ.END s");
    for base in [1, 0] {
        let reply = other.commit("s", base, "SET a 2");
        assert!(reply.text().starts_with("GONE"), "{reply:?}");
    }
    assert!(one.say("SJ.RENAME s t 1").text().starts_with("GONE"));
    assert_eq!(other.open("s", 1), Reply::Array(None));
    assert_eq!(store.sessions().len(), 1, "the tombstone");
    store.assert_every_key_has_a_ttl();
}

#[test]
fn sixty_four_attributes_at_once_through_three_daemons_are_all_there() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store), Daemon::of(&store)];
    daemons[0].client().set("s", 0, "start", &random(4_000));
    std::thread::scope(|scope| {
        for n in 0..64 {
            let mut client = daemons[n % 3].client();
            scope.spawn(move || {
                let held = client.open("s", 0).version();
                let value = n.to_string().repeat(100);
                assert!(
                    client
                        .set("s", held, &format!("attribute-{n}"), value.as_bytes())
                        .version()
                        > 1
                );
            });
        }
    });
    for daemon in &daemons {
        let attributes = daemon.client().open("s", 0).attributes();
        assert_eq!(attributes.len(), 65);
        for n in 0..64 {
            let expected = format!("attribute-{n}={}", n.to_string().repeat(100));
            assert!(attributes.contains(&expected), "attribute-{n}");
        }
    }
    assert_eq!(daemons[0].client().open("s", 0).version(), 65);
    store.assert_every_key_has_a_ttl();
}

#[test]
fn a_commit_tells_what_others_did_and_the_last_one_wins() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    let big = random(2_000);
    one.set("s", 0, "big", &big);
    one.commit("s", 1, "SET both start SET gone 1");
    other.open("s", 0);
    one.commit("s", 2, "SET both one SET mine 1 DEL gone");
    let mut changed = big;
    changed[77] ^= 1;
    // A delta, made on a version that is not the store's any more.
    let reply = other.set("s", 2, "big", &changed);
    assert_eq!(reply.version(), 4);
    assert_eq!(reply.attributes(), ["both=one", "gone-", "mine=1"]);
    assert_eq!(other.commit("s", 4, "SET both other").version(), 5);
    assert_eq!(one.open("s", 4).attributes(), ["both=other"]);
    let whole = one.open("s", 0);
    let value = &whole.items()[4].items()[1];
    assert_eq!(
        *value,
        Reply::Bulk(Some(changed)),
        "the first attribute is big"
    );
}

/// Every commit says the idle time that its client knows, also where the client has not set it.
#[test]
fn an_idle_time_is_not_undone_by_who_does_not_know_of_it() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    let (mut one, mut other) = (one.client(), other.client());
    let big = random(2_000);
    one.set("s", 0, "big", &big);
    other.open("s", 0);
    assert_eq!(one.say("SJ.COMMIT s 1 3600 1000 SET b 1").version(), 2);
    let mut changed = big;
    changed[77] ^= 1;
    // A delta, which is refused and merged.
    assert_eq!(other.set("s", 1, "big", &changed).version(), 3);
    let idle = |client: &mut Client| client.open("s", 0).items()[3].int();
    assert_eq!((idle(&mut one), idle(&mut other)), (3600, 3600));
    // What it sets itself is the last word, though somebody else was first.
    assert_eq!(one.say("SJ.COMMIT s 3 3600 1000 SET c 1").version(), 4);
    assert_eq!(other.say("SJ.COMMIT s 3 60 1000 SET d 1").version(), 5);
    assert_eq!((idle(&mut one), idle(&mut other)), (60, 60));
}

#[test]
fn two_who_create_the_same_session_share_it() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    assert_eq!(one.client().commit("s", 0, "SET a 1").version(), 1);
    let reply = other.client().commit("s", 0, "SET b 2");
    assert_eq!(
        (reply.version(), reply.attributes()),
        (2, vec!["a=1".to_owned()])
    );
    assert_eq!(one.client().open("s", 1).attributes(), ["b=2"]);
}

#[test]
fn an_unused_session_ends_by_the_clock_of_the_store() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    assert_eq!(client.say("SJ.COMMIT s 0 600 1000 SET a 1").version(), 1);
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    let ttl = direct.call(&[b"PTTL", key.as_bytes()]).int();
    assert!(
        (800_000..=900_000).contains(&ttl),
        "idle time and five minutes: {ttl}"
    );
    let used = direct
        .call(&[b"HGET", key.as_bytes(), b"a"])
        .text()
        .parse::<i64>()
        .unwrap();
    let mut last_used_ago = |seconds: i64| {
        let at = (used - seconds * 1000).to_string();
        direct.call(&[b"HSET", key.as_bytes(), b"a", at.as_bytes()]);
    };
    last_used_ago(500);
    let opened = client.open("s", 1);
    assert_eq!(opened.items()[2].int(), used - 500_000, "the access before");
    last_used_ago(700);
    assert_eq!(client.open("s", 1), Reply::Array(None));
    assert!(client.commit("s", 1, "SET a 2").text().starts_with("GONE"));
    assert_eq!(
        client.commit("s", 0, "SET b 1").version(),
        1,
        "the name is free again"
    );
    assert_eq!(client.open("s", 0).attributes(), ["b=1"]);
}

#[test]
fn a_touch_is_an_access_and_an_idle_time_changes_alone() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.say("SJ.COMMIT s 0 60 1000");
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    let mut used = || {
        direct
            .call(&[b"HGET", key.as_bytes(), b"a"])
            .text()
            .parse::<i64>()
            .unwrap()
    };
    let before = used() - 30_000;
    store
        .client()
        .call(&[b"HSET", key.as_bytes(), b"a", before.to_string().as_bytes()]);
    store.client().call(&[b"PEXPIRE", key.as_bytes(), b"30000"]);
    assert_eq!(client.say("SJ.TOUCH s").text(), "OK");
    until("the touch", || (used() > before).then_some(()));
    assert!(store.client().call(&[b"PTTL", key.as_bytes()]).int() > 100_000);
    client.say("SJ.COMMIT t 0 60 1000");
    assert_eq!(client.say("SJ.COMMIT t 1 -1 1000").version(), 2);
    assert_eq!(client.open("t", 2).items()[3].int(), -1);
    assert_eq!(
        client.say("SJ.COMMIT t 2 -1 1000").version(),
        2,
        "nothing changed"
    );
}

#[test]
fn a_daemon_that_holds_nothing_commits_all_the_same() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    daemon.client().commit("s", 0, "SET a 1 SET b 1");
    let fresh = Daemon::of(&store);
    let mut client = fresh.client();
    assert_eq!(client.commit("s", 1, "SET a 2").version(), 2);
    daemon.client().commit("s", 2, "SET b 2");
    let another = Daemon::of(&store);
    let reply = another.client().commit("s", 1, "SET c 3");
    assert_eq!(
        (reply.version(), reply.attributes()),
        (4, ["\0-", "a=2", "b=2", "c=3"].map(str::to_owned).to_vec())
    );
    assert!(
        Daemon::of(&store)
            .client()
            .commit("none", 7, "SET a 1")
            .text()
            .starts_with("GONE")
    );
}

#[test]
fn a_session_past_its_limit_is_refused_and_stays_as_it_was() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_MAX_SESSION", "1000")]);
    let mut client = daemon.client();
    client.set("s", 0, "a", &[7; 900]);
    let reply = client.set("s", 1, "b", &[7; 200]);
    assert_eq!(
        reply.text(),
        "TOOLARGE the session would have 1102 bytes, the limit is 1000"
    );
    assert_eq!(client.open("s", 1).version(), 1);
    assert_eq!(client.set("s", 1, "a", &[7; 100]).version(), 2);
}

#[test]
fn hundreds_of_commits_fold_and_readers_behind_still_get_what_changed() {
    let store = Store::start();
    let (writer, reader) = (Daemon::of(&store), Daemon::of(&store));
    let (mut writer, mut reader) = (writer.client(), reader.client());
    let mut value = random(3_000);
    let mut version = writer.set("s", 0, "a", &value).version();
    writer.commit("s", version, "SET constant 1");
    let mut read = reader.open("s", 0).version();
    for n in 0..600 {
        value[n * 4] ^= 1;
        version = writer.set("s", version, "a", &value).version();
        if n % 50 == 0 {
            version = writer.commit("s", version, "SET b 1").version();
            version = writer.commit("s", version, "DEL b").version();
            let opened = reader.open("s", read);
            let changed = opened.items()[4].items();
            assert_eq!(changed[0].text(), "a", "neither all nor nothing");
            assert_eq!(changed[1], Reply::Bulk(Some(value.clone())));
            assert_eq!(
                changed[2..],
                [Reply::Bulk(Some(b"b".to_vec())), Reply::Bulk(None)]
            );
            read = opened.version();
        }
    }
    assert_eq!(read, version - 49);
    let key = store.sessions().remove(0);
    let fields = store.client().call(&[b"HLEN", key.as_bytes()]).int();
    assert!(fields < 350, "records are folded: {fields}");
    let bytes = store
        .client()
        .call(&[b"MEMORY", b"USAGE", key.as_bytes(), b"SAMPLES", b"0"])
        .int();
    assert!(bytes < 60_000, "{bytes}");
    assert_eq!(
        Daemon::of(&store).client().open("s", 0).items()[4].items()[1],
        Reply::Bulk(Some(value))
    );
}

#[test]
fn what_cannot_be_read_is_skipped_and_never_deleted() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    client.commit("s", 1, "SET b 2");
    client.commit("s", 2, "SET c 3");
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    let record = direct.call(&[b"HGET", key.as_bytes(), b"r:2"]);
    let Reply::Bulk(Some(mut bytes)) = record else {
        panic!("{record:?}")
    };
    *bytes.last_mut().unwrap() ^= 1;
    direct.call(&[b"HSET", key.as_bytes(), b"r:2", &bytes]);
    let fresh = Daemon::of(&store);
    let mut reader = fresh.client();
    assert_eq!(reader.open("s", 0).attributes(), ["a=1", "c=3"]);
    assert_eq!(fresh.metric("sojourn_unreadable_total", ""), 1);
    assert!(fresh.log().contains("records unreadable"));
    assert_eq!(reader.commit("s", 3, "SET d 4").version(), 4);

    direct.call(&[b"HSET", key.as_bytes(), b"s", b"\x09of a later version"]);
    let fresh = Daemon::of(&store);
    let mut reader = fresh.client();
    assert_eq!(reader.open("s", 0), Reply::Array(None), "as good as absent");
    assert_eq!(direct.call(&[b"EXISTS", key.as_bytes()]).int(), 1);
    assert_eq!(reader.say("PING").text(), "PONG");
}

#[test]
fn deltas_travel_both_ways() {
    let store = Store::start();
    let (near, far) = (Daemon::of(&store), Daemon::of(&store));
    let (mut near, mut far) = (near.client(), far.client());
    let old = "x".repeat(1_000);
    near.commit("s", 0, &format!("SET a {old} SET b 1"));
    far.open("s", 0);
    // Length 1000 before, what comes out, one range: after 500 bytes one is replaced by "y".
    let new = format!("{}y{}", &old[..500], &old[501..]);
    let check = crc32fast::hash(new.as_bytes()).to_be_bytes();
    let delta = [&[0xe8, 7][..], &check, &[1, 0xf4, 3, 1, 1, b'y']].concat();
    let patch = |client: &mut Client, base: &[u8], delta: &[u8]| {
        client.call(&[
            b"SJ.COMMIT",
            b"s",
            base,
            b"1800",
            b"0",
            b"PATCH",
            b"a",
            delta,
        ])
    };
    assert_eq!(patch(&mut near, b"1", &delta).version(), 2);
    assert_eq!(
        near.open("s", 0).attributes(),
        [format!("a={new}"), "b=1".into()]
    );
    let opened = far.call(&[&b"SJ.OPEN"[..], b"s", b"1", b"PATCH"]);
    let Reply::Array(Some(pair)) = &opened.items()[4] else {
        panic!("{opened:?}");
    };
    assert_eq!(pair[1].items()[0], Reply::Bulk(Some(delta.clone())));
    assert_eq!(
        far.open("s", 1).attributes(),
        [format!("a={new}")],
        "whole for others"
    );
    // Made from other bytes than those that are there, so that something else would come out: nothing is written.
    let never = format!("{}z{}", &old[..500], &old[501..]);
    let check = crc32fast::hash(never.as_bytes()).to_be_bytes();
    let other = [&[0xe8, 7][..], &check, &[1, 10, 1, 1, b'z']].concat();
    let reply = patch(&mut far, b"2", &other);
    assert!(reply.text().starts_with("MISSING"), "{reply:?}");
    assert_eq!(far.open("s", 0).attributes()[0], format!("a={new}"));
}

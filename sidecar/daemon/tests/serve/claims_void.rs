//! What makes claims void: connections, the store, permissions.

use std::time::Duration;

use crate::claims::{MODES, claimed, claims, daemons, until_claimed, until_trusted, value};
use crate::harness::{Daemon, Reply, Store, surely, until};
use crate::lives::{calls, under_one_life};
use crate::passive::access;
use crate::servers::{PERMITTED, SlowLink, permit};

const SOON: (&str, &str) = ("SOJOURN_STORE_SETTLE", "300ms");

#[test]
fn a_connection_that_was_lost_makes_claims_void() {
    let store = Store::start();
    let [holder, other] = daemons(&store, &[]);
    let mut client = holder.client();
    claimed(&holder, &mut client, "s");
    // As after a fail-over to a replica that had not heard of the claim.
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    assert_eq!(direct.call(&[b"HDEL", key.as_bytes(), b"h"]).int(), 1);
    direct.say("CLIENT KILL TYPE normal SKIPME yes");
    other.client().commit("s", 1, "SET a 7");
    until("the new life", || {
        holder.log().contains("claims void").then_some(())
    });
    assert_eq!(client.open("s", 1).attributes(), ["a=7"]);
}

#[test]
fn a_store_that_lost_everything_knows_no_claim_any_more() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode, ("SOJOURN_STORE_SETTLE", "400ms")]);
        let mut client = holder.client();
        claimed(&holder, &mut client, "s");
        store.client().say("FLUSHALL");
        // Whoever asks first has it put back, by those who hold it; the claim is not.
        let mut elsewhere = other.client();
        let opened = until("the session", || match elsewhere.open("s", 0) {
            Reply::Array(None) => None,
            opened => Some(opened),
        });
        assert_eq!(opened.attributes(), ["a=0"]);
        assert_eq!(elsewhere.commit("s", 1, "SET a 7").version(), 2);
        assert_eq!(client.open("s", 1).attributes(), ["a=7"], "{mode:?}");
    }
}

#[test]
fn without_the_permission_there_are_no_claims_and_all_else_works() {
    let store = Store::start();
    let allowed = "ACL SETUSER sidecar on >secret resetkeys ~sj:{*}:test.shop:* resetchannels -@all \
                   +ping +info +evalsha +eval +time +hmget +hget +hset +hdel +hstrlen +pexpire +unlink \
                   +set +get +del +zadd +zrem +zrangebyscore";
    let words: Vec<&str> = allowed.split_whitespace().collect();
    assert_eq!(store.client().say(&words.join(" ")).text(), "OK");
    for mode in MODES {
        let settings = [
            mode,
            ("SOJOURN_STORE_USERNAME", "sidecar"),
            ("SOJOURN_STORE_PASSWORD", "secret"),
        ];
        let one = Daemon::with(&store.url(), &settings);
        let other = Daemon::with(&store.url(), &settings);
        for daemon in [&one, &other] {
            until("it to be said", || {
                daemon.log().contains("no claims").then_some(())
            });
        }
        let session = mode.1;
        let (mut client, mut elsewhere) = (one.client(), other.client());
        for n in 0..10 {
            assert_eq!(
                client.commit(session, n, &format!("SET a {n}")).version(),
                n + 1
            );
            assert_eq!(value(&elsewhere.open(session, 0), "a"), n);
            client.open(session, n + 1);
        }
        assert_eq!(claims(&one), 0);
        assert_eq!(one.metric("sojourn_claims_trusted ", ""), 0);
        assert_eq!(one.log().matches("no claims").count(), 1, "{}", one.log());
        // Who holds nothing must not take it for a session that is over.
        for (held, refusal) in [(0, "BUSY exclusive"), (10, "ERR exclusive")] {
            let reply = client.say(&format!("SJ.OPEN {session} {held} EXCLUSIVE"));
            let reply = reply.text();
            assert!(
                reply.starts_with(refusal) && reply.contains("store.md"),
                "{reply}"
            );
        }
    }
}

#[test]
fn who_cannot_let_go_is_not_asked_all_the_time() {
    let store = Store::start();
    let allow = |what: &str| {
        let user = format!("ACL SETUSER sidecar {what}");
        assert_eq!(store.client().say(&user).text(), "OK");
    };
    allow("on >secret allkeys allchannels +@all");
    let settings = [
        ("SOJOURN_MODE", "Async"),
        ("SOJOURN_STORE_PATIENCE", "500ms"),
        ("SOJOURN_STORE_USERNAME", "sidecar"),
        ("SOJOURN_STORE_PASSWORD", "secret"),
    ];
    let [holder] = daemons(&store, &settings);
    let [other] = daemons(&store, &[("SOJOURN_STORE_PATIENCE", "3s")]);
    let mut client = holder.client();
    under_one_life(&[&holder], |idle| {
        let changed = format!("{idle}-changed");
        allow("+@all");
        for session in [idle, &changed] {
            claimed(&holder, &mut client, session);
        }
        // Its beats come back as ever.
        allow("-evalsha -eval");
        client.commit(&changed, 1, "SET a 1");
        let before = calls(&[&holder]);
        for session in [idle, &changed] {
            let held = other.client().open(session, 0);
            if !held.text_or_empty().starts_with("BUSY ") {
                return Err(format!("{session}: {held:?}"));
            }
        }
        let calls = calls(&[&holder]) - before;
        assert!(calls < 50, "{calls}");
        Ok(())
    });
}

/// On a channel on which nothing is heard the daemon would begin anew; on this one others speak all the time.
#[test]
fn claims_come_once_what_was_forgotten_is_allowed_without_another_connection() {
    let store = Store::start();
    let mut operator = store.client();
    let allowed = "ACL SETUSER sidecar on >secret resetkeys ~sj:{*}:test.shop:* resetchannels &sj:test.shop:* +@all -time";
    assert_eq!(operator.say(allowed).text(), "OK");
    let settings = [
        ("SOJOURN_STORE_USERNAME", "sidecar"),
        ("SOJOURN_STORE_PASSWORD", "secret"),
    ];
    let daemon = Daemon::with(&store.url(), &settings);
    let ended = "0".repeat(40);
    let mut speak = || {
        operator.call(&[
            b"PUBLISH",
            b"sj:test.shop:all",
            format!("end {ended}").as_bytes(),
        ])
    };
    until("it to be said", || {
        speak();
        daemon.log().contains("no claims").then_some(())
    });
    store.client().say("ACL SETUSER sidecar +time");
    until("claims to be trusted", || {
        speak();
        (daemon.metric("sojourn_claims_trusted ", "") == 1).then_some(())
    });
}

/// Then it is not the channels that are forbidden, which are asked for again much later.
#[test]
fn claims_come_as_soon_as_what_a_connection_needs_is_allowed_again() {
    let store = Store::start();
    permit(&store);
    let allow = |what: &str| {
        let user = format!("ACL SETUSER sidecar {what}");
        assert_eq!(store.client().say(&user).text(), "OK");
    };
    allow("-select");
    let [username, password] = PERMITTED;
    let settings = [username, password, ("SOJOURN_LOG", "debug")];
    let daemon = Daemon::with(&format!("{}/1", store.url()), &settings);
    until("it to be tried again", || {
        let log = daemon.log();
        let refused = |line: &&str| line.contains("no channels") && line.contains("select");
        (log.lines().filter(refused).count() > 1).then_some(())
    });
    allow("+select");
    until_trusted(&daemon);
}

#[test]
fn a_store_that_is_stopped_for_a_while_voids_claims_and_keeps_sessions() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[]);
    let mut client = daemon.client();
    claimed(&daemon, &mut client, "s");
    store.signal("STOP");
    until("the trust to end", || {
        (daemon.metric("sojourn_claims_trusted ", "") == 0).then_some(())
    });
    store.signal("CONT");
    until_trusted(&daemon);
    assert_eq!(client.commit("s", 1, "SET a 1").version(), 2);
    until_claimed(&daemon, &mut client, "s", 2);
}

#[test]
fn an_access_that_the_store_could_not_be_told_of_is_told_when_it_is_back() {
    let mut store = Store::start();
    let settings = [
        ("SOJOURN_STORE_PATIENCE", "200ms"),
        ("SOJOURN_LOG", "debug"),
    ];
    let [daemon] = daemons(&store, &settings);
    let mut client = daemon.client();
    surely(|| client.say("SJ.COMMIT s 0 40 1000 SET a 1"));
    until_claimed(&daemon, &mut client, "s", 1);
    let before = access(&store);
    store.kill();
    until("the attempt", || {
        daemon.log().contains("access not told").then_some(())
    });
    store.run();
    until("the access", || (access(&store) > before).then_some(()));
}

/// Several, for each of them may also be ended by who is owed its end.
#[test]
fn an_end_that_is_written_once_the_store_is_back_is_heard_of_by_who_has_claimed_the_session() {
    let store = Store::start();
    let link = SlowLink::to(&store);
    let one = Daemon::with(&link.url(), &[("SOJOURN_STORE_PATIENCE", "300ms"), SOON]);
    let [other] = daemons(&store, &[SOON]);
    for daemon in [&one, &other] {
        daemon.until_looked_through();
    }
    let (mut client, mut elsewhere) = (one.client(), other.client());
    let sessions: [String; 30] = std::array::from_fn(|n| format!("s{n}"));
    for session in &sessions {
        claimed(&other, &mut elsewhere, session);
    }
    link.delay(Duration::from_mins(1));
    one.until_store("down");
    for session in &sessions {
        let ended = client.say(&format!("SJ.END {session}")).text();
        assert!(ended.starts_with("UNAVAILABLE"), "{ended}");
    }
    link.delay(Duration::ZERO);
    for session in &sessions {
        until("the end", || {
            (elsewhere.open(session, 1) == Reply::Array(None)).then_some(())
        });
    }
}

#[test]
fn a_session_that_the_store_knows_to_be_over_is_not_there_by_a_claim() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[SOON]);
    daemon.until_looked_through();
    let mut client = daemon.client();
    // The store is told after an eighth of it, and asked after half, which is longer than anybody waits here.
    client.say("SJ.COMMIT s 0 48 1000 SET a 1");
    until_claimed(&daemon, &mut client, "s", 1);
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    // Whoever ended it told nobody.
    assert_eq!(direct.say(&format!("DEL {key}")).int(), 1);
    assert_eq!(direct.say(&format!("HSET {key} v 2 x gone")).int(), 2);
    direct.say(&format!("PEXPIRE {key} 600000"));
    until("the end", || {
        (client.open("s", 1) == Reply::Array(None)).then_some(())
    });
}

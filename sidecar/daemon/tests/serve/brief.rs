//! Commits under a claim, which say no more than what changes.

use crate::harness::{Client, Daemon, Store, until};

/// Seconds; short, so that what the store has to be told is told within seconds.
const IDLE: i64 = 16;

fn commit(client: &mut Client, version: i64) -> i64 {
    let line = format!("SJ.COMMIT s {version} {IDLE} 1000 SET a {version}");
    client.say(&line).version()
}

fn brief(daemon: &Daemon) -> i64 {
    daemon.metric("sojourn_store_commands_total", "brief")
}

/// Commits until the store has got one that is brief; the version.
fn until_brief(daemon: &Daemon, client: &mut Client, mut version: i64) -> i64 {
    let before = brief(daemon);
    until("a brief commit", || {
        client.open("s", version);
        version = commit(client, version);
        (brief(daemon) > before).then_some(version)
    })
}

/// Else a session that is always in use would be gone in the middle of it.
#[test]
fn the_key_lives_as_long_as_the_session_is_in_use() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    let mut version = until_brief(&daemon, &mut client, 0);
    let key = store.sessions().remove(0);
    let mut direct = store.client();
    direct.say(&format!("PEXPIRE {key} 100000"));
    until("the time-out to begin anew", || {
        version = commit(&mut client, version);
        (direct.say(&format!("PTTL {key}")).int() > 200_000).then_some(())
    });
    assert_eq!(
        client.open("s", 0).attributes(),
        [format!("a={}", version - 1)]
    );
    store.assert_every_key_has_a_ttl();
}

#[test]
fn another_daemon_finds_each_of_them() {
    let store = Store::start();
    let [one, other] = [Daemon::of(&store), Daemon::of(&store)];
    let (mut client, mut elsewhere) = (one.client(), other.client());
    let mut version = 0;
    for _ in 0..5 {
        version = until_brief(&one, &mut client, version);
        let opened = elsewhere.open("s", 0);
        assert_eq!(opened.version(), version);
        assert_eq!(opened.attributes(), [format!("a={}", version - 1)]);
    }
}

#[test]
fn where_the_claim_has_gone_the_whole_commit_is_sent() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    let mut version = 0;
    // The daemon's own claims lapse now and then on a machine that is busy.
    until(
        "a brief commit to be tried where the claim has gone",
        || {
            version = until_brief(&daemon, &mut client, version);
            let key = store.sessions().remove(0);
            // As if the claim had been lost with a primary that went away.
            store.client().say(&format!("HDEL {key} h"));
            let (before, after) = (brief(&daemon), commit(&mut client, version));
            assert_eq!(after, version + 1);
            assert_eq!(client.open("s", 0).attributes(), [format!("a={version}")]);
            version = after;
            (brief(&daemon) > before).then_some(())
        },
    );
}

/// A store that hung comes late to what it was asked for: by then others may have been told that the session is over.
#[test]
fn what_is_over_by_the_time_that_the_store_comes_to_it_stays_over() {
    let store = Store::start();
    let mut direct = store.client();
    let over = |direct: &mut Client, key: &str| {
        direct.say(&format!("HSET {key} a 1000000000000"));
    };
    let expired = |direct: &mut Client, key: &str| {
        direct.say(&format!("HSET {key} x 1234 y 1"));
    };
    for ends in [over, expired] {
        until("a brief commit to be tried of what is over", || {
            let daemon = Daemon::of(&store);
            let mut client = daemon.client();
            let version = until_brief(&daemon, &mut client, 0);
            let key = store.sessions().remove(0);
            ends(&mut direct, &key);
            let before = brief(&daemon);
            let line = format!("SJ.COMMIT s {version} {IDLE} 1000 SET a late");
            let late = client.say(&line).text_or_empty();
            assert!(late.starts_with("GONE"), "{late}");
            let stored = direct.say(&format!("HGET {key} v")).text();
            assert_eq!(stored, version.to_string());
            direct.say("FLUSHALL");
            (brief(&daemon) > before).then_some(())
        });
    }
}

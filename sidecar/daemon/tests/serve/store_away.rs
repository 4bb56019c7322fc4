//! The store goes, comes, lies, and refuses.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use crate::harness::{Daemon, Reply, Store, free_port, surely, until};
use crate::servers::{PERMITTED, permit};

#[test]
fn a_store_that_is_killed_and_comes_back_loses_nothing() {
    let mut store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "20s")]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    store.kill();
    daemon.until_store("down");
    // The request waits for the store, and the store comes.
    let waiting = std::thread::spawn(move || {
        let reply = client.commit("s", 1, "SET b 2");
        (reply.version(), client.open("s", 0).attributes())
    });
    store.run();
    assert_eq!(
        waiting.join().unwrap(),
        (2, vec!["a=1".to_owned(), "b=2".to_owned()])
    );
    store.assert_every_key_has_a_ttl();
}

#[test]
fn without_a_store_the_daemon_listens_and_says_unavailable_within_its_patience() {
    let url = format!("redis://127.0.0.1:{}", free_port());
    let daemon = Daemon::with(&url, &[("SOJOURN_STORE_PATIENCE", "300ms")]);
    until("the page", || {
        let page = daemon.page("/readyz");
        page.starts_with("listening, store=down").then_some(())
    });
    let mut client = daemon.client();
    let reply = client.open("s", 0).text();
    assert!(
        reply.starts_with("UNAVAILABLE the store did not answer within 300ms"),
        "{reply}"
    );
    // An application that starts meanwhile must not be sent requests yet.
    assert_eq!(daemon.status("/readyz"), Some(503));
    // It has been away for longer than the patience by now: where each waited for it, so many would not be through in time.
    let mut refused = 0;
    until("nobody else to wait for it", || {
        let reply = client.commit("s", 1, "SET a 1").text();
        assert!(reply.starts_with("UNAVAILABLE"), "{reply}");
        refused += 1;
        (refused == 100).then_some(())
    });
    assert_eq!(client.say("SJ.TOUCH s").text(), "OK");
    assert!(client.say("SJ.END s").text().starts_with("UNAVAILABLE"));
}

#[test]
fn a_daemon_that_starts_while_the_store_is_away_takes_no_session_for_over() {
    let mut store = Store::start();
    let before = Daemon::with(&store.url(), &[]);
    let mut client = before.client();
    client.commit("s", 0, "SET a 1");
    store.kill();
    let settings = [
        ("SOJOURN_STORE_PATIENCE", "300ms"),
        ("SOJOURN_STORE_IN_USE", "true"),
    ];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    let reply = client.open("s", 0).text();
    assert!(reply.starts_with("BUSY"), "{reply}");
    // Who has it in his own JVM goes on with that.
    let reply = client.open("s", 1).text();
    assert!(reply.starts_with("UNAVAILABLE"), "{reply}");
    store.run();
    surely(|| client.open("s", 0));
}

#[test]
fn a_session_that_began_while_the_store_was_away_is_waited_for() {
    let mut store = Store::start();
    let settings = [
        ("SOJOURN_STORE_PATIENCE", "300ms"),
        ("SOJOURN_STORE_SETTLE", "20s"),
        ("SOJOURN_STORE_IN_USE", "true"),
    ];
    let one = Daemon::with(&store.url(), &settings);
    let other = Daemon::with(&store.url(), &settings);
    let (mut client, mut elsewhere) = (one.client(), other.client());
    one.until_store("up");
    other.until_store("up");
    store.kill();
    one.until_store("down");
    other.until_store("down");
    // The user has logged in where this client is, which goes on with what it has and commits it later.
    until("nobody to wait any more", || {
        let reply = client.commit("s", 0, "SET a 1").text();
        assert!(reply.starts_with("UNAVAILABLE"), "{reply}");
        let reply = elsewhere.open("s", 0).text();
        reply.starts_with("BUSY").then_some(())
    });
    store.run();
    other.until_store("up");
    let waiting = std::thread::spawn(move || surely(|| elsewhere.open("s", 0)).attributes());
    one.until_store("up");
    let committed = surely(|| client.commit("s", 0, "SET a 1"));
    assert_eq!(committed.version(), 1);
    assert_eq!(waiting.join().unwrap(), vec!["a=1".to_owned()]);
}

#[test]
fn a_commit_whose_answer_was_late_is_not_done_twice() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "20s")]);
    let mut client = daemon.client();
    let mut value = crate::harness::random(2_000);
    client.set("s", 0, "a", &value);
    for round in 1..4 {
        store.signal("STOP");
        value[17] ^= 1;
        let expected = value.clone();
        let waiting = std::thread::spawn(move || {
            let reply = client.set("s", round, "a", &expected);
            (reply, client)
        });
        let failures = daemon.metric("sojourn_store_failures_total", "timeout");
        until("the time-out", || {
            (daemon.metric("sojourn_store_failures_total", "timeout") > failures).then_some(())
        });
        store.signal("CONT");
        let (reply, back) = waiting.join().unwrap();
        client = back;
        assert_eq!((reply.version(), reply.attributes()), (round + 1, vec![]));
    }
    let opened = client.open("s", 0);
    assert_eq!(opened.items()[4].items()[1], Reply::Bulk(Some(value)));
}

#[test]
fn a_wrong_password_is_named_and_a_rotated_one_taken() {
    let store = Store::with(&["--requirepass", "right"]);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("password");
    std::fs::write(&file, "wrong\n").unwrap();
    let settings = [("SOJOURN_STORE_PASSWORD_FILE", file.to_str().unwrap())];
    let daemon = Daemon::with(&store.url(), &settings);
    until("the refusal", || {
        daemon.log().contains("kind=\"auth\"").then_some(())
    });
    assert!(daemon.log().contains("SOJOURN_STORE_PASSWORD"), "the mend");
    assert!(!daemon.log().contains("wrong\n"));
    std::fs::write(&file, "right\n").unwrap();
    daemon.until_store("up");
    assert_eq!(daemon.client().commit("s", 0, "SET a 1").version(), 1);
}

#[test]
fn the_documented_permissions_are_enough_and_less_is_named() {
    let store = Store::start();
    permit(&store);
    let settings = PERMITTED;
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    assert_eq!(client.commit("s", 0, "SET a 1").version(), 1);
    assert_eq!(client.commit("s", 1, "SET a 2").version(), 2);
    assert_eq!(client.open("s", 0).attributes(), ["a=2"]);
    assert_eq!(client.say("SJ.RENAME s t 2").int(), 3);
    assert_eq!(client.say("SJ.END t").int(), 1);
    let elsewhere = Daemon::with(
        &store.url(),
        &[settings[0], settings[1], ("SOJOURN_CLUSTER", "test.other")],
    );
    let reply = elsewhere.client().commit("s", 0, "SET a 1").text();
    assert!(reply.starts_with("UNAVAILABLE"), "{reply}");
    assert!(elsewhere.log().contains("store.md"), "the mend");
    let health = elsewhere.page("/storez");
    assert!(health.starts_with(r#"{"state":"refusing","#), "{health}");
    assert!(health.contains(r#""kind":"permission""#), "{health}");
    assert_eq!(daemon.page("/storez"), r#"{"state":"up"}"#);
    // What a script may not do is told in other words.
    let less = store
        .client()
        .call(&[b"ACL", b"SETUSER", b"sidecar", b"-hset"])
        .text();
    assert_eq!(less, "OK");
    let reply = client.commit("u", 0, "SET a 1").text();
    assert!(reply.starts_with("UNAVAILABLE"), "{reply}");
    let health = daemon.page("/storez");
    assert!(health.contains(r#""kind":"permission""#), "{health}");
}

#[test]
fn another_database_takes_the_right_to_select_it() {
    let store = Store::start();
    permit(&store);
    let url = format!("{}/1", store.url());
    let daemon = Daemon::with(&url, &PERMITTED);
    assert_eq!(daemon.client().commit("s", 0, "SET a 1").version(), 1);
    let less = store.client().say("ACL SETUSER sidecar -select").text();
    assert_eq!(less, "OK");
    let refused = Daemon::with(&url, &PERMITTED);
    until("the refusal", || {
        let health = refused.page("/storez");
        health.contains(r#""kind":"permission""#).then_some(())
    });
    assert!(refused.log().contains("store.md"), "the mend");
}

#[test]
fn a_store_that_is_too_old_counts_as_down() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(read @ 1..) = stream.read(&mut buffer) {
                    let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                    let info = "redis_version:5.0.14\r\n";
                    // One answer for each command in what came.
                    for part in text.split('*').skip(1) {
                        let answer = match () {
                            () if part.contains("PING") => "+PONG\r\n".to_owned(),
                            () if part.contains("INFO\r\n$6") => {
                                format!("${}\r\n{info}\r\n", info.len())
                            }
                            () => "+OK\r\n".to_owned(),
                        };
                        let _ = stream.write_all(answer.as_bytes());
                    }
                }
            });
        }
    });
    let daemon = Daemon::with(&url, &[("SOJOURN_STORE_PATIENCE", "200ms")]);
    until("the reason", || {
        daemon.page("/readyz").contains("too old").then_some(())
    });
    assert!(daemon.log().contains("5.0.14") && daemon.log().contains("upgrade the store"));
    assert!(daemon.client().open("s", 0).text().contains("too old"));
}

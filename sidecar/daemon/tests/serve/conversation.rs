//! The protocol on real sockets.

use std::path::Path;
use std::process::Stdio;

use crate::expiry::subscribe;
use crate::harness::{Client, Daemon, Reply, Store, free_port, sojournd, until};

#[test]
fn a_broken_frame_closes_only_its_connection() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut good = daemon.client();
    let mut broken = daemon.client();
    broken.send_raw(b"*1\r\n$4\r\nPING\r\nnonsense\r\n");
    assert_eq!(broken.read(), Some(Reply::Simple("PONG".into())));
    let error = "ERR Protocol error: expected '*'";
    assert_eq!(broken.read(), Some(Reply::Error(error.into())));
    assert_eq!(broken.read(), None);
    assert_eq!(good.say("PING").text(), "PONG");
    assert_eq!(daemon.metric("sojourn_request_errors_total", "protocol"), 1);
}

#[test]
fn a_wrong_request_leaves_its_connection_open() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    assert_eq!(client.say("GET x").text(), "ERR unknown command 'GET'");
    assert_eq!(
        client.say("SJ.OPEN s").text(),
        "ERR wrong number of arguments for 'SJ.OPEN'"
    );
    assert_eq!(
        client.say("HELLO 3").text(),
        "NOPROTO only protocol version 2 is spoken here"
    );
    assert_eq!(client.say("HELLO 2").items()[1].text(), "sojournd");
    assert!(client.say("INFO").text().contains("cluster:test.shop"));
    assert_eq!(client.say("COMMAND DOCS"), Reply::Array(Some(vec![])));
    assert_eq!(client.say("CLIENT SETINFO lib-name x").text(), "OK");
    assert_eq!(client.say("QUIT").text(), "OK");
    assert_eq!(client.read(), None);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    for n in 0..200 {
        let session = format!("s{n}");
        client.send(&[
            b"SJ.COMMIT",
            session.as_bytes(),
            b"0",
            b"60",
            b"1",
            b"SET",
            b"a",
            b"1",
        ]);
        client.send(&[b"PING", session.as_bytes()]);
    }
    for n in 0..200 {
        assert_eq!(client.read().unwrap().version(), 1);
        assert_eq!(client.read().unwrap().text(), format!("s{n}"));
    }
}

/// The next reply or message to a subscriber; it may be told at any time that ends were missed.
fn next(listener: &mut Client) -> Reply {
    loop {
        let reply = listener.read().unwrap();
        let missed = Reply::Bulk(Some(b"missed".to_vec()));
        if !matches!(&reply, Reply::Array(Some(items)) if items[2] == missed) {
            return reply;
        }
    }
}

#[test]
fn the_drain_is_told_to_all_who_listen() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut listener = subscribe(&daemon);
    listener.send(&[b"PING"]);
    assert_eq!(
        next(&mut listener).text(),
        "PONG",
        "a subscriber may still ask"
    );
    let status = sojournd()
        .arg("drain")
        .arg("--socket")
        .arg(daemon.socket())
        .status()
        .unwrap();
    assert!(status.success());
    let told = |client: &mut Client| {
        let message = next(client);
        message.items().iter().map(Reply::text).collect::<Vec<_>>()
    };
    assert_eq!(told(&mut listener), ["message", "sojourn", "drain"]);
    let mut late = subscribe(&daemon);
    assert_eq!(told(&mut late), ["message", "sojourn", "drain"]);
    let mut client = daemon.client();
    assert_eq!(client.say("HELLO").items()[13].int(), 1);
    assert_eq!(daemon.metric("sojourn_draining", ""), 1);
    assert_eq!(
        client.commit("s", 0, "SET a 1").version(),
        1,
        "work goes on"
    );
}

/// A pod whose application has no agent is as ready as any other: nobody else would say it.
#[test]
fn that_no_application_is_connected_is_told() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    daemon.until_store("up");
    let without = r#"{"state":"up","seconds_without_application":"#;
    let is_without = || daemon.page("/storez").starts_with(without).then_some(());
    until("to be without one", is_without);
    let mut client = daemon.client();
    assert_eq!(client.say("PING").text(), "PONG");
    assert_eq!(daemon.page("/storez"), r#"{"state":"up"}"#);
    drop(client);
    until("to be without it again", is_without);
}

#[test]
fn a_daemon_says_since_when_it_runs_and_what_it_takes() {
    let now = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        i64::try_from(since.unwrap().as_secs()).unwrap()
    };
    let before = now();
    let daemon = Daemon::with("redis://127.0.0.1:1", &[]);
    let began = daemon.metric("process_start_time_seconds", "");
    assert!((before..=now()).contains(&began), "{began}");
    assert!(daemon.metric("process_resident_memory_bytes", "") > 1 << 20);
    assert_eq!(daemon.metric("process_start_time_seconds", ""), began);
}

#[test]
fn tcp_wants_the_token() {
    let store = Store::start();
    let directory = tempfile::tempdir().unwrap();
    let token = directory.path().join("token");
    std::fs::write(&token, "secret\n").unwrap();
    let port = free_port();
    let address = format!("127.0.0.1:{port}");
    let settings = [
        ("SOJOURN_TCP", address.as_str()),
        ("SOJOURN_TOKEN_FILE", token.to_str().unwrap()),
    ];
    let _daemon = Daemon::with(&store.url(), &settings);
    let mut client = Client::tcp(port);
    assert!(client.open("s", 0).text().starts_with("NOAUTH"));
    let tagged = client.say("SJ.TAG 5 SJ.OPEN s 0");
    assert!(tagged.items()[1].text().starts_with("NOAUTH"));
    assert!(client.say("AUTH wrong").text().starts_with("NOAUTH"));
    assert!(client.say("PING").text().starts_with("NOAUTH"));
    assert_eq!(client.say("AUTH default secret").text(), "OK");
    assert_eq!(client.open("s", 0), Reply::Array(None));
    assert!(client.say("SJ.DRAIN").text().starts_with("ERR"));
    let mut client = Client::tcp(port);
    assert_eq!(
        client.say("HELLO 2 AUTH default secret").items()[1].text(),
        "sojournd"
    );
}

#[test]
fn drain_fails_where_no_daemon_is() {
    let mut drain = sojournd();
    drain
        .args(["drain", "--socket"])
        .arg(Path::new("/nonexistent/s.sock"))
        .stderr(Stdio::null());
    assert_eq!(drain.status().unwrap().code(), Some(1));
}

#[test]
fn a_client_that_leaves_in_the_middle_is_no_trouble() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    for _ in 0..20 {
        let mut client = daemon.client();
        client.send_raw(
            b"*8\r\n$9\r\nSJ.COMMIT\r\n$1\r\ns\r\n$1\r\n0\r\n$2\r\n60\r\n$1\r\n1\r\n$3\r\nSE",
        );
    }
    until("the connections to end", || {
        (daemon.metric("sojourn_connections", "") == 0).then_some(())
    });
    assert_eq!(daemon.client().open("s", 0), Reply::Array(None));
}

#[test]
fn a_client_that_asks_a_lot_and_reads_late_gets_it_all() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.set("s", 0, "a", &vec![7; 100_000]);
    // Few enough for the socket's buffer: the daemon stops reading while nobody reads from it.
    let rounds = 60;
    for _ in 0..rounds {
        client.send(&[b"SJ.OPEN", b"s", b"0"]);
    }
    until("the answers to pile up", || {
        (daemon.metric("sojourn_requests_total", "open") > 1).then_some(())
    });
    for _ in 0..rounds {
        assert_eq!(client.read().unwrap().version(), 1);
    }
}

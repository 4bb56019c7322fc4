//! What requests meet while the store cannot be used, and what is left when it can be again.

use std::time::Duration;

use crate::claims::{until_claimed, until_trusted};
use crate::harness::{Client, Daemon, Reply, Store, free_port, surely, until};
use crate::servers::SlowLink;

const SHORT: (&str, &str) = ("SOJOURN_STORE_PATIENCE", "700ms");

/// It has looked at the store, and knows that there may be sessions in it.
fn daemon_with(store: &Store, settings: &[(&str, &str)]) -> Daemon {
    let daemon = Daemon::with(&store.url(), settings);
    daemon.until_looked_through();
    daemon
}

/// The daemon and a session at version 2.
fn daemon_with_a_session(store: &Store) -> (Daemon, Client) {
    let daemon = daemon_with(store, &[SHORT]);
    let mut client = daemon.client();
    surely(|| client.commit("s", 0, "SET a 1"));
    surely(|| client.commit("s", 1, "SET b 1"));
    (daemon, client)
}

/// Every request is refused, within its patience and with this reason.
fn assert_refused(client: &mut Client, reason: &str) {
    let replies = [
        client.open("s", 2),
        client.commit("s", 2, "SET a lost"),
        client.commit("new", 0, "SET a 1"),
    ];
    for reply in replies {
        let text = reply.text();
        assert!(text.starts_with("UNAVAILABLE"), "{text}");
        assert!(text.contains(reason), "{reason} is not in {text}");
    }
    // Who holds nothing must not take the session for one that is over.
    let text = client.open("s", 0).text();
    assert!(
        text.starts_with("BUSY") && text.contains(reason),
        "{reason} is not in {text}"
    );
}

/// The agent went on with its own copy and commits it now, as if nothing had been.
fn assert_goes_on(store: &Store, daemon: &Daemon, client: &mut Client) {
    daemon.until_store("up");
    until("an answer", || {
        (!client
            .open("s", 2)
            .text_or_empty()
            .starts_with("UNAVAILABLE"))
        .then_some(())
    });
    assert_eq!(client.commit("s", 2, "SET a 2 SET c 1").version(), 3);
    let fresh = Daemon::of(store);
    assert_eq!(
        fresh.client().open("s", 0).attributes(),
        ["a=2", "b=1", "c=1"]
    );
    assert_eq!(daemon.metric("sojourn_refilled_total", ""), 0);
    store.assert_every_key_has_a_ttl();
}

#[test]
fn refused() {
    let mut store = Store::start();
    let (daemon, mut client) = daemon_with_a_session(&store);
    store.kill();
    // At first only the connection is gone.
    until("another one to be refused", || {
        daemon.page("/readyz").contains("refused").then_some(())
    });
    assert_refused(&mut client, "refused");
    store.run();
    assert_goes_on(&store, &daemon, &mut client);
}

#[test]
fn refused_by_a_daemon_that_is_told_not_to_serve_what_may_be_old() {
    let mut store = Store::start();
    let daemon = daemon_with(&store, &[SHORT, ("SOJOURN_STORE_OUTAGE", "Refuse")]);
    let mut client = daemon.client();
    surely(|| client.commit("s", 0, "SET a 1"));
    store.kill();
    daemon.until_store("down");
    for held in [0, 1] {
        let text = client.open("s", held).text();
        assert!(text.starts_with("BUSY"), "{text}");
    }
    store.run();
    daemon.until_store("up");
    until("an answer", || {
        (!matches!(client.open("s", 1), Reply::Error(_))).then_some(())
    });
}

#[test]
fn hanging() {
    let store = Store::start();
    let (daemon, mut client) = daemon_with_a_session(&store);
    store.signal("STOP");
    assert_refused(&mut client, "within");
    store.signal("CONT");
    daemon.until_store("up");
    // What hung was done after all, before or after the answer was given up: either is right, and once is enough.
    until("an answer", || {
        (!matches!(client.open("s", 0), Reply::Error(_))).then_some(())
    });
    let opened = client.open("s", 0);
    assert!((2..=3).contains(&opened.version()), "{opened:?}");
    store.assert_every_key_has_a_ttl();
}

#[test]
fn slow() {
    let store = Store::with(&["--enable-debug-command", "local"]);
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "20s")]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    let mut slowing = store.client();
    for round in 1..4 {
        // Longer than the first answer is waited for.
        slowing.send(&[b"DEBUG", b"SLEEP", b"0.8"]);
        assert_eq!(
            client
                .commit("s", round, &format!("SET a r{round}"))
                .version(),
            round + 1
        );
        slowing.read();
    }
    assert!(daemon.metric("sojourn_store_failures_total", "timeout") > 0);
    assert_eq!(client.open("s", 0).version(), 4);
}

#[test]
fn late() {
    let store = Store::start();
    let link = SlowLink::to(&store);
    let daemon = Daemon::with(&link.url(), &[]);
    let mut client = daemon.client();
    let mut version = client.commit("s", 0, "SET a 1").version();
    // An answer takes longer than one is waited for at first.
    link.delay(Duration::from_millis(300));
    until("answers to be waited for for long enough", || {
        let given_up = daemon.metric("sojourn_store_failures_total", "timeout");
        for _ in 0..3 {
            // Another value each time: of the same one the store is not told.
            let change = format!("SET a v{version}");
            version = client.commit("s", version, &change).version();
        }
        let still = daemon.metric("sojourn_store_failures_total", "timeout") == given_up;
        still.then_some(())
    });
    assert_eq!(
        Daemon::of(&store).client().open("s", 0).version(),
        version,
        "each of them once"
    );
}

#[test]
fn read_only() {
    let store = Store::start();
    let (daemon, mut client) = daemon_with_a_session(&store);
    let nobody = free_port();
    store.client().say(&format!("REPLICAOF 127.0.0.1 {nobody}"));
    // It may be that a primary is at the same address by now: the connection is made anew each time.
    assert_refused(&mut client, "");
    assert!(daemon.metric("sojourn_store_failures_total", "read-only") > 0);
    // A replica that is only just getting its data has no session at all.
    let text = client.open("not there yet", 0).text();
    assert!(text.starts_with("BUSY"), "{text}");
    // It has been so for longer than the patience by now, though there was a connection now and then: where each waited for it, so many would not be
    // through in time.
    let mut refused = 0;
    until("nobody else to wait for it", || {
        let text = client.commit("new", 0, "SET a 1").text();
        assert!(text.starts_with("UNAVAILABLE"), "{text}");
        refused += 1;
        (refused == 100).then_some(())
    });
    // Between two connections it is another one.
    until("the reason", || {
        client.commit("new", 0, "SET a 1");
        let health = daemon.page("/storez");
        health.contains(r#""kind":"read-only""#).then_some(())
    });
    let log = daemon.log();
    assert!(log.contains("SOJOURN_STORE_URL to the primary"), "the mend");
    assert!(log.matches("store down").count() < 10, "{log}");
    store.client().say("REPLICAOF NO ONE");
    assert_goes_on(&store, &daemon, &mut client);
}

#[test]
fn a_session_that_began_while_the_store_was_read_only_is_waited_for() {
    let store = Store::start();
    let settings = [
        SHORT,
        ("SOJOURN_STORE_SETTLE", "20s"),
        ("SOJOURN_STORE_IN_USE", "true"),
    ];
    let one = Daemon::with(&store.url(), &settings);
    let other = Daemon::with(&store.url(), &settings);
    let (mut client, mut elsewhere) = (one.client(), other.client());
    one.until_store("up");
    other.until_store("up");
    let nobody = free_port();
    store.client().say(&format!("REPLICAOF 127.0.0.1 {nobody}"));
    let text = client.commit("s", 0, "SET a 1").text();
    assert!(text.starts_with("UNAVAILABLE"), "{text}");
    let text = elsewhere.open("s", 0).text();
    assert!(text.starts_with("BUSY"), "{text}");
    store.client().say("REPLICAOF NO ONE");
    let waiting = std::thread::spawn(move || {
        until("an answer", || {
            let opened = elsewhere.open("s", 0);
            (!matches!(opened, Reply::Error(_))).then(|| opened.attributes())
        })
    });
    until("it to be waited for", || {
        let probed = other.metric("sojourn_store_commands_total", r#""probe""#);
        (probed > 0).then_some(())
    });
    until("the store", || {
        let committed = client.commit("s", 0, "SET a 1");
        (!matches!(committed, Reply::Error(_))).then_some(())
    });
    assert_eq!(waiting.join().unwrap(), vec!["a=1".to_owned()]);
}

#[test]
fn out_of_memory() {
    let store = Store::start();
    let (daemon, mut client) = daemon_with_a_session(&store);
    client.commit("ends", 0, "SET a 1");
    store.client().say("CONFIG SET maxmemory 1");
    for reply in [
        client.commit("s", 2, "SET a lost"),
        client.commit("new", 0, "SET a 1"),
    ] {
        let text = reply.text();
        assert!(
            text.starts_with("UNAVAILABLE") && text.contains("OOM"),
            "{text}"
        );
    }
    assert!(
        daemon.log().contains("raise the store's maxmemory"),
        "the mend"
    );
    // Who only reads notices nothing, and who logs out is logged out.
    assert_eq!(client.open("s", 0).attributes(), ["a=1", "b=1"]);
    assert_eq!(Daemon::of(&store).client().open("s", 0).version(), 2);
    assert_eq!(client.say("SJ.END ends").int(), 1);
    let late = Daemon::of(&store)
        .client()
        .commit("ends", 1, "SET a 2")
        .text();
    assert!(
        late.starts_with("GONE") || late.starts_with("UNAVAILABLE"),
        "{late}"
    );
    store.client().say("CONFIG SET maxmemory 0");
    for base in [0, 1] {
        let late = client.commit("ends", base, "SET a 2").text();
        assert!(late.starts_with("GONE"), "{late}");
    }
    assert_goes_on(&store, &daemon, &mut client);
}

#[test]
fn an_end_that_the_store_did_not_take_is_made_up_for() {
    let mut store = Store::start();
    let (daemon, mut client) = daemon_with_a_session(&store);
    store.kill();
    daemon.until_store("down");
    let ended = client.say("SJ.END s").text();
    assert!(ended.starts_with("UNAVAILABLE"), "{ended}");
    store.run();
    until("the tombstone", || {
        (daemon.metric("sojourn_refilled_total", "tombstone") == 1).then_some(())
    });
    let late = Daemon::of(&store).client().commit("s", 2, "SET a 2").text();
    assert!(late.starts_with("GONE"), "{late}");
}

/// Nobody but this daemon knows of it.
#[test]
fn an_end_that_the_store_did_not_take_is_made_up_for_before_the_daemon_ends() {
    let mut store = Store::start();
    let (mut daemon, mut client) = daemon_with_a_session(&store);
    store.kill();
    daemon.until_store("down");
    let ended = client.say("SJ.END s").text();
    assert!(ended.starts_with("UNAVAILABLE"), "{ended}");
    daemon.process.signal("TERM");
    store.run();
    assert_eq!(daemon.process.exit_code(), Some(0));
    let opened = Daemon::of(&store).client().open("s", 0);
    assert_eq!(opened, Reply::Array(None));
}

/// Else each request that waits in vain would make all claims void, and say that it was the network.
#[test]
fn who_is_refused_for_as_long_as_he_waits_is_told_why_and_leaves_the_connection_alone() {
    // Where all stands still meanwhile it is the network: then all is made anew.
    until("a refusal with its reason, on the same connection", || {
        let store = Store::start();
        let link = SlowLink::to(&store);
        let daemon = Daemon::with(&link.url(), &[SHORT]);
        until_trusted(&daemon);
        let mut client = daemon.client();
        surely(|| client.commit("s", 0, "SET a 1"));
        let mut direct = store.client();
        direct.say("CONFIG SET min-replicas-to-write 1");
        let mut connections = || {
            let stats = direct.say("INFO stats").text();
            let mut lines = stats.lines();
            lines
                .find_map(|line| Some(line.strip_prefix("total_connections_received:")?.to_owned()))
        };
        let before = connections();
        // An answer takes longer than there is time left at the end.
        link.delay(Duration::from_millis(20));
        let refused = client.commit("s", 1, "SET a lost").text();
        (refused.contains("NOREPLICAS") && connections() == before).then_some(())
    });
}

/// Its connection stays, and says nothing of when it takes writes again; nor do those who have claimed the session ask for it.
#[test]
fn an_end_that_the_store_refused_is_made_up_for_without_another_connection() {
    let store = Store::start();
    let (daemon, mut client) = daemon_with_a_session(&store);
    let other = Daemon::of(&store);
    until_trusted(&other);
    let mut elsewhere = other.client();
    until_claimed(&other, &mut elsewhere, "s", 2);
    store.client().say("CONFIG SET min-replicas-to-write 1");
    let ended = client.say("SJ.END s").text();
    assert!(ended.starts_with("UNAVAILABLE"), "{ended}");
    store.client().say("CONFIG SET min-replicas-to-write 0");
    until("the end", || {
        (elsewhere.open("s", 2) == Reply::Array(None)).then_some(())
    });
    until("it to be counted", || {
        (daemon.metric("sojourn_refilled_total", "tombstone") == 1).then_some(())
    });
}

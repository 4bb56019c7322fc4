//! What things cost, by the store's own count.

use crate::harness::{Daemon, Store, random};

#[test]
fn an_open_and_a_commit_are_one_round_trip_and_nothing_is_none() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    // The first run of each script is sent twice, by digest and whole.
    client.commit("warm", 0, "SET a 1");
    client.open("warm", 0);
    client.commit("warm", 1, "SET a 2");
    let mut before = store.scripts_run();
    let mut cost = |what: &str, expected: i64| {
        let now = store.scripts_run();
        assert_eq!(now - before, expected, "{what}");
        before = now;
    };
    client.open("none", 0);
    cost("opening nothing", 1);
    client.commit("s", 0, "SET a 1 SET b 2");
    cost("creating", 1);
    client.open("s", 1);
    cost("opening what is held", 1);
    client.commit("s", 1, "SET a 2");
    cost("committing", 1);
    assert_eq!(client.commit("s", 2, "SET a 2").version(), 2);
    client.commit("s", 2, "");
    client.commit("s", 2, "DEL x");
    cost("committing what is as it was", 0);
    let other = Daemon::of(&store);
    let mut other = other.client();
    other.open("s", 0);
    cost("opening what is not held", 1);
    other.commit("s", 2, "SET b 3");
    cost("committing elsewhere", 1);
    client.commit("s", 2, "SET a 3");
    cost("committing beside another attribute", 1);
    client.call(&[b"SJ.END", b"s"]);
    cost("ending", 2);
}

#[test]
fn thirty_two_bytes_of_twenty_kibibytes_cost_three_hundred_bytes_each_way() {
    let store = Store::start();
    let (writer, reader) = (Daemon::of(&store), Daemon::of(&store));
    let (mut write, mut read) = (writer.client(), reader.client());
    let mut value = random(20 << 10);
    write.set("/shop\nA1B2C3D4E5F6A1B2C3D4E5F6A1B2C3D4", 0, "cart", &value);
    let session = "/shop\nA1B2C3D4E5F6A1B2C3D4E5F6A1B2C3D4";
    let mut version = write.set(session, 1, "warm", b"1").version();
    assert_eq!(read.open(session, 0).version(), version);
    let sent = writer.metric("sojourn_store_sent_bytes_total", "");
    let received = reader.metric("sojourn_store_received_bytes_total", "");
    let rounds = 20;
    for round in 0..rounds {
        let at = usize::try_from(round).unwrap() * 1000;
        value[at..at + 32].copy_from_slice(&random(32));
        version = write.set(session, version, "cart", &value).version();
        assert_eq!(read.open(session, version - 1).version(), version);
    }
    let sent = (writer.metric("sojourn_store_sent_bytes_total", "") - sent) / rounds;
    let received = (reader.metric("sojourn_store_received_bytes_total", "") - received) / rounds;
    eprintln!("a commit sends {sent} bytes, the next reader receives {received}");
    assert!(sent <= 300, "{sent} bytes to the store");
    assert!(received <= 300, "{received} bytes to the next reader");
}

#[test]
fn a_new_session_costs_little_more_than_its_bytes() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.set("warm", 0, "a", b"1");
    let mut sent = daemon.metric("sojourn_store_sent_bytes_total", "");
    let mut version = 0;
    for _ in 0..50 {
        version = client.set("s", version, "a", &random(20_000)).version();
        let now = daemon.metric("sojourn_store_sent_bytes_total", "");
        assert!(
            version == 2 || now - sent <= 21_000,
            "{} bytes for 20,000",
            now - sent
        );
        sent = now;
    }
}

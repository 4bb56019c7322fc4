//! What things cost, by the store's own count.

use crate::claims::until_claimed;
use crate::harness::{Client, Daemon, Store, random};
use crate::lives::{failures, lapses, same, undisturbed};

/// What is sent again costs that again, and so does to look whether anything was lost.
fn measured(all: &[&Daemon], mut what: impl FnMut(&str) -> Result<(), String>) {
    let count = |all: &[&Daemon]| lapses(all) + failures(all);
    undisturbed(all, count, |session| {
        for daemon in all {
            daemon.until_looked_through();
        }
        what(session)
    });
}

#[test]
fn an_open_and_a_commit_are_one_round_trip_and_nothing_is_none() {
    let store = Store::start();
    let [daemon, other] = [(); 2].map(|()| Daemon::of(&store));
    let mut client = daemon.client();
    // The first run of each script is sent twice, by digest and whole.
    client.commit("warm", 0, "SET a 1");
    client.open("warm", 0);
    client.commit("warm", 1, "SET a 2");
    client.say("SJ.END warm");
    let mut elsewhere = other.client();
    measured(&[&daemon, &other], |s| {
        round_trips(&store, &mut client, &mut elsewhere, s)
    });
}

fn round_trips(
    store: &Store,
    client: &mut Client,
    other: &mut Client,
    s: &str,
) -> Result<(), String> {
    let mut before = store.scripts_run();
    let mut cost = |what: &str, expected: i64| {
        let now = store.scripts_run();
        same(what, &(now - before), &expected)?;
        before = now;
        Ok::<_, String>(())
    };
    client.open("none", 0);
    cost("opening nothing", 1)?;
    client.commit(s, 0, "SET a 1 SET b 2");
    cost("creating", 1)?;
    client.open(s, 1);
    cost("opening what is held", 1)?;
    client.commit(s, 1, "SET a 2");
    cost("committing", 1)?;
    assert_eq!(client.commit(s, 2, "SET a 2").version(), 2);
    client.commit(s, 2, "");
    client.commit(s, 2, "DEL x");
    cost("committing what is as it was", 0)?;
    other.open(s, 0);
    cost("opening what is not held", 1)?;
    other.commit(s, 2, "SET b 3");
    cost("committing elsewhere", 1)?;
    client.commit(s, 2, "SET a 3");
    cost("committing beside another attribute", 1)?;
    client.say(&format!("SJ.END {s}"));
    cost("ending", 1)
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
    measured(&[&writer, &reader], |_| {
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
        let received = reader.metric("sojourn_store_received_bytes_total", "") - received;
        let received = received / rounds;
        eprintln!("a commit sends {sent} bytes, the next reader receives {received}");
        (sent <= 300 && received <= 300)
            .then_some(())
            .ok_or_else(|| format!("{sent} bytes to the store, {received} to the next reader"))
    });
}

/// The commit tells the other one by itself: the record is sent once, and what comes back is that a claim was kept.
#[test]
fn what_two_share_costs_little_more_than_what_one_has() {
    let store = Store::start();
    let daemons = [(); 2].map(|()| Daemon::of(&store));
    let [mut at_a, mut at_b] = [0, 1].map(|n: usize| daemons[n].client());
    let mut value = random(20 << 10);
    measured(&[&daemons[0], &daemons[1]], |session| {
        let mut version = at_a.set(session, 0, "cart", &value).version();
        until_claimed(&daemons[0], &mut at_a, session, version);
        until_claimed(&daemons[1], &mut at_b, session, version);
        let (rounds, mut before) = (100, 0);
        for round in 0..rounds + 2 {
            // By the first ones each learns of the other's claim.
            if round == 2 {
                before = store.received_bytes();
            }
            let client = if round % 2 == 0 { &mut at_a } else { &mut at_b };
            let at = fastrand::usize(..value.len() - 32);
            value[at..at + 32].copy_from_slice(&random(32));
            version = client.set(session, version, "cart", &value).version();
        }
        let sent = (store.received_bytes() - before) / rounds;
        eprintln!("a commit to what two share sends {sent} bytes");
        (sent <= 450)
            .then_some(())
            .ok_or_else(|| format!("{sent} bytes to the store"))
    });
}

/// Small changes lie beside the session until it is written anew: what that takes of the store, and what it sends, all in all, in bytes for each commit.
fn cost_of_small_changes(store: &Store, daemon: &Daemon, kibibytes: usize) -> i64 {
    let (mut client, mut direct) = (daemon.client(), store.client());
    let others = store.sessions();
    let session = format!("/shop\n{:032X}", fastrand::u128(..));
    let mut value = random(kibibytes << 10);
    let mut version = client.set(&session, 0, "cart", &value).version();
    until_claimed(daemon, &mut client, &session, version);
    let mut keys = store.sessions();
    keys.retain(|key| !others.contains(key));
    let key = keys.remove(0);
    let commits = 600;
    let sent = || daemon.metric("sojourn_store_sent_bytes_total", "");
    let (before, mut taken) = (sent(), 0);
    for _ in 0..commits {
        let at = fastrand::usize(..value.len() - 32);
        value[at..at + 32].copy_from_slice(&random(32));
        version = client.set(&session, version, "cart", &value).version();
        taken += direct.say(&format!("MEMORY USAGE {key} SAMPLES 0")).int();
    }
    let (sent, taken) = ((sent() - before) / commits, taken / commits / 1024);
    eprintln!("{kibibytes} KiB: a commit sends {sent} bytes, the store takes {taken} KiB");
    sent
}

#[test]
fn small_changes_cost_little_with_their_share_of_the_snapshots() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    measured(&[&daemon], |_| {
        let sent = [1, 20, 100].map(|size| cost_of_small_changes(&store, &daemon, size));
        let [_, of_twenty, of_a_hundred] = sent;
        (of_twenty <= 300 && of_a_hundred <= 600)
            .then_some(())
            .ok_or_else(|| format!("{sent:?} bytes to the store"))
    });
}

#[test]
fn a_new_session_costs_little_more_than_its_bytes() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.set("warm", 0, "a", b"1");
    measured(&[&daemon], |s| {
        let mut sent = daemon.metric("sojourn_store_sent_bytes_total", "");
        let mut version = 0;
        for _ in 0..50 {
            version = client.set(s, version, "a", &random(20_000)).version();
            let now = daemon.metric("sojourn_store_sent_bytes_total", "");
            if version != 2 && now - sent > 21_000 {
                return Err(format!("{} bytes for 20,000", now - sent));
            }
            sent = now;
        }
        Ok(())
    });
}

#[test]
fn what_is_large_and_compressible_costs_a_fraction_and_what_is_not_costs_no_more() {
    let store = Store::start();
    let (daemon, off) = (
        Daemon::of(&store),
        Daemon::with(&store.url(), &[("SOJOURN_COMPRESS_ABOVE", "off")]),
    );
    let text = b"com.example.shop.Product;quantity=1,".repeat(3000);
    let sent = |daemon: &Daemon, session: &str, value: &[u8]| {
        let before = daemon.metric("sojourn_store_sent_bytes_total", "");
        let mut client = daemon.client();
        client.set(session, 0, "a", value);
        client.set(session, 1, "b", value);
        let opened = Daemon::of(&store).client().open(session, 0);
        let pairs = opened.items()[4].items();
        let all = [&pairs[1], &pairs[3]];
        assert!(
            all.iter()
                .all(|read| **read == crate::harness::Reply::Bulk(Some(value.to_vec())))
        );
        daemon.metric("sojourn_store_sent_bytes_total", "") - before
    };
    // The scripts go to the store once, and cost more than that.
    sent(&daemon, "first", b"small");
    measured(&[&daemon], |s| {
        let cost = sent(&daemon, s, &text);
        let of_text = "for two commits and a snapshot of text";
        let is_little = (cost < 20_000).then_some(());
        is_little.ok_or_else(|| format!("{cost} bytes {of_text}"))
    });
    assert!(sent(&off, "plain", &text) > 200_000);
    let noise = random(100_000);
    measured(&[&daemon], |s| {
        let cost = sent(&daemon, &format!("{s}-noise"), &noise);
        let is_no_more = (cost < 315_000).then_some(());
        is_no_more.ok_or_else(|| format!("{cost} bytes for two commits and a snapshot"))
    });
}

#[test]
fn a_session_of_sixteen_mebibytes_travels_whatever_it_is_made_of() {
    let store = Store::start();
    let settings = [
        ("SOJOURN_MAX_SESSION", "17MiB"),
        ("SOJOURN_STORE_PATIENCE", "60s"),
    ];
    let daemon = Daemon::with(&store.url(), &settings);
    let mut client = daemon.client();
    let half = 8 << 20;
    let text: Vec<u8> = b"com.example.Product "
        .iter()
        .copied()
        .cycle()
        .take(half)
        .collect();
    for (session, value) in [("text", text), ("noise", random(half))] {
        client.set(session, 0, "a", &value);
        assert_eq!(
            client.set(session, 1, "b", &value).version(),
            2,
            "{session}"
        );
        let other = Daemon::with(&store.url(), &settings);
        let opened = other.client().open(session, 0);
        let pairs = opened.items()[4].items();
        assert_eq!(pairs.len(), 4);
        assert!(
            pairs[3] == crate::harness::Reply::Bulk(Some(value)),
            "{session}"
        );
    }
    store.assert_every_key_has_a_ttl();
}

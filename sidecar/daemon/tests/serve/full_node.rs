//! A node of a cluster that is full, and others that are not.

use sojournd::key::Digest;

use crate::claims::until_trusted;
use crate::expiry::{EVERY, create, message, subscribe};
use crate::full_expiry::{assert_waits, marked_by, until_over, until_refused_for_long};
use crate::full_store::{PATIENCE, assert_refused, fail_to_save, fill, free, save};
use crate::harness::{Client, Daemon, Reply, Store, surely, until};
use crate::servers::Cluster;

fn slot(cluster: &Cluster, key: &str) -> i64 {
    cluster.say(0, &format!("CLUSTER KEYSLOT {key}")).int()
}

/// Of two, the one that has a session.
fn node(cluster: &Cluster, session: &str) -> usize {
    let key = Digest::of(session.as_bytes()).key("test.shop");
    usize::from(slot(cluster, &key) >= 8192)
}

fn shard(session: &str) -> u8 {
    Digest::of(session.as_bytes()).shard()
}

/// The node that has the reaper's lease, and the other one.
fn nodes(cluster: &Cluster) -> [usize; 2] {
    let healthy = usize::from(slot(cluster, "{00}") >= 8192);
    [healthy, 1 - healthy]
}

fn lives(node: &Store) -> Vec<String> {
    let mut keys = node.keys();
    keys.retain(|key| key.contains(":holder:"));
    keys
}

/// Of where it tells that it lives each daemon draws lots.
fn that_lives_on(cluster: &Cluster, at: usize, settings: &[(&str, &str)]) -> Daemon {
    until("a daemon that lives there", || {
        let before = lives(&cluster.nodes[at]);
        let daemon = Daemon::with(&cluster.url(), settings);
        until_trusted(&daemon);
        let now = lives(&cluster.nodes[at]);
        now.iter()
            .any(|life| !before.contains(life))
            .then_some(daemon)
    })
}

/// One that will reap, and tells where it lives, and one that has a session in use.
fn reaper_and_user(cluster: &Cluster, at: usize, settle: &str) -> [Daemon; 2] {
    let settle = ("SOJOURN_STORE_SETTLE", settle);
    let reaper = that_lives_on(cluster, at, &[PATIENCE, EVERY, settle]);
    // Else it would mark nothing, whatever it knows.
    reaper.until_looked_through();
    let user = Daemon::with(&cluster.url(), &[PATIENCE]);
    until_trusted(&user);
    [reaper, user]
}

/// Sessions of a node.
fn of(cluster: &Cluster, at: usize) -> impl Iterator<Item = String> + '_ {
    let names = (0..2000).map(|n| format!("s{n}"));
    names.filter(move |name| node(cluster, name) == at)
}

/// Has a session be over as far as its node says, which was full, though it is in use; who knows that is stopped over it.
fn in_use_where_it_was_full(cluster: &Cluster, daemon: &Daemon, session: &str) -> Client {
    let full = &cluster.nodes[node(cluster, session)];
    let mut client = daemon.client();
    surely(|| client.say(&format!("SJ.COMMIT {session} 0 6 1000 SET a 1")));
    fill(full);
    until_over(full, session, || client.open(session, 1));
    daemon.process.signal("STOP");
    client
}

/// Neither for a reaper nor for who asks its daemon for it, until the one that was stopped has told of it.
fn assert_not_over(node: &Store, reaper: &Daemon, user: (&Daemon, Client), session: &str) {
    let _listener = subscribe(reaper);
    assert_eq!(marked_by(reaper, node, session), None);
    assert_waits(reaper, user, session);
}

/// Each says to one of them only that it lives.
#[test]
fn who_lives_on_another_node_waits_for_what_is_told_to_one_that_was_full_too() {
    let cluster = Cluster::start(2, 0);
    let [healthy, full] = nodes(&cluster);
    let [reaper, daemon] = reaper_and_user(&cluster, healthy, "12s");
    let session = of(&cluster, full).next().unwrap();
    let client = in_use_where_it_was_full(&cluster, &daemon, &session);
    free(&cluster.nodes[full]);
    assert_not_over(&cluster.nodes[full], &reaper, (&daemon, client), &session);
}

fn begin_move(cluster: &Cluster, slot: i64, source: usize, target: usize) {
    let [from, to] = [source, target].map(|node| cluster.id(node));
    cluster.say(target, &format!("CLUSTER SETSLOT {slot} IMPORTING {from}"));
    cluster.say(source, &format!("CLUSTER SETSLOT {slot} MIGRATING {to}"));
}

/// Of such a slot it is the other node that answers.
#[test]
fn so_does_who_asks_it_for_a_slot_that_is_on_its_way_to_one_with_room() {
    let cluster = Cluster::start(2, 0);
    let [healthy, full] = nodes(&cluster);
    let [reaper, daemon] = reaper_and_user(&cluster, healthy, "4s");
    let key = |shard: u8| format!("{{{shard:02x}}}");
    let is_there = |shard: &u8| usize::from(slot(&cluster, &key(*shard)) >= 8192) == full;
    let first = (0..=255).find(is_there).unwrap();
    let session = of(&cluster, full)
        .find(|name| shard(name) != first)
        .unwrap();
    let moved = slot(&cluster, &key(first));
    begin_move(&cluster, moved, full, healthy);
    let client = in_use_where_it_was_full(&cluster, &daemon, &session);
    free(&cluster.nodes[full]);
    assert_not_over(&cluster.nodes[full], &reaper, (&daemon, client), &session);
}

/// It tells the other node that it lives.
#[test]
fn so_does_who_lives_in_a_slot_that_is_on_its_way_to_one_with_room() {
    let cluster = Cluster::start(2, 0);
    let [healthy, full] = nodes(&cluster);
    let settle = ("SOJOURN_STORE_SETTLE", "4s");
    let reaper = that_lives_on(&cluster, full, &[PATIENCE, EVERY, settle]);
    reaper.until_looked_through();
    let mut alive = lives(&cluster.nodes[full]);
    let life = alive.pop().unwrap();
    assert_eq!(alive, [""; 0], "others");
    let daemon = Daemon::with(&cluster.url(), &[PATIENCE]);
    until_trusted(&daemon);
    let moved = slot(&cluster, &life);
    let is_elsewhere = |name: &String| slot(&cluster, &format!("{{{:02x}}}", shard(name))) != moved;
    let session = of(&cluster, full).find(is_elsewhere).unwrap();
    begin_move(&cluster, moved, full, healthy);
    cluster.nodes[full].client().say(&format!("DEL {life}"));
    let client = in_use_where_it_was_full(&cluster, &daemon, &session);
    free(&cluster.nodes[full]);
    assert_not_over(&cluster.nodes[full], &reaper, (&daemon, client), &session);
}

/// Who gets it has never been full; that another one was is the reason to move it.
#[test]
fn what_moves_from_a_node_that_is_full_is_over_only_once_others_could_tell() {
    let cluster = Cluster::start(2, 0);
    let [healthy, full] = nodes(&cluster);
    let [reaper, daemon] = reaper_and_user(&cluster, full, "12s");
    let session = of(&cluster, full).next().unwrap();
    let client = in_use_where_it_was_full(&cluster, &daemon, &session);
    let key = Digest::of(session.as_bytes()).key("test.shop");
    cluster.migrate(&slot(&cluster, &key).to_string(), full, healthy);
    assert_not_over(
        &cluster.nodes[healthy],
        &reaper,
        (&daemon, client),
        &session,
    );
}

/// All of a cluster has one reaper, and each server room of its own.
#[test]
fn a_node_that_is_full_keeps_nobody_from_what_is_over_on_others() {
    let cluster = Cluster::start(2, 0);
    let [leased, other] = nodes(&cluster);
    what_is_over_on_others_is_told(&cluster, leased, other);
}

#[test]
fn nor_does_the_one_that_the_reapers_lease_is_at() {
    let cluster = Cluster::start(2, 0);
    let [leased, other] = nodes(&cluster);
    what_is_over_on_others_is_told(&cluster, other, leased);
}

fn what_is_over_on_others_is_told(cluster: &Cluster, healthy: usize, full: usize) {
    let daemon = Daemon::with(&cluster.url(), &[PATIENCE, EVERY]);
    until_trusted(&daemon);
    let waits = of(cluster, full).find(|name| shard(name) < 100).unwrap();
    let behind = of(cluster, healthy).filter(|name| shard(name) > shard(&waits));
    let [one, other]: [String; 2] = behind.take(2).collect::<Vec<_>>().try_into().unwrap();
    let mut client = daemon.client();
    for name in [&one, &other, &waits] {
        surely(|| client.say(&format!("SJ.COMMIT {name} 0 1 1000 SET a 1")));
    }
    fill(&cluster.nodes[full]);
    until_refused_for_long(|| client.commit(&waits, 1, "SET a lost"));
    until_idle_is_over(&cluster.nodes[healthy], &other);
    // What is over there is over: nobody waits for what is told to the full one.
    assert_eq!(surely(|| client.open(&one, 0)), Reply::Array(None));
    let mut listener = subscribe(&daemon);
    let lag = || daemon.metric("sojourn_reaper_lag_seconds ", "");
    // What nobody takes up is told again.
    let mut until_told = |name: &str| while message(&mut listener) != format!("expired {name}") {};
    until_told(&one);
    until_told(&other);
    until("the lag", || (lag() > 0).then_some(()));
    free(&cluster.nodes[full]);
    until_told(&waits);
}

fn until_idle_is_over(node: &Store, session: &str) {
    let key = Digest::of(session.as_bytes()).key("test.shop");
    let mut left = node.client();
    until("the idle time to be over", || {
        (left.say(&format!("PTTL {key}")).int() < 299_900).then_some(())
    });
}

/// A refusal is what tells a reaper so.
#[test]
fn a_node_that_is_full_since_a_moment_ago_does_not_either() {
    let cluster = Cluster::start(2, 0);
    let [healthy, full] = nodes(&cluster);
    let patience = ("SOJOURN_STORE_PATIENCE", "60s");
    let daemon = Daemon::with(&cluster.url(), &[patience, EVERY]);
    until_trusted(&daemon);
    let waits = of(&cluster, full).find(|name| shard(name) < 100).unwrap();
    let mut behind = of(&cluster, healthy).filter(|name| shard(name) > shard(&waits));
    let other = behind.next().unwrap();
    let mut client = daemon.client();
    for name in [&waits, &other] {
        create(&mut client, name, 1);
    }
    until_idle_is_over(&cluster.nodes[full], &waits);
    until_idle_is_over(&cluster.nodes[healthy], &other);
    fill(&cluster.nodes[full]);
    let mut listener = subscribe(&daemon);
    let mut until_told = |name: &str| while message(&mut listener) != format!("expired {name}") {};
    until_told(&other);
    free(&cluster.nodes[full]);
    until_told(&waits);
}

/// One that takes no writes for long is owed many; another one that took none for a moment need not wait for each of those.
#[test]
fn an_end_is_not_held_back_by_those_of_another_node_that_still_takes_none() {
    let cluster = Cluster::start(2, 0);
    let daemon = Daemon::with(&cluster.url(), &[("SOJOURN_STORE_PATIENCE", "100ms")]);
    until_trusted(&daemon);
    let owed: Vec<String> = of(&cluster, 0).take(200).collect();
    let session = of(&cluster, 1).next().unwrap();
    let mut client = daemon.client();
    for name in owed.iter().chain([&session]) {
        surely(|| client.commit(name, 0, "SET a 0"));
    }
    cluster.nodes.iter().for_each(fail_to_save);
    for name in owed.iter().chain([&session]) {
        assert_refused(&client.say(&format!("SJ.END {name}")));
    }
    save(&cluster.nodes[1], b"");
    until("its end", || {
        (daemon.metric("sojourn_refilled_total", "tombstone") == 1).then_some(())
    });
}

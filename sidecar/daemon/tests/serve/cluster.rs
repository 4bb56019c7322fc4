//! A store of several primaries, whose slots move and whose nodes come and go.

use std::collections::BTreeSet;
use std::time::Duration;

use sojournd::key::{Digest, due};

use crate::expiry::{EVERY, message, subscribe};
use crate::harness::{Daemon, Reply, surely, until};
use crate::servers::{
    Cluster, PERMITTED, SETTINGS, SlowLink, Writer, assert_written, info, lose_data, permit,
    sessions,
};

const HELD: (&str, &str) = ("SOJOURN_STORE_REPLICAS_ACK", "1");

fn daemon(cluster: &Cluster) -> Daemon {
    let daemon = Daemon::with(&cluster.url(), &SETTINGS);
    daemon.until_store("up");
    daemon
}

fn until_trusted(daemon: &Daemon) {
    until("claims to be trusted", || {
        (daemon.metric("sojourn_claims_trusted ", "") == 1).then_some(())
    });
}

/// Through two daemons, whose commits meet.
fn writers(daemons: &[Daemon; 2], names: &[String]) -> [Writer; 2] {
    [
        Writer::start(&daemons[0], "one", names),
        Writer::start(&daemons[1], "two", names),
    ]
}

fn until_more(writers: &[Writer; 2], count: usize) {
    for writer in writers {
        writer.until_more(count);
    }
}

fn assert_all_written(cluster: &Cluster, writers: [Writer; 2]) {
    let stranger = daemon(cluster);
    for (name, writer) in ["one", "two"].into_iter().zip(writers) {
        let confirmed = writer.stop();
        assert_written(&stranger, name, &confirmed);
    }
}

#[test]
fn sessions_are_spread_and_all_that_a_daemon_does_works_on_each_node() {
    let cluster = Cluster::start(3, 0);
    cluster.nodes.iter().for_each(permit);
    let [username, password] = PERMITTED;
    let settings = [username, password, ("SOJOURN_REAP_EVERY", "100ms")];
    let daemons = [
        Daemon::with(&cluster.url(), &settings),
        Daemon::with(&cluster.url(), &settings),
    ];
    daemons.iter().for_each(until_trusted);
    let names = sessions(&daemons[0], 60);
    for at in 0..3 {
        let held = cluster.nodes[at].sessions().len();
        assert!(held > 5, "node {at} has {held} of 60");
    }
    let [mut one, mut other] = [daemons[0].client(), daemons[1].client()];
    for name in &names {
        assert_eq!(other.commit(name, 1, "SET a 2").version(), 2, "{name}");
        assert_eq!(one.open(name, 1).attributes(), ["a=2"], "{name}");
    }
    for pair in names.chunks(2) {
        let renamed = one.say(&format!("SJ.RENAME {} r{} 2", pair[0], pair[0]));
        assert_eq!(renamed.int(), 3, "{renamed:?}");
        assert_eq!(other.say(&format!("SJ.END {}", pair[1])).int(), 1);
        assert_eq!(one.open(&pair[1], 2), Reply::Array(None));
    }
    let mut listener = subscribe(&daemons[0]);
    let idle: BTreeSet<String> = (0..12).map(|n| format!("expired idle{n}")).collect();
    for message in &idle {
        let session = message.trim_start_matches("expired ");
        one.say(&format!("SJ.COMMIT {session} 0 1 1000 SET a 1"));
    }
    let mut told = BTreeSet::new();
    while told.len() < idle.len() {
        told.insert(message(&mut listener));
    }
    assert_eq!(told, idle, "by one reaper for all nodes");
    for daemon in &daemons {
        assert!(!daemon.log().contains("ERROR"), "{}", daemon.log());
        assert_eq!(daemon.metric("sojourn_store_failures_total", "other"), 0);
        assert_eq!(
            daemon.metric("sojourn_store_failures_total", "permission"),
            0
        );
    }
    for node in &cluster.nodes {
        node.assert_every_key_has_a_ttl();
    }
}

#[test]
fn slots_move_to_a_node_that_was_added_under_commits() {
    let mut cluster = Cluster::start(2, 0);
    cluster.nodes.iter().for_each(permit);
    let [settle, patience] = SETTINGS;
    let [username, password] = PERMITTED;
    let settings = [settle, patience, username, password];
    let daemons = [
        Daemon::with(&cluster.url(), &settings),
        Daemon::with(&cluster.url(), &settings),
    ];
    daemons.iter().for_each(until_trusted);
    let names = sessions(&daemons[0], 24);
    let writers = writers(&daemons, &names);
    until_more(&writers, 50);
    let added = cluster.add();
    permit(&cluster.nodes[added]);
    for from in 0..2 {
        let slots = cluster.slots(from);
        for slot in slots.iter().skip(slots.len() / 3) {
            cluster.migrate(slot, from, added);
            writers[0].until_more(1);
        }
    }
    until_more(&writers, 100);
    assert!(cluster.nodes[added].sessions().len() > 5);
    // Created where there was nothing before.
    let mut client = daemons[1].client();
    for n in 0..20 {
        assert_eq!(client.commit(&format!("new{n}"), 0, "SET a 1").version(), 1);
    }
    assert_all_written(&cluster, writers);
    let sessions = cluster.nodes.iter().map(|node| node.sessions().len());
    assert_eq!(sessions.sum::<usize>(), 44, "each is on one node");
}

/// The key by which replicas are waited for may go before the sessions of its slot.
#[test]
fn while_a_slot_moves_commits_to_it_are_confirmed_and_held_where_they_can_be_waited_for() {
    let cluster = Cluster::start(2, 1);
    let settings = [HELD, ("SOJOURN_STORE_PATIENCE", "6s")];
    let daemon = Daemon::with(&cluster.url(), &settings);
    let names = sessions(&daemon, 24);
    let on_first: Vec<&String> = {
        let keys = cluster.nodes[0].sessions();
        let is_there = |name: &&String| {
            let digest = Digest::of(name.as_bytes()).hex();
            keys.iter().any(|key| key.ends_with(&digest))
        };
        names.iter().filter(is_there).collect()
    };
    let slot_of = |name: &str| {
        let shard = &Digest::of(name.as_bytes()).hex()[..2];
        cluster
            .say(0, &format!("CLUSTER KEYSLOT {{{shard}}}"))
            .int()
    };
    let [moving, other] = [on_first[0], on_first[on_first.len() - 1]];
    assert_ne!(slot_of(moving), slot_of(other));
    // A connection that has waited for nothing else.
    let daemon = Daemon::with(&cluster.url(), &settings);
    daemon.until_store("up");
    let mut fresh = daemon.client();
    assert_eq!(fresh.commit(moving, 1, "SET a 2").version(), 2);
    let slot = slot_of(moving);
    let (source, target) = (cluster.id(0), cluster.id(1));
    cluster.say(1, &format!("CLUSTER SETSLOT {slot} IMPORTING {source}"));
    cluster.say(0, &format!("CLUSTER SETSLOT {slot} MIGRATING {target}"));
    let shard = &Digest::of(moving.as_bytes()).hex()[..2];
    let port = cluster.nodes[1].port;
    let marker = format!("sj:{{{shard}}}:test.shop:written");
    let moved = cluster.say(0, &format!("MIGRATE 127.0.0.1 {port} {marker} 0 5000"));
    assert_eq!(moved.text(), "OK");
    assert_eq!(fresh.commit(moving, 2, "SET a 3").version(), 3);
    let unreplicated = || daemon.metric("sojourn_store_unreplicated_total", "");
    assert_eq!(unreplicated(), 1, "there is nothing else to wait for it by");
    let mut others = 1;
    until("a commit that is held", || {
        let before = unreplicated();
        others = fresh
            .commit(other, others, &format!("SET a {others}"))
            .version();
        (unreplicated() == before).then_some(())
    });
    let mut version = 3;
    until("a commit that is held in the slot that moves", || {
        let before = unreplicated();
        version = fresh
            .commit(moving, version, &format!("SET a {version}"))
            .version();
        (unreplicated() == before).then_some(())
    });
}

#[test]
fn a_primary_that_is_killed_is_replaced_by_its_replica_and_takes_over_again() {
    let mut cluster = Cluster::start(3, 1);
    let settings = [SETTINGS[0], SETTINGS[1], HELD];
    let daemons = [
        Daemon::with(&cluster.url(), &settings),
        Daemon::with(&cluster.url(), &settings),
    ];
    daemons.iter().for_each(until_trusted);
    let names = sessions(&daemons[0], 24);
    let mut client = daemons[0].client();
    let ended: Vec<String> = (0..12).map(|n| format!("ended{n}")).collect();
    for name in &ended {
        client.commit(name, 0, "SET a 1");
        assert_eq!(client.say(&format!("SJ.END {name}")).int(), 1);
    }
    let writers = writers(&daemons, &names);
    until_more(&writers, 50);
    cluster.nodes[0].kill();
    cluster.until_primary(3);
    until_more(&writers, 100);
    for daemon in &daemons {
        assert!(daemon.metric("sojourn_claim_lapses_total", "") > 0);
        until_trusted(daemon);
    }
    cluster.nodes[0].run();
    cluster.until_settled();
    until("the old primary to follow", || {
        (info(&cluster.nodes[0], "role") == "slave").then_some(())
    });
    until("the fail-over back", || {
        // It gives up by itself after a while, on a machine that is busy.
        cluster.say(0, "CLUSTER FAILOVER");
        (info(&cluster.nodes[0], "role") == "master").then_some(())
    });
    until_more(&writers, 100);
    assert_all_written(&cluster, writers);
    let stranger = daemon(&cluster);
    for name in &ended {
        assert_eq!(
            stranger.client().open(name, 0),
            Reply::Array(None),
            "{name}"
        );
    }
}

#[test]
fn a_primary_that_hangs_and_wakes_again_takes_nothing_back() {
    let cluster = Cluster::start(3, 1);
    let settings = [SETTINGS[0], SETTINGS[1], HELD];
    let daemons = [
        Daemon::with(&cluster.url(), &settings),
        Daemon::with(&cluster.url(), &settings),
    ];
    let names = sessions(&daemons[0], 24);
    let writers = writers(&daemons, &names);
    until_more(&writers, 50);
    cluster.nodes[1].signal("STOP");
    cluster.until_primary(4);
    until_more(&writers, 100);
    cluster.nodes[1].signal("CONT");
    until("the old primary to follow", || {
        (info(&cluster.nodes[1], "role") == "slave").then_some(())
    });
    until_more(&writers, 100);
    assert_all_written(&cluster, writers);
}

#[test]
fn a_node_that_comes_back_empty_is_filled_again() {
    let mut cluster = Cluster::start(3, 0);
    let daemon = daemon(&cluster);
    let names = sessions(&daemon, 40);
    let mut client = daemon.client();
    client.commit("ended", 0, "SET a 1");
    assert_eq!(client.say("SJ.END ended").int(), 1);
    // Any node will do, and not always the first.
    let at = fastrand::usize(..3);
    let lost = cluster.nodes[at].sessions().len();
    lose_data(&mut cluster.nodes[at]);
    until("what was lost", || {
        (cluster.nodes[at].sessions().len() == lost).then_some(())
    });
    assert!(daemon.log().contains("store has lost everything"));
    let stranger = Daemon::with(&cluster.url(), &[]);
    for name in &names {
        assert_eq!(stranger.client().open(name, 0).version(), 1, "{name}");
    }
    assert_eq!(stranger.client().open("ended", 0), Reply::Array(None));
}

#[test]
fn nodes_that_are_far_away_are_given_longer() {
    let cluster = Cluster::start(3, 0);
    let link = SlowLink::to(&cluster.nodes[0]);
    link.delay(Duration::from_millis(200));
    let url = link.url().replace("redis://", "redis-cluster://");
    let daemon = Daemon::with(&url, &SETTINGS);
    daemon.until_store("up");
    assert_eq!(daemon.client().commit("s", 0, "SET a 1").version(), 1);
}

/// Where somebody gave up in the middle of it, for ever: what is gone of it is looked for on the other node.
#[test]
fn a_slot_that_moves_keeps_no_reaper_from_what_is_over() {
    let cluster = Cluster::start(2, 0);
    // Longer than a reaper waits.
    let patience = ("SOJOURN_STORE_PATIENCE", "4s");
    let daemon = Daemon::with(&cluster.url(), &[EVERY, patience]);
    until_trusted(&daemon);
    let shard = |name: &str| Digest::of(name.as_bytes()).shard();
    let mut names = (0..2000).map(|n| format!("s{n}"));
    let over = names.find(|name| shard(name) < 100).unwrap();
    let behind = names.find(|name| shard(name) > shard(&over)).unwrap();
    let index = due(shard(&over), "test.shop");
    let slot = cluster.say(0, &format!("CLUSTER KEYSLOT {index}")).int();
    let mut client = daemon.client();
    surely(|| client.say(&format!("SJ.COMMIT {over} 0 1 1000 SET a 1")));
    let from = usize::from(!cluster.slots(0).contains(&slot.to_string()));
    let to = 1 - from;
    let (source, target) = (cluster.id(from), cluster.id(to));
    // More than are looked at in a round.
    for n in 0..20 {
        let gone = format!("{:02x}{n:038x}", shard(&over));
        let added = cluster.say(from, &format!("ZADD {index} 1000 {gone}"));
        assert_eq!(added.int(), 1);
    }
    cluster.say(to, &format!("CLUSTER SETSLOT {slot} IMPORTING {source}"));
    cluster.say(from, &format!("CLUSTER SETSLOT {slot} MIGRATING {target}"));
    surely(|| client.say(&format!("SJ.COMMIT {behind} 0 1 1000 SET a 1")));
    let mut listener = subscribe(&daemon);
    // One of them may be told again before the other, for nobody takes it up.
    let mut missing = BTreeSet::from([over, behind].map(|name| format!("expired {name}")));
    for _ in 0..8 {
        missing.remove(&message(&mut listener));
        if missing.is_empty() {
            break;
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    // Nobody who asks for a session is kept from anything by what a reaper does not wait for.
    let health = daemon.page("/storez");
    assert!(health.contains("\"state\":\"up\""), "{health}");
}

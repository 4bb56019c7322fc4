//! Commits that replicas hold before they are confirmed.

use std::time::Duration;

use crate::harness::{Client, Daemon, Reply, Store, until, within};
use crate::servers::{PERMITTED, info, permit, primary, replica_of};

fn daemon(store: &Store, replicas: &str) -> Daemon {
    Daemon::with(
        &store.url(),
        &[
            ("SOJOURN_STORE_REPLICAS_ACK", replicas),
            ("SOJOURN_STORE_PATIENCE", "20s"),
            PERMITTED[0],
            PERMITTED[1],
        ],
    )
}

fn unreplicated(daemon: &Daemon) -> i64 {
    daemon.metric("sojourn_store_unreplicated_total", "")
}

fn waits(store: &Store) -> i64 {
    let stat = info(store, "cmdstat_wait");
    let calls = stat
        .strip_prefix("calls=")
        .and_then(|rest| rest.split(',').next());
    calls.map_or(0, |calls| calls.parse().unwrap())
}

#[test]
fn what_is_confirmed_is_on_every_replica_and_many_wait_together() {
    let store = primary(&[]);
    let replicas = [replica_of(store.port, &[]), replica_of(store.port, &[])];
    permit(&store);
    let daemon = daemon(&store, "2");
    let mut clients: Vec<Client> = (0..50).map(|_| daemon.client()).collect();
    let mut client = daemon.client();
    let (mut held, mut version) = (0, 0);
    for round in 0..100 {
        version = client
            .commit("s", round, &format!("SET a {round}"))
            .version();
        // On a machine that is busy replicas may take too long.
        if unreplicated(&daemon) > 0 {
            break;
        }
        let key = store.sessions().remove(0);
        for replica in &replicas {
            let there = replica.client().say(&format!("HGET {key} v")).text();
            assert_eq!(there, version.to_string());
        }
        held += 1;
    }
    assert!(held > 0, "replicas that always took too long");
    let renamed = client.say(&format!("SJ.RENAME s t {version}"));
    assert_eq!(renamed.int(), version + 1);
    assert_eq!(client.say("SJ.END t").int(), 1);
    for replica in &replicas {
        let tombstones = replica.sessions().len();
        assert!(tombstones == 2 || unreplicated(&daemon) > 0);
    }
    // Opens have nothing to wait for.
    let before = waits(&store);
    client.open("none", 0);
    assert_eq!(waits(&store), before);
    for round in 0..10 {
        for (at, client) in clients.iter_mut().enumerate() {
            let commit = format!("SJ.COMMIT s{at} {round} 1800 1000 SET a {round}");
            client.send(&commit.split(' ').map(str::as_bytes).collect::<Vec<_>>());
        }
        for client in &mut clients {
            assert_eq!(client.read().unwrap().version(), round + 1);
        }
    }
    let waited = waits(&store) - before;
    assert!(waited > 0 && waited < 250, "{waited} WAITs for 500 commits");
    store.assert_every_key_has_a_ttl();
}

#[test]
fn replicas_that_are_away_degrade_and_do_not_stop() {
    let store = primary(&[]);
    let mut replica = replica_of(store.port, &[]);
    permit(&store);
    let daemon = daemon(&store, "1");
    let mut client = daemon.client();
    let mut version = 0;
    // On a machine that is busy the replica may take too long now and then.
    let mut until_held = || {
        until("a commit that is held", || {
            let before = unreplicated(&daemon);
            version = client
                .commit("s", version, &format!("SET a {version}"))
                .version();
            (unreplicated(&daemon) == before).then_some(version)
        })
    };
    until_held();
    let said = |what: &str| daemon.log().matches(what).count();
    let mut other = daemon.client();
    let mut written = 0;
    // Where all stands still meanwhile there is a new connection, on which it begins anew.
    until("replicas that are away and back on one connection", || {
        let (begun, ended) = (said("too few replicas"), said("is written again"));
        let before = unreplicated(&daemon);
        replica.signal("STOP");
        for _ in 0..40 {
            let committed = other.commit("other", written, &format!("SET a {written}"));
            written += 1;
            assert_eq!(committed.version(), written);
        }
        assert_eq!(unreplicated(&daemon), before + 40);
        let now = (said("too few replicas"), said("is written again"));
        replica.signal("CONT");
        let ends = || (said("is written again") > ended).then_some(());
        let has_ended = within(Duration::from_secs(5), ends).is_some();
        until_held();
        (has_ended && now == (begun + 1, ended)).then_some(())
    });
    replica.kill();
    let before = unreplicated(&daemon);
    let committed = other.commit("other", written, "SET a end");
    assert_eq!(
        (committed.version(), unreplicated(&daemon)),
        (written + 1, before + 1)
    );
}

#[test]
fn a_store_that_takes_no_writes_without_replicas_is_waited_for() {
    let store = primary(&["--min-replicas-to-write", "1"]);
    permit(&store);
    let daemon = daemon(&store, "0");
    let mut client = daemon.client();
    let waiting = std::thread::spawn(move || client.commit("s", 0, "SET a 1"));
    until("the refusal", || {
        (daemon.metric("sojourn_store_failures_total", "no replicas") > 0).then_some(())
    });
    let _replica = replica_of(store.port, &[]);
    assert_eq!(waiting.join().unwrap().version(), 1);
}

/// A commit that waits for a replica that hangs, sent along with what happens meanwhile.
fn while_it_waits(store: &Store, client: &mut Client, base: i64, what: impl FnOnce()) -> Reply {
    let commit = format!("SJ.COMMIT s {base} 1800 1000 SET a {base}");
    client.send(&commit.split(' ').map(str::as_bytes).collect::<Vec<_>>());
    let blocked = || (info(store, "blocked_clients") != "0").then_some(());
    // It does not wait for long; then it is tried again.
    within(Duration::from_millis(400), blocked);
    what();
    client.read().unwrap()
}

fn failures(daemon: &Daemon, kind: &str) -> i64 {
    daemon.metric("sojourn_store_failures_total", kind)
}

/// How often a commit was sent.
fn sent(daemon: &Daemon) -> i64 {
    let scripts = ["\"commit\"", "\"brief\""];
    let sent = scripts.map(|script| daemon.metric("sojourn_store_commands_total", script));
    sent.iter().sum()
}

#[test]
fn what_a_server_wrote_that_is_no_primary_any_more_is_not_confirmed() {
    let store = primary(&[]);
    let replica = replica_of(store.port, &[]);
    permit(&store);
    let daemon = daemon(&store, "1");
    let mut client = daemon.client();
    let mut version = client.commit("s", 0, "SET a 0").version();
    let follow = |whom: &str| {
        let said = store.client().say(&format!("REPLICAOF {whom}"));
        assert_eq!(said.text(), "OK");
    };
    // A script that the server does not know yet is sent twice.
    let is_sent_again = |before: i64| sent(&daemon) > before + 2;
    until("a commit that is sent again", || {
        replica.signal("STOP");
        let before = (unreplicated(&daemon), sent(&daemon));
        let mut again = false;
        let reply = while_it_waits(&store, &mut client, version, || {
            follow(&format!("localhost {}", replica.port));
            let is_again = || is_sent_again(before.1).then_some(());
            again = within(Duration::from_secs(2), is_again).is_some();
            follow("NO ONE");
        });
        version = reply.version();
        replica.signal("CONT");
        until("the replica", || {
            let is_online = info(&store, "slave0").contains("state=online");
            is_online.then_some(())
        });
        (again && unreplicated(&daemon) == before.0 + 1).then_some(())
    });
}

#[test]
fn what_no_replica_holds_is_done_again_where_there_is_another_connection_by_then() {
    let store = primary(&[]);
    let replica = replica_of(store.port, &[]);
    permit(&store);
    let daemon = daemon(&store, "1");
    let (mut client, mut other) = (daemon.client(), daemon.client());
    let mut version = client.commit("s", 0, "SET a 0").version();
    let mut others = 0;
    let mut commit_otherwise = || {
        others = other
            .commit("t", others, &format!("SET a {others}"))
            .version();
    };
    commit_otherwise();
    replica.signal("STOP");
    until("a commit that is done again", || {
        let again = failures(&daemon, "no primary");
        let reply = while_it_waits(&store, &mut client, version, || {
            let all = store.client().say("CLIENT LIST TYPE normal").text();
            let of_scripts = |line: &&str| line.contains("cmd=eval");
            for line in all.lines().filter(of_scripts) {
                let id = line.split(['=', ' ']).nth(1).unwrap();
                store.client().say(&format!("CLIENT KILL ID {id}"));
            }
            commit_otherwise();
        });
        version = reply.version();
        (failures(&daemon, "no primary") > again).then_some(())
    });
}

/// Else it would be closed, and the first commit after that would have the other one made anew, and all claims void.
#[test]
fn the_connection_that_waits_for_replicas_is_kept_open_where_servers_close_idle_ones() {
    const TIMEOUT: u64 = 5;
    let store = primary(&["--timeout", &TIMEOUT.to_string()]);
    permit(&store);
    let daemon = daemon(&store, "1");
    daemon.until_store("up");
    until("two connections that are older than idle ones get", || {
        let all = store.client().say("CLIENT LIST TYPE normal").text();
        let ours = all.lines().filter(|line| line.contains("user=sidecar"));
        let age = |line: &str| {
            let mut words = line.split(' ');
            let age = words.find_map(|word| word.strip_prefix("age="));
            age.unwrap().parse::<u64>().unwrap()
        };
        let old = ours.filter(|line| age(line) > TIMEOUT + 2);
        (old.count() == 2).then_some(())
    });
}

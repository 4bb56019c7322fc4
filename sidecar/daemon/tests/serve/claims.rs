//! Claims: whose copy is the newest without asking, and how it is called back.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::harness::{Client, Daemon, Reply, Store, surely, until};
use crate::lives::under_one_life;

pub const MODES: [(&str, &str); 2] = [("SOJOURN_MODE", "Sync"), ("SOJOURN_MODE", "Async")];

/// Whom the store lets hear of nothing: without channels nobody has claims.
pub fn deaf(store: &Store) -> [Daemon; 2] {
    let allowed = "ACL SETUSER sidecar on >secret allkeys resetchannels +@all";
    assert_eq!(store.client().say(allowed).text(), "OK");
    let settings = [
        ("SOJOURN_STORE_USERNAME", "sidecar"),
        ("SOJOURN_STORE_PASSWORD", "secret"),
    ];
    [(); 2].map(|()| Daemon::with(&store.url(), &settings))
}

/// Daemons whose claims are trusted.
pub fn daemons<const N: usize>(store: &Store, settings: &[(&str, &str)]) -> [Daemon; N] {
    let daemons = std::array::from_fn(|_| Daemon::with(&store.url(), settings));
    daemons.iter().for_each(until_trusted);
    daemons
}

pub fn until_trusted(daemon: &Daemon) {
    until("claims to be trusted", || {
        (daemon.metric("sojourn_claims_trusted ", "") == 1).then_some(())
    });
}

pub fn claims(daemon: &Daemon) -> i64 {
    daemon.metric("sojourn_claims ", "")
}

/// Creates a session and opens it until it is claimed.
pub fn claimed(daemon: &Daemon, client: &mut Client, session: &str) {
    let created = surely(|| client.commit(session, 0, "SET a 0"));
    assert_eq!(created.version(), 1);
    until_claimed(daemon, client, session, 1);
}

/// Claims that become void meanwhile, on a machine that is busy, are made anew.
pub fn until_claimed(daemon: &Daemon, client: &mut Client, session: &str, version: i64) {
    until("the claim", || {
        is_claimed(daemon, client, session, version).then_some(())
    });
}

/// Whether an open asks nobody.
pub fn is_claimed(daemon: &Daemon, client: &mut Client, session: &str, version: i64) -> bool {
    let opens = || daemon.metric("sojourn_store_commands_total", "open");
    let before = opens();
    client.open(session, version);
    opens() == before
}

pub fn value(reply: &Reply, name: &str) -> i64 {
    let prefix = format!("{name}=");
    let attributes = reply.attributes();
    let value = attributes
        .iter()
        .find_map(|pair| pair.strip_prefix(&prefix));
    value.expect(name).parse().unwrap()
}

#[test]
fn under_a_claim_an_open_costs_nothing_and_a_commit_one_command() {
    for mode in MODES {
        let store = Store::start();
        let [daemon] = daemons(&store, &[mode]);
        let mut client = daemon.client();
        claimed(&daemon, &mut client, "s");
        // The first run of each script is sent twice, by digest and whole.
        let mut version = client.commit("s", 1, "SET a 1").version();
        let stored = || {
            until("the commit", || {
                (daemon.metric("sojourn_queue_bytes", "") == 0).then_some(())
            });
        };
        under_one_life(&[&daemon], |_| {
            until_claimed(&daemon, &mut client, "s", version);
            stored();
            let before = store.scripts_run();
            let mut costs = Vec::new();
            for _ in 0..20 {
                let opened = client.open("s", version);
                assert_eq!((opened.version(), opened.attributes()), (version, vec![]));
                costs.push(store.scripts_run() - before);
                let change = format!("SET a {version}");
                version = client.commit("s", version, &change).version();
                stored();
                costs.push(store.scripts_run() - before);
            }
            let expected: Vec<i64> = (1..=40).map(|n| n / 2).collect();
            if costs == expected {
                Ok(())
            } else {
                Err(format!("{mode:?}: {costs:?}"))
            }
        });
        let expected = format!("a={}", version - 1);
        assert_eq!(client.open("s", 0).attributes(), [expected]);
        store.assert_every_key_has_a_ttl();
    }
}

#[test]
fn whatever_daemon_is_asked_it_knows_what_was_written_before() {
    for mode in MODES {
        let store = Store::start();
        let daemons: [Daemon; 2] = daemons(&store, &[mode]);
        let mut clients = daemons.each_ref().map(Daemon::client);
        let mut held = [0, 0];
        let mut version = clients[0].commit("s", 0, "SET a 0").version();
        // Runs of different lengths: some long enough for a claim, some not.
        let mut n = 0;
        for run in 0..40 {
            let at = run % 2;
            for _ in 0..[1, 2, 5, 9][run / 2 % 4] {
                let opened = clients[at].open("s", held[at]);
                assert_eq!(opened.version(), version, "{mode:?} run {run}");
                if held[at] < version {
                    assert_eq!(value(&opened, "a"), n, "{mode:?} run {run}");
                }
                n += 1;
                version = clients[at]
                    .commit("s", version, &format!("SET a {n}"))
                    .version();
                held[at] = version;
            }
        }
        let called_back: i64 = daemons
            .iter()
            .map(|daemon| daemon.metric("sojourn_claims_called_back_total", ""))
            .sum();
        assert!(called_back > 0, "there were claims");
        assert_eq!(store.client().say("PING").text(), "PONG");
    }
}

#[test]
fn a_claim_is_called_back_while_its_holder_commits() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode]);
        let mut client = holder.client();
        claimed(&holder, &mut client, "s");
        let written = AtomicI64::new(0);
        let rounds = 300;
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut version = 1;
                for n in 1..=rounds {
                    version = client.commit("s", version, &format!("SET a {n}")).version();
                    written.store(n, Ordering::SeqCst);
                    client.open("s", version);
                }
            });
            let mut reader = other.client();
            while !writer.is_finished() {
                let before = written.load(Ordering::SeqCst);
                let read = value(&reader.open("s", 0), "a");
                assert!(read >= before, "{mode:?}: {read} after {before}");
            }
            writer.join().unwrap();
            assert_eq!(value(&reader.open("s", 0), "a"), rounds, "{mode:?}");
        });
        // Reading beside a claim in `Sync` disturbs nobody.
        if mode == MODES[1] {
            assert!(holder.metric("sojourn_claims_called_back_total", "") >= 1);
        }
    }
}

#[test]
fn sixty_four_commits_at_once_over_three_daemons_are_all_there() {
    for mode in MODES {
        let store = Store::start();
        let daemons: [Daemon; 3] = daemons(&store, &[mode]);
        claimed(&daemons[1], &mut daemons[1].client(), "s");
        std::thread::scope(|scope| {
            for n in 0..64 {
                let mut client = daemons[n % 3].client();
                scope.spawn(move || {
                    let held = client.open("s", 0).version();
                    let reply = client.commit("s", held, &format!("SET a{n} {n}"));
                    assert!(reply.version() > 1);
                });
            }
        });
        for daemon in &daemons {
            let opened = daemon.client().open("s", 0);
            assert_eq!(opened.attributes().len(), 65, "{mode:?}");
            for n in 0..64 {
                assert_eq!(value(&opened, &format!("a{n}")), n);
            }
        }
        store.assert_every_key_has_a_ttl();
    }
}

#[test]
fn a_holder_that_was_killed_is_taken_over() {
    for mode in MODES {
        let store = Store::start();
        let [mut holder, other] = daemons(&store, &[mode]);
        claimed(&holder, &mut holder.client(), "s");
        holder.process.0.kill().unwrap();
        holder.process.0.wait().unwrap();
        let mut client = other.client();
        assert_eq!(client.open("s", 0).attributes(), ["a=0"]);
        assert_eq!(client.commit("s", 1, "SET a 1").version(), 2);
        assert!(other.metric("sojourn_claim_takeovers_total", "") <= 1);
    }
}

#[test]
fn a_pod_that_drains_keeps_nobody_waiting() {
    for mode in MODES {
        let store = Store::start();
        let [leaving, other] = daemons(&store, &[mode]);
        let mut client = leaving.client();
        for n in 0..50 {
            claimed(&leaving, &mut client, &format!("s{n}"));
        }
        assert_eq!(client.say("SJ.DRAIN").text(), "OK");
        until("the claims to be released", || {
            (claims(&leaving) == 0).then_some(())
        });
        let mut moved = other.client();
        for n in 0..50 {
            assert_eq!(moved.open(&format!("s{n}"), 0).attributes(), ["a=0"]);
        }
        if leaving.metric("sojourn_claim_lapses_total", "") == 0 {
            assert_eq!(leaving.metric("sojourn_claims_called_back_total", ""), 0);
            assert_eq!(other.metric("sojourn_claim_takeovers_total", ""), 0);
        }
        // Work goes on, but nothing is claimed for it.
        for _ in 0..5 {
            client.open("s0", 1);
        }
        assert_eq!(claims(&leaving), 0);
    }
}

#[test]
fn a_daemon_that_is_told_to_stop_leaves_no_claim() {
    let store = Store::start();
    let [mut leaving, other] = daemons(&store, &[MODES[1]]);
    claimed(&leaving, &mut leaving.client(), "s");
    let lapses = leaving.metric("sojourn_claim_lapses_total", "");
    leaving.process.signal("TERM");
    assert_eq!(leaving.process.exit_code(), Some(0));
    assert_eq!(other.client().open("s", 0).attributes(), ["a=0"]);
    let void = other.metric("sojourn_claim_takeovers_total", "");
    assert!(void <= lapses, "{void} {lapses}");
    let lives = store
        .keys()
        .into_iter()
        .filter(|key| key.contains(":holder:"));
    assert_eq!(lives.count(), 1, "that of the other one");
}

#[test]
fn who_comes_next_learns_of_the_last_access() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode]);
        let mut client = holder.client();
        claimed(&holder, &mut client, "s");
        let now = || {
            let time = store.client().say("TIME");
            let part = |n: usize| time.items()[n].text().parse::<i64>().unwrap();
            part(0) * 1000 + part(1) / 1000
        };
        let first = now();
        // What is committed under a claim is told by the daemon's notion of the store's clock, which is behind by a round trip.
        until("more to pass than a slow round trip takes", || {
            (now() > first + 500).then_some(())
        });
        let before = client.open("s", 1).items()[2].int();
        assert!(
            before <= first,
            "the access before this one: {before} {first}"
        );
        if mode == MODES[0] {
            // Of one that only read others learn later.
            assert_eq!(client.commit("s", 1, "SET a 1").version(), 2);
        }
        let accessed = other.client().open("s", 0).items()[2].int();
        assert!(accessed > first, "{accessed} {first}");
        assert!(accessed <= now() + 1);
    }
}

#[test]
fn an_access_is_told_before_the_session_could_be_taken_as_unused() {
    let store = Store::start();
    let [holder] = daemons(&store, &[]);
    let mut client = holder.client();
    // An eighth of it is a second.
    client.say("SJ.COMMIT s 0 8 1000 SET a 1");
    until_claimed(&holder, &mut client, "s", 1);
    let key = store.sessions().remove(0);
    let told = || {
        let told = store.client().call(&[b"HGET", key.as_bytes(), b"a"]);
        told.text().parse::<i64>().unwrap()
    };
    let touches = || holder.metric("sojourn_store_commands_total", "touch");
    let before = told();
    // Where the claim has lapsed the open itself tells it.
    until("the access to be told", || {
        client.open("s", 1);
        (told() > before && touches() > 0).then_some(())
    });
}

#[test]
fn the_end_of_a_claimed_session_is_the_end() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode]);
        let mut client = holder.client();
        claimed(&holder, &mut client, "s");
        assert_eq!(other.client().say("SJ.END s").int(), 1);
        assert_eq!(client.open("s", 1), Reply::Array(None));
        claimed(&holder, &mut client, "t");
        assert_eq!(client.say("SJ.END t").int(), 1);
        assert_eq!(client.open("t", 1), Reply::Array(None));
        assert_eq!(other.client().open("t", 0), Reply::Array(None));
    }
}

#[test]
fn a_renamed_session_stays_claimed() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode]);
        let mut client = holder.client();
        claimed(&holder, &mut client, "old");
        assert_eq!(client.say("SJ.RENAME old new 1").int(), 2);
        until_claimed(&holder, &mut client, "new", 2);
        // By one that holds neither, of one that the other has claimed.
        assert_eq!(other.client().say("SJ.RENAME new newer 2").int(), 3);
        assert_eq!(client.open("new", 2), Reply::Array(None));
        assert_eq!(client.open("newer", 0).attributes(), ["a=0"]);
    }
}

//! Two stores, while sessions move from one to the other.

mod ends;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::claims::{MODES, claimed, until_trusted};
use crate::expiry::{EVERY, create, message, subscribe};
use crate::harness::{Client, Daemon, Reply, Store, until};
use crate::servers::SlowLink;

/// One daemon for which the old store is the main one still, and one for which the new one is.
struct Pair {
    old: Store,
    new: Store,
    before: Daemon,
    after: Daemon,
}

impl Pair {
    /// Neither takes over what nobody asks for: each calls the other store the next one.
    fn start(settings: &[(&str, &str)]) -> Self {
        let (old, new) = (Store::start(), Store::start());
        let before = with_other(&old, &new, settings);
        let after = with_other(&new, &old, settings);
        Self {
            old,
            new,
            before,
            after,
        }
    }

    fn clients(&self) -> (Client, Client) {
        (self.before.client(), self.after.client())
    }

    /// Which of the stores have it, and it can be opened there.
    fn living(&self) -> [usize; 2] {
        [&self.old, &self.new].map(|store| {
            let keys = store.sessions();
            let ended = |key: &String| store.client().say(&format!("HEXISTS {key} x")).int() == 1;
            keys.iter().filter(|key| !ended(key)).count()
        })
    }
}

fn with_other(main: &Store, other: &Store, settings: &[(&str, &str)]) -> Daemon {
    let url = other.url();
    let settings = [settings, &[("SOJOURN_STORE_NEXT_URL", url.as_str())]].concat();
    let daemon = Daemon::with(&main.url(), &settings);
    until_trusted(&daemon);
    daemon
}

#[test]
fn another_store_that_refuses_is_not_asked_until_the_patience_is_over() {
    let (main, other) = (Store::start(), Store::start());
    assert_eq!(other.client().say("ACL SETUSER default -get").text(), "OK");
    let daemon = with_other(&main, &other, &[("SOJOURN_STORE_PATIENCE", "60s")]);
    let reply = daemon.client().open("unknown", 0).text();
    assert!(reply.starts_with("BUSY "), "{reply}");
    let log = daemon.log();
    assert!(
        log.contains("store refused") && log.contains("script=\"epoch\""),
        "{log}"
    );
}

#[test]
fn a_session_is_found_wherever_it_is_and_lives_in_one_store() {
    for mode in MODES {
        let pair = Pair::start(&[mode]);
        let (mut before, mut after) = pair.clients();
        let mut version = before.commit("s", 0, "SET n 0").version();
        for n in 1..20 {
            let [one, other] = if n % 2 == 0 {
                [&mut after, &mut before]
            } else {
                [&mut before, &mut after]
            };
            version = other.commit("s", version, &format!("SET n {n}")).version();
            let opened = one.open("s", 0);
            assert_eq!(opened.version(), version, "{mode:?}");
            assert_eq!(opened.attributes(), [format!("n={n}")]);
        }
        assert_eq!(pair.living().iter().sum::<usize>(), 1);
        pair.old.assert_every_key_has_a_ttl();
        pair.new.assert_every_key_has_a_ttl();
    }
}

#[test]
fn a_claim_is_called_back_and_what_was_told_early_comes_along() {
    for mode in MODES {
        let pair = Pair::start(&[mode]);
        let (mut before, mut after) = pair.clients();
        for round in 0..5 {
            let session = format!("s{round}");
            claimed(&pair.before, &mut before, &session);
            assert_eq!(before.commit(&session, 1, "SET a 1 SET b 1").version(), 2);
            assert_eq!(after.open(&session, 0).attributes(), ["a=1", "b=1"]);
            assert_eq!(after.commit(&session, 2, "SET a 2").version(), 3);
            assert_eq!(before.open(&session, 0).attributes(), ["a=2", "b=1"]);
        }
    }
}

#[test]
fn who_holds_an_old_copy_commits_to_the_session_where_it_is_now() {
    let pair = Pair::start(&[]);
    let (mut before, mut after) = pair.clients();
    before.commit("s", 0, "SET a 1 SET b 1");
    assert_eq!(after.commit("s", 1, "SET c 1").version(), 2);
    assert_eq!(before.commit("s", 1, "SET b 2").version(), 3);
    assert_eq!(after.open("s", 0).attributes(), ["a=1", "b=2", "c=1"]);
}

#[test]
fn a_late_commit_follows_a_rename_into_the_other_store() {
    let pair = Pair::start(&[]);
    let (mut before, mut after) = pair.clients();
    before.commit("a", 0, "SET a 1");
    assert_eq!(after.say("SJ.RENAME a b 1").int(), 2);
    assert_eq!(before.commit("a", 1, "SET late 1").version(), 3);
    assert_eq!(after.open("b", 0).attributes(), ["a=1", "late=1"]);
    assert_eq!(after.open("a", 0), Reply::Array(None));
}

#[test]
fn whoever_asks_next_goes_on_where_one_died_between_two_stores() {
    for asks_old in [true, false] {
        let pair = Pair::start(&[]);
        let (mut before, mut after) = pair.clients();
        before.commit("s", 0, "SET a 1");
        let [key] = &pair.old.sessions()[..] else {
            panic!("{:?}", pair.old.sessions());
        };
        // As it is left by who takes it.
        pair.old.client().say(&format!("HSET {key} x + f +1"));
        let (first, second) = if asks_old {
            (&mut before, &mut after)
        } else {
            (&mut after, &mut before)
        };
        assert_eq!(first.commit("s", 1, "SET b 1").version(), 2);
        assert_eq!(second.open("s", 0).attributes(), ["a=1", "b=1"]);
        assert_eq!(pair.living().iter().sum::<usize>(), 1);
    }
}

#[test]
fn what_was_taken_and_comes_late_takes_the_place_of_nothing_newer() {
    let (old, new) = (Store::start(), Store::start());
    let link = SlowLink::to(&new);
    let before = with_other(&old, &new, &[]);
    let url = old.url();
    let after = Daemon::with(&link.url(), &[("SOJOURN_STORE_NEXT_URL", url.as_str())]);
    after.until_store("up");
    let mut client = before.client();
    for round in 0..5 {
        let session = &format!("s{round}");
        client.commit(session, 0, "SET a 1");
        let sessions = old.sessions();
        let is_new = |key: &&String| old.client().say(&format!("HEXISTS {key} x")).int() == 0;
        let key = sessions.iter().find(is_new).unwrap();
        link.delay(Duration::from_millis(150));
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| after.client().commit(session, 1, "SET b 1"));
            until("it to be taken", || {
                let taken = old.client().say(&format!("HEXISTS {key} x")).int();
                (taken == 1).then_some(())
            });
            assert!(client.commit(session, 1, "SET a 2").version() > 1);
            assert!(slow.join().unwrap().version() > 1);
        });
        link.delay(Duration::ZERO);
        for daemon in [&before, &after] {
            let opened = daemon.client().open(session, 0);
            assert_eq!(opened.attributes(), ["a=2", "b=1"]);
        }
    }
}

#[test]
fn commits_at_once_on_both_sides_lose_nothing() {
    for mode in MODES {
        let pair = Pair::start(&[mode]);
        for round in 0..10 {
            let session = format!("s{round}");
            pair.before.client().commit(&session, 0, "SET start 1");
            let session = &session;
            std::thread::scope(|scope| {
                for n in 0..4 {
                    let daemon = [&pair.before, &pair.after][n % 2];
                    scope.spawn(move || {
                        let mut client = daemon.client();
                        for i in 0..5 {
                            let reply = client.commit(session, 1, &format!("SET a{n}.{i} 1"));
                            assert!(reply.version() > 1);
                        }
                    });
                }
            });
            let all: BTreeSet<String> = (0..4)
                .flat_map(|n| (0..5).map(move |i| format!("a{n}.{i}=1")))
                .chain(["start=1".into()])
                .collect();
            for daemon in [&pair.before, &pair.after] {
                let opened = daemon.client().open(session, 0).attributes();
                assert_eq!(opened.into_iter().collect::<BTreeSet<_>>(), all);
            }
        }
        assert_eq!(pair.living().iter().sum::<usize>(), 10);
    }
}

#[test]
fn all_of_the_previous_store_is_taken_over_and_its_listeners_are_told() {
    let (old, new) = (
        Store::with(&["--requirepass", "old"]),
        Store::with(&["--requirepass", "new"]),
    );
    let password = [("SOJOURN_STORE_PASSWORD", "old")];
    let before = Daemon::with(&old.url(), &password);
    let mut client = before.client();
    for n in 0..40 {
        client.commit(&format!("s{n}"), 0, &format!("SET n {n}"));
    }
    create(&mut client, "short", 3);
    drop(before);
    let url = old.url();
    let settings = [
        ("SOJOURN_STORE_PASSWORD", "new"),
        ("SOJOURN_STORE_PREVIOUS_URL", url.as_str()),
        ("SOJOURN_STORE_PREVIOUS_PASSWORD", "old"),
        EVERY,
    ];
    let after = Daemon::with(&new.url(), &settings);
    let mut told = subscribe(&after);
    assert_eq!(message(&mut told), "expired short");
    until("the previous store to be empty", || {
        let log = after.log();
        log.contains("previous store has no sessions").then_some(())
    });
    assert_eq!(after.metric("sojourn_store_moved_total", ""), 41);
    assert_eq!(after.metric("sojourn_store_previous_sessions", ""), 0);
    drop(old);
    for n in 0..40 {
        let opened = after.client().open(&format!("s{n}"), 0);
        assert_eq!(opened.attributes(), [format!("n={n}")]);
    }
}

#[test]
fn a_store_by_two_addresses_is_one() {
    let store = Store::start();
    let before = Daemon::of(&store);
    before.client().commit("s", 0, "SET a 1");
    let localhost = format!("redis://localhost:{}", store.port);
    let settings = [("SOJOURN_STORE_PREVIOUS_URL", localhost.as_str())];
    let daemon = Daemon::with(&store.url(), &settings);
    assert_eq!(daemon.client().open("absent", 0), Reply::Array(None));
    assert!(daemon.log().contains("both stores are one"));
    assert_eq!(daemon.client().open("s", 0).attributes(), ["a=1"]);
}

#[test]
fn while_the_other_store_is_away_nobody_is_taken_for_logged_out() {
    let mut pair = Pair::start(&[("SOJOURN_STORE_PATIENCE", "1s")]);
    let (mut before, mut after) = pair.clients();
    before.commit("there", 0, "SET a 1");
    after.commit("here", 0, "SET a 1");
    pair.old.kill();
    assert_eq!(after.open("here", 0).attributes(), ["a=1"]);
    assert!(after.open("there", 0).text().starts_with("BUSY"));
    pair.old.run();
    let there = until("the session", || match after.open("there", 0) {
        Reply::Error(_) => None,
        opened => Some(opened.attributes()),
    });
    assert_eq!(there, ["a=1"]);
}

#[test]
fn nobody_waits_anew_for_another_store_that_has_never_been_there() {
    let (main, mut other) = (Store::start(), Store::start());
    other.kill();
    let patience = [("SOJOURN_STORE_PATIENCE", "5s")];
    let daemon = with_other(&main, &other, &patience);
    let (mut holder, mut client) = (daemon.client(), daemon.client());
    holder.commit("kept", 0, "SET a 1");
    assert_eq!(holder.say("SJ.OPEN kept 1 EXCLUSIVE").version(), 1);
    let unknown = client.open("unknown", 0).text();
    assert!(unknown.starts_with("BUSY "), "{unknown}");
    // Who waits for the patience is answered after who need not, who came later.
    for request in ["1 SJ.OPEN kept 0 EXCLUSIVE", "2 SJ.OPEN unknown 0"] {
        let words: Vec<&[u8]> = request.split(' ').map(str::as_bytes).collect();
        client.send(&[&[&b"SJ.TAG"[..]], &words[..]].concat());
    }
    for tag in [2, 1] {
        let reply = client.read().unwrap();
        assert_eq!(reply.items()[0].int(), tag);
        assert!(reply.items()[1].text().starts_with("BUSY "), "{reply:?}");
    }
}

#[test]
fn a_store_that_lost_everything_gets_nothing_back_that_lives_in_the_other() {
    let settings = [("SOJOURN_STORE_SETTLE", "500ms")];
    let mut pair = Pair::start(&settings);
    let (mut before, mut after) = pair.clients();
    before.commit("s", 0, "SET a 1");
    before.open("s", 1);
    assert_eq!(after.commit("s", 1, "SET a 2").version(), 2);
    pair.old.lose_everything();
    pair.before.until_store("up");
    assert_eq!(after.open("s", 2).version(), 2);
    let newest = until("the newest", || match before.open("s", 0) {
        Reply::Error(_) => None,
        opened => Some(opened.attributes()),
    });
    assert_eq!(newest, ["a=2"]);
    assert_eq!(pair.living().iter().sum::<usize>(), 1);
}

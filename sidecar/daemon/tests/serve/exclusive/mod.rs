//! One request of a session at a time in the whole cluster.

mod waiting;

use std::thread::ScopedJoinHandle;

use crate::claims::{MODES, until_trusted};
use crate::harness::{Client, Daemon, Reply, Store, surely, until};
use crate::lives::{calls, lapsed, lapses, same, under_one_life};

fn open(client: &mut Client, session: &str, held: i64) -> Reply {
    client.say(&format!("SJ.OPEN {session} {held} EXCLUSIVE"))
}

fn lock(opened: &Reply) -> i64 {
    opened.items()[5].int()
}

/// The lock, or why there is none.
pub fn locked(opened: &Reply) -> Result<i64, String> {
    match opened {
        Reply::Array(Some(_)) => Ok(lock(opened)),
        refused => Err(format!("{refused:?}")),
    }
}

fn commit(client: &mut Client, session: &str, base: i64, lock: i64, operations: &str) -> Reply {
    client.say(&format!(
        "SJ.COMMIT {session} {base} 1800 1000 LOCK {lock} {operations}"
    ))
}

fn unlock(client: &mut Client, session: &str, lock: i64) -> i64 {
    client.say(&format!("SJ.UNLOCK {session} {lock}")).int()
}

/// Whether that came of an open, or of a commit.
fn at(version: i64, reply: &Reply) -> Result<(), String> {
    match reply {
        Reply::Array(Some(items)) => same("version", &items[0].int(), &version),
        refused => Err(format!("{refused:?}")),
    }
}

/// Whoever waits for what this pod has, which was asked for it so often before, is another one's.
fn until_called_back<T>(
    daemon: &Daemon,
    before: i64,
    waiting: &ScopedJoinHandle<'_, T>,
) -> Result<(), String> {
    until("the call", || {
        (calls(&[daemon]) > before || waiting.is_finished()).then_some(())
    });
    same("done", &waiting.is_finished(), &false)
}

/// The attributes of an open, which are not the last field here.
fn attributes(opened: &Reply) -> Vec<String> {
    Reply::Array(Some(opened.items()[..5].to_vec())).attributes()
}

#[test]
fn two_hundred_increments_over_two_daemons_are_two_hundred() {
    for mode in MODES {
        let store = Store::start();
        let settings = [mode, ("SOJOURN_STORE_PATIENCE", "60s")];
        let daemons = [
            Daemon::with(&store.url(), &settings),
            Daemon::with(&store.url(), &settings),
        ];
        daemons[0].client().commit("s", 0, "SET n 0");
        std::thread::scope(|scope| {
            for n in 0..8 {
                let mut client = daemons[n % 2].client();
                scope.spawn(move || {
                    let mut done = 0;
                    while done < 25 {
                        let opened = open(&mut client, "s", 0);
                        let lock = lock(&opened);
                        let attributes = attributes(&opened);
                        let n: u32 = attributes[0].strip_prefix("n=").unwrap().parse().unwrap();
                        let reply = commit(
                            &mut client,
                            "s",
                            opened.version(),
                            lock,
                            &format!("SET n {}", n + 1),
                        );
                        if reply.text_or_empty().starts_with("BUSY ") {
                            // Lost with its claim, on a machine that is busy: nothing was written.
                            continue;
                        }
                        assert_eq!(reply.version(), opened.version() + 1, "{mode:?}");
                        // It may be lost by now, and is not there to be given back.
                        unlock(&mut client, "s", lock);
                        done += 1;
                    }
                });
            }
        });
        for daemon in &daemons {
            assert_eq!(daemon.client().open("s", 0).attributes(), ["n=200"]);
        }
    }
}

#[test]
fn a_lock_is_given_back_once_and_keeps_others_out_until_then() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "1s")]);
    until_trusted(&daemon);
    let (mut one, mut other) = (daemon.client(), daemon.client());
    assert_eq!(
        open(&mut one, "s", 0),
        Reply::Array(None),
        "nothing to lock"
    );
    let wrong = one.say("SJ.OPEN s 1 MAYBE").text();
    assert!(wrong.starts_with("ERR unknown word"), "{wrong}");
    // A lock ends with the claim that it is held under.
    under_one_life(&[&daemon], |s| {
        surely(|| one.commit(s, 0, "SET a 1"));
        let first = locked(&open(&mut one, s, 1))?;
        let waits = || daemon.metric("sojourn_lock_waits_total", "");
        let before = waits();
        let busy = open(&mut other, s, 0).text_or_empty();
        let waited = waits() - before;
        // Another's, one of another session, by whatever connection, once.
        let given_back = [
            unlock(&mut one, s, first + 1),
            unlock(&mut one, "t", first),
            unlock(&mut other, s, first),
            unlock(&mut one, s, first),
        ];
        let second = locked(&open(&mut other, s, 0))?;
        let late = commit(&mut one, s, 1, first, "SET a 2").text_or_empty();
        let committed = commit(&mut other, s, 1, second, "SET a 3");
        let done = unlock(&mut other, s, second);
        let as_meant = (waited, given_back, done) == (1, [0, 0, 1, 0], 1)
            && [&busy, &late].iter().all(|text| text.starts_with("BUSY "))
            && matches!(&committed, Reply::Array(Some(items)) if items[0] == Reply::Integer(2));
        as_meant.then_some(()).ok_or_else(|| {
            format!("{waited}, {busy}, {given_back:?}, {late}, {committed:?}, {done}")
        })
    });
}

#[test]
fn locks_end_with_their_connection() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    let mut client = daemons[0].client();
    client.commit("s", 0, "SET a 1");
    lock(&open(&mut client, "s", 1));
    drop(client);
    let mut other = daemons[1].client();
    let lock = lock(&open(&mut other, "s", 0));
    assert_eq!(commit(&mut other, "s", 1, lock, "SET a 2").version(), 2);
}

#[test]
fn a_paused_pod_cannot_write_into_a_session_that_another_has_taken_over() {
    for mode in MODES {
        let store = Store::start();
        let daemons = [
            Daemon::with(&store.url(), &[mode]),
            Daemon::with(&store.url(), &[mode]),
        ];
        let (mut paused, mut other) = (daemons[0].client(), daemons[1].client());
        paused.commit("s", 0, "SET a 1");
        let lost = lock(&open(&mut paused, "s", 1));
        daemons[0].process.signal("STOP");
        paused.send(&[
            b"SJ.COMMIT",
            b"s",
            b"1",
            b"1800",
            b"1000",
            b"LOCK",
            lost.to_string().as_bytes(),
            b"SET",
            b"a",
            b"over",
        ]);
        let taken = lock(&open(&mut other, "s", 0));
        assert_eq!(commit(&mut other, "s", 1, taken, "SET a 2").version(), 2);
        assert_eq!(unlock(&mut other, "s", taken), 1);
        daemons[0].process.signal("CONT");
        let reply = paused.read().unwrap().text();
        assert!(reply.starts_with("BUSY "), "{mode:?}: {reply}");
        assert_eq!(paused.open("s", 0).attributes(), ["a=2"]);
    }
}

#[test]
fn a_lock_goes_along_with_a_new_name() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    let [mut client, mut other] = daemons.each_ref().map(Daemon::client);
    under_one_life(&daemons.each_ref(), |old| {
        let new = format!("{old}-new");
        client.commit(old, 0, "SET a 1");
        let lock = locked(&open(&mut client, old, 1))?;
        assert_eq!(client.say(&format!("SJ.RENAME {old} {new} 1")).int(), 2);
        at(3, &commit(&mut client, &new, 2, lock, "SET a 2"))?;
        // A commit under the name that the request began with.
        at(4, &commit(&mut client, old, 3, lock, "SET b 1"))?;
        let before = calls(&[&daemons[0]]);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| open(&mut other, &new, 0));
            until_called_back(&daemons[0], before, &waiting)?;
            same("given back", &unlock(&mut client, &new, lock), &1)?;
            at(4, &waiting.join().unwrap())
        })
    });
}

#[test]
fn a_pod_that_drains_keeps_what_a_request_has_for_itself_until_the_request_is_done() {
    let store = Store::start();
    let other = Daemon::of(&store);
    let mut sessions = (0..).map(|n| format!("s{n}"));
    // One that drains does so to its end: where its claims become void another one takes its place.
    until("a life that is long enough", || {
        let (leaving, s) = (Daemon::of(&store), sessions.next()?);
        until_trusted(&leaving);
        let before = lapses(&[&leaving]);
        let outcome = keeps_while_it_drains(&leaving, &s);
        if outcome.is_err() && lapsed(&[&leaving], before) {
            return None;
        }
        outcome.unwrap();
        assert_eq!(other.client().open(&s, 0).attributes(), ["a=3"]);
        Some(())
    });
}

fn keeps_while_it_drains(leaving: &Daemon, session: &str) -> Result<(), String> {
    let mut client = leaving.client();
    client.commit(session, 0, "SET a 1");
    let before = locked(&open(&mut client, session, 1))?;
    assert_eq!(client.say("SJ.DRAIN").text(), "OK");
    at(2, &commit(&mut client, session, 1, before, "SET a 2"))?;
    same("given back", &unlock(&mut client, session, before), &1)?;
    let released = || {
        until("the claim to be released", || {
            (leaving.metric("sojourn_claims ", "") == 0).then_some(())
        });
    };
    released();
    let after = locked(&open(&mut client, session, 2))?;
    at(3, &commit(&mut client, session, 2, after, "SET a 3"))?;
    same("given back", &unlock(&mut client, session, after), &1)?;
    released();
    Ok(())
}

/// Shared claims are in nobody's way: two daemons that have them must not each take theirs for a lock.
#[test]
fn a_shared_claim_is_no_lock() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    let [mut one, mut other] = daemons.each_ref().map(Daemon::client);
    under_one_life(&daemons.each_ref(), |s| {
        one.commit(s, 0, "SET a 1");
        until("a shared claim on each", || {
            let before = store.scripts_run();
            one.open(s, 1);
            other.open(s, 1);
            (store.scripts_run() == before).then_some(())
        });
        let first = locked(&open(&mut one, s, 1))?;
        let before = calls(&[&daemons[0]]);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| open(&mut other, s, 1));
            until_called_back(&daemons[0], before, &waiting)?;
            at(2, &commit(&mut one, s, 1, first, "SET a 2"))?;
            same("given back", &unlock(&mut one, s, first), &1)?;
            at(2, &waiting.join().unwrap())
        })
    });
}

#[test]
fn a_lost_lock_does_not_come_back_with_a_new_name() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    let [mut paused, mut other] = daemons.each_ref().map(Daemon::client);
    paused.commit("old", 0, "SET a 1");
    let lost = lock(&open(&mut paused, "old", 1));
    daemons[0].process.signal("STOP");
    let taken = lock(&open(&mut other, "old", 0));
    assert_eq!(commit(&mut other, "old", 1, taken, "SET a 2").version(), 2);
    assert_eq!(unlock(&mut other, "old", taken), 1);
    daemons[0].process.signal("CONT");
    let mut beside = daemons[0].client();
    beside.commit("another", 0, "SET a 1");
    lock(&open(&mut beside, "another", 1));
    // Claims can be made again, by a request that wants no lock.
    assert_eq!(beside.say("SJ.RENAME old new 2").int(), 3);
    let reply = commit(&mut paused, "new", 3, lost, "SET a 3").text_or_empty();
    assert!(reply.starts_with("BUSY "), "{reply}");
    assert_eq!(unlock(&mut paused, "new", lost), 0);
    assert_eq!(other.open("new", 0).attributes(), ["a=2"]);
}

/// With the claims of a daemon its locks are lost, whoever asks.
#[test]
fn a_lock_that_was_lost_with_its_claim_is_not_given_back() {
    let mut store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    let lock = lock(&open(&mut client, "s", 1));
    store.kill();
    until("claims to be void", || {
        (daemon.metric("sojourn_claims_trusted ", "") == 0).then_some(())
    });
    assert_eq!(unlock(&mut client, "s", lock), 0);
    store.run();
    until("another lock", || {
        matches!(open(&mut client, "s", 1), Reply::Array(_)).then_some(())
    });
}

//! Renames of sessions to which somebody commits all the while, or which somebody ends meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::claims::{daemons, deaf, until_trusted};
use crate::harness::{Daemon, Reply, Store, until};
use crate::shared::SaidWhenDropped;

/// Commits one thing after another to a session until it is told to stop; how many it has committed.
fn commit_until(stop: &AtomicBool, daemon: &Daemon, session: &str) -> i64 {
    let mut client = daemon.client();
    let (mut version, mut done) = (1, 0);
    while !stop.load(Ordering::Relaxed) {
        let reply = client.commit(session, version, &format!("SET n{done} 1"));
        version = reply.version();
        done += 1;
    }
    done
}

/// Nothing that somebody was told is committed may be lost, and it is one session.
fn rename_while_another_commits(one: &Daemon, other: &Daemon, rounds: i64) {
    for round in 0..rounds {
        let (old, new) = (format!("old{round}"), format!("new{round}"));
        let (mut client, mut elsewhere) = (one.client(), other.client());
        client.commit(&old, 0, "SET start 1");
        elsewhere.open(&old, 0);
        let stop = AtomicBool::new(false);
        let committed = thread::scope(|scope| {
            let _stop = SaidWhenDropped(&stop);
            let commits = scope.spawn(|| commit_until(&stop, other, &old));
            until("a commit", || {
                (elsewhere.open(&old, 0).version() > 2).then_some(())
            });
            let renamed = client.say(&format!("SJ.RENAME {old} {new} 1"));
            assert!(matches!(renamed, Reply::Integer(_)), "{round}: {renamed:?}");
            stop.store(true, Ordering::Relaxed);
            commits.join().unwrap()
        });
        assert_eq!(elsewhere.open(&old, 0), Reply::Array(None));
        let kept = elsewhere.open(&new, 0).attributes().len();
        assert_eq!(i64::try_from(kept).unwrap(), committed + 1, "{round}");
    }
}

#[test]
fn who_commits_all_the_while_does_not_keep_a_session_from_its_new_name() {
    let store = Store::start();
    let [one, other] = daemons(&store, &[]);
    rename_while_another_commits(&one, &other, 60);
}

#[test]
fn nor_where_the_store_lets_nobody_have_claims() {
    let store = Store::start();
    let [one, other] = deaf(&store);
    rename_while_another_commits(&one, &other, 60);
}

/// Whoever logs out means the session, and not the name that it is being given.
#[test]
fn a_session_that_ends_while_it_is_renamed_does_not_live_on_as_its_copy() {
    let store = Store::start();
    let (one, other) = (Daemon::of(&store), Daemon::of(&store));
    until_trusted(&one);
    for round in 0..80 {
        let (old, new) = (format!("old{round}"), format!("new{round}"));
        let (mut client, mut elsewhere) = (one.client(), other.client());
        client.commit(&old, 0, "SET start 1");
        elsewhere.open(&old, 0);
        let (old, new) = (&old, &new);
        thread::scope(|scope| {
            scope.spawn(move || client.say(&format!("SJ.RENAME {old} {new} 1")));
            scope.spawn(move || {
                // It comes in between at another place each time.
                for n in 0..=(round % 8) {
                    elsewhere.commit(old, 1, &format!("SET n{n} 1"));
                }
                assert_eq!(elsewhere.say(&format!("SJ.END {old} FOLLOW")).int(), 1);
            });
        });
        for daemon in [&one, &other] {
            for name in [old, new] {
                let opened = daemon.client().open(name, 0);
                assert_eq!(opened, Reply::Array(None), "{round}: {name} lives");
            }
        }
    }
}

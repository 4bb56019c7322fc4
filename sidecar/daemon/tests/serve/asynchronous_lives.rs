//! `SOJOURN_MODE=Async`: lives that ran out while what was answered in them is on its way to the store.

use std::thread;

use crate::asynchronous::{ASYNC, queue_is_empty};
use crate::claims::{claimed, until_trusted, value};
use crate::harness::{Daemon, Reply, Store, until};
use crate::lives::{lapses, under_one_life};
use crate::servers::{PERMITTED, permit};

fn lives(store: &Store) -> Vec<String> {
    let mut keys = store.keys();
    keys.retain(|key| key.contains(":holder:"));
    keys
}

fn idle_beside(session: &str) -> String {
    format!("idle-{session}")
}

/// As after a planned fail-over, for whose time the store took no writes: lives have run out, and what was answered has not arrived. Here it does not until it may.
#[test]
fn what_was_answered_in_a_life_that_ran_out_is_waited_for() {
    let store = Store::start();
    permit(&store);
    let [username, password] = PERMITTED;
    let holder = Daemon::with(&store.url(), &[ASYNC, username, password]);
    until_trusted(&holder);
    let allow = |what: &str| {
        let user = format!("ACL SETUSER sidecar {what}");
        assert_eq!(store.client().say(&user).text(), "OK");
    };
    let mut client = holder.client();
    let mut answered = String::new();
    under_one_life(&[&holder], |session| {
        allow("+evalsha +eval");
        claimed(&holder, &mut client, &idle_beside(session));
        claimed(&holder, &mut client, session);
        queue_is_empty(&holder);
        allow("-evalsha -eval");
        session.clone_into(&mut answered);
        match client.commit(session, 1, "SET a 1") {
            Reply::Error(why) => Err(why),
            _ => Ok(()),
        }
    });
    let life = lives(&store).remove(0);
    let before = lapses(&[&holder]);
    store.client().call(&[b"UNLINK", life.as_bytes()]);
    until("another life", || {
        (lapses(&[&holder]) > before).then_some(())
    });
    let other = Daemon::with(&store.url(), &[ASYNC]);
    let open = |session: String| {
        let mut elsewhere = other.client();
        thread::spawn(move || elsewhere.open(&session, 0))
    };
    // Of the one with nothing on its way the holder cannot let go either, and who asks for the other one is not to find him silent.
    let idle = open(idle_beside(&answered));
    until("the holder to say that he lives, or an answer", || {
        (lives(&store).contains(&life) || idle.is_finished()).then_some(())
    });
    let opening = open(answered);
    until("the holder to say that he lives, or an answer", || {
        (lives(&store).contains(&life) || opening.is_finished()).then_some(())
    });
    allow("+evalsha +eval");
    assert_eq!(value(&opening.join().unwrap(), "a"), 1);
    assert_eq!(value(&idle.join().unwrap(), "a"), 0);
    assert_eq!(other.metric("sojourn_claim_takeovers_total", ""), 0);
}

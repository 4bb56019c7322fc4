//! What has ended in one of two stores, or is over, is so in both.

use super::Pair;
use crate::expiry::{EVERY, create, message, subscribe};
use crate::harness::{Daemon, Reply, Store, until};
use crate::lives::calls;

#[test]
fn what_has_ended_in_one_store_has_ended_for_all() {
    let pair = Pair::start(&[]);
    let (mut before, mut after) = pair.clients();
    before.commit("s", 0, "SET a 1");
    assert_eq!(after.say("SJ.END s").int(), 1);
    assert_eq!(before.open("s", 1), Reply::Array(None));
    assert!(before.commit("s", 1, "SET a 2").text().starts_with("GONE"));
    assert_eq!(after.open("s", 0), Reply::Array(None));
    assert_eq!(before.say("SJ.END s").int(), 0);
    assert_eq!(pair.living(), [0, 0]);
}

/// Else what is taken from the other store would be found ended already, and the client told that there was nothing to end.
#[test]
fn who_ends_what_is_in_the_other_store_is_told_so_though_tombstones_are_put_back_meanwhile() {
    let pair = Pair::start(&[("SOJOURN_STORE_SETTLE", "100ms")]);
    let (mut before, mut after) = pair.clients();
    pair.after.until_looked_through();
    before.commit("s", 0, "SET a 1");
    let opened = before.say("SJ.OPEN s 1 EXCLUSIVE");
    let lock = opened.items()[5].int();
    let looks = || pair.after.log().matches("looked_at=").count();
    let asked = || calls(&[&pair.before]);
    let (seen, called) = (looks(), asked());
    std::thread::scope(|scope| {
        let ending = scope.spawn(|| after.say("SJ.END s"));
        until("it to be asked for there", || {
            (asked() > called || ending.is_finished()).then_some(())
        });
        let kill = "CLIENT KILL TYPE normal SKIPME yes";
        pair.new.client().say(kill);
        until("a look at the store", || (looks() > seen).then_some(()));
        before.say(&format!("SJ.UNLOCK s {lock}"));
        assert_eq!(ending.join().unwrap(), Reply::Integer(1));
    });
    assert_eq!(before.open("s", 1), Reply::Array(None));
    assert_eq!(pair.living(), [0, 0]);
}

#[test]
fn what_is_over_and_has_not_been_told_is_told_from_where_it_goes_to() {
    let (old, new) = (Store::start(), Store::start());
    let before = Daemon::with(&old.url(), &[EVERY]);
    let mut deaf = subscribe(&before);
    create(&mut before.client(), "short", 1);
    assert_eq!(message(&mut deaf), "expired short");
    drop(before);
    let url = old.url();
    let settings = [("SOJOURN_STORE_PREVIOUS_URL", url.as_str()), EVERY];
    let after = Daemon::with(&new.url(), &settings);
    let mut told = subscribe(&after);
    assert_eq!(message(&mut told), "expired short");
    assert_eq!(after.client().say("SJ.REAP short").version(), 1);
}

#[test]
fn what_was_ended_by_hand_and_has_not_been_told_stays_ended() {
    let pair = Pair::start(&[]);
    let (mut before, mut after) = pair.clients();
    before.commit("s", 0, "SET a 1");
    let key = pair.old.sessions().remove(0);
    pair.old.client().say(&format!("HSET {key} x 1234 y 1"));
    assert_eq!(after.open("s", 0), Reply::Array(None));
    assert_eq!(pair.living(), [0, 0]);
}

#[test]
fn one_that_is_over_and_not_marked_is_looked_for_once() {
    let pair = Pair::start(&[]);
    let (mut before, mut after) = pair.clients();
    create(&mut before, "short", 1);
    until("it to be over", || {
        (before.say("SJ.OPEN short 0 PASSIVE") == Reply::Array(None)).then_some(())
    });
    for client in [&mut before, &mut after] {
        let refused = client.commit("short", 1, "SET a 2").text();
        assert!(refused.starts_with("GONE"), "{refused}");
    }
}

#[test]
fn what_has_ended_in_the_other_store_is_not_put_back() {
    let settings = [("SOJOURN_STORE_SETTLE", "300ms")];
    let mut pair = Pair::start(&settings);
    let (mut before, mut after) = pair.clients();
    after.commit("s", 0, "SET login yes");
    assert_eq!(before.open("s", 0).attributes(), ["login=yes"]);
    assert_eq!(before.say("SJ.END s").int(), 1);
    pair.new.lose_everything();
    until("the daemon to look through what it holds", || {
        let log = pair.after.log();
        let seen = log.contains("store has lost everything");
        (seen && pair.after.has_looked_through()).then_some(())
    });
    assert_eq!(after.open("s", 0), Reply::Array(None));
    assert_eq!(pair.living(), [0, 0]);
}

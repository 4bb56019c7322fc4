//! Who waits for a session that another request has for itself, and for how long.

use std::time::Duration;

use sojournd::key::Digest;

use super::{at, commit, lock, locked, open, unlock, until_called_back};
use crate::claims::until_trusted;
use crate::harness::{Daemon, Reply, Store, until};
use crate::lives::{calls, same, under_one_life, without_a_standstill};
use crate::servers::SlowLink;

#[test]
fn who_waits_elsewhere_gets_it_when_the_request_is_done() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    let [mut one, mut other] = daemons.each_ref().map(Daemon::client);
    under_one_life(&daemons.each_ref(), |s| {
        one.commit(s, 0, "SET a 1");
        let first = locked(&open(&mut one, s, 1))?;
        let before = calls(&[&daemons[0]]);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| open(&mut other, s, 0));
            until_called_back(&daemons[0], before, &waiting)?;
            at(2, &commit(&mut one, s, 1, first, "SET a 2"))?;
            same("given back", &unlock(&mut one, s, first), &1)?;
            let opened = waiting.join().unwrap();
            at(2, &opened)?;
            locked(&opened).map(|_| ())
        })
    });
}

fn busy(reply: &Reply) -> Result<(), String> {
    let is_busy = reply.text_or_empty().starts_with("BUSY ");
    is_busy.then_some(()).ok_or_else(|| format!("{reply:?}"))
}

/// A patience that is none here is waited for elsewhere: a lock that is never given back is refused once it is over.
fn wait_out(daemon: &Daemon, kept: &str) -> Result<(), String> {
    busy(&open(&mut daemon.client(), kept, 0))
}

#[test]
fn who_waits_for_a_request_here_and_then_for_another_pod_waits_no_longer_than_the_patience() {
    let store = Store::start();
    let with = |patience| Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", patience)]);
    let daemons = [with("6s"), with("60s")];
    let clock = with("1s");
    let all = [&daemons[0], &daemons[1], &clock];
    without_a_standstill(&all, |s| waits_here_and_then_elsewhere(all, s));
}

fn waits_here_and_then_elsewhere(
    [here, elsewhere, clock]: [&Daemon; 3],
    s: &str,
) -> Result<(), String> {
    let [late, kept] = [format!("{s}-late"), format!("{s}-kept")];
    let waits = || here.metric("sojourn_lock_waits_total", "");
    let [mut one, mut other, mut last] = [here; 3].map(Daemon::client);
    let mut next = elsewhere.client();
    one.commit(s, 0, "SET a 1");
    one.commit(&late, 0, "SET a 1");
    next.commit(&kept, 0, "SET a 1");
    locked(&open(&mut next, &kept, 1))?;
    locked(&open(&mut one, &late, 1))?;
    let first = locked(&open(&mut one, s, 1))?;
    let (before, called) = (waits(), calls(&[here]));
    std::thread::scope(|scope| {
        let taking = scope.spawn(|| {
            let opened = open(&mut next, s, 0);
            (next, opened)
        });
        until_called_back(here, called, &taking)?;
        let waiting = scope.spawn(|| open(&mut other, s, 0));
        until("it to wait", || (waits() == before + 1).then_some(()));
        wait_out(clock, &kept)?;
        let later = scope.spawn(|| open(&mut last, &late, 1));
        until("it to wait", || (waits() == before + 2).then_some(()));
        wait_out(clock, &kept)?;
        same("given back", &unlock(&mut one, s, first), &1)?;
        let (mut next, taken) = taking.join().unwrap();
        // The patience of who began to wait before it is over as well.
        busy(&later.join().unwrap())?;
        unlock(&mut next, s, locked(&taken)?);
        busy(&waiting.join().unwrap())
    })
}

#[test]
fn a_request_that_takes_longer_than_the_patience_loses_its_lock() {
    let store = Store::start();
    let patience = [("SOJOURN_STORE_PATIENCE", "2s")];
    let daemons = [
        Daemon::with(&store.url(), &patience),
        Daemon::with(&store.url(), &patience),
    ];
    let (mut one, mut other) = (daemons[0].client(), daemons[1].client());
    for daemon in &daemons {
        daemon.until_store("up");
    }
    one.commit("s", 0, "SET a 1");
    let slow = lock(&open(&mut one, "s", 1));
    let taken = until("the lock", || {
        let opened = open(&mut other, "s", 0);
        match &opened {
            Reply::Error(text) => {
                assert!(text.starts_with("BUSY "), "{text}");
                None
            }
            _ => Some(lock(&opened)),
        }
    });
    assert_eq!(commit(&mut other, "s", 1, taken, "SET a 2").version(), 2);
    let reply = commit(&mut one, "s", 1, slow, "SET a 3").text();
    assert!(reply.starts_with("BUSY "), "{reply}");
    assert_eq!(unlock(&mut one, "s", slow), 0);
    assert_eq!(unlock(&mut other, "s", taken), 1);
    assert_eq!(one.open("s", 0).attributes(), ["a=2"]);
}

/// Who asks once is not refused a moment before it would be his.
#[test]
fn who_waits_for_a_request_that_takes_too_long_is_not_refused() {
    let store = Store::start();
    // That moment is a share of it, and clients wait no longer than 30 s.
    let patience = [("SOJOURN_STORE_PATIENCE", "25s")];
    let daemons = [(); 2].map(|()| Daemon::with(&store.url(), &patience));
    under_one_life(&daemons.each_ref(), |s| {
        let ended = format!("{s}-ended");
        let [mut slow, mut other] = daemons.each_ref().map(Daemon::client);
        for session in [s, &ended] {
            slow.commit(session, 0, "SET a 1");
            locked(&open(&mut slow, session, 1))?;
        }
        let id = Digest::of(ended.as_bytes()).hex();
        let mut operator = daemons[1].client();
        std::thread::scope(|scope| {
            let ending = scope.spawn(|| operator.say(&format!("SJ.EXPIRE {id}")));
            locked(&open(&mut other, s, 0))?;
            same("ended", &ending.join().unwrap(), &Reply::Integer(1))
        })
    });
}

/// The lock of this pod is his for less than a round trip: that says nothing of the store.
#[test]
fn who_has_too_little_time_left_to_ask_the_store_is_not_told_that_it_is_away() {
    let store = Store::start();
    let link = SlowLink::to(&store);
    let holder = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "60s")]);
    let daemon = Daemon::with(&link.url(), &[("SOJOURN_STORE_PATIENCE", "6s")]);
    [&holder, &daemon].into_iter().for_each(until_trusted);
    link.delay(Duration::from_millis(40));
    without_a_standstill(&[&holder, &daemon], |s| {
        has_too_little_time_left(&holder, &daemon, s)
    });
    until("the store to be there", || {
        daemon.page("/storez").contains("\"up\"").then_some(())
    });
}

fn has_too_little_time_left(holder: &Daemon, daemon: &Daemon, s: &str) -> Result<(), String> {
    let mut client = holder.client();
    client.commit(s, 0, "SET a 1");
    locked(&open(&mut client, s, 1))?;
    let before = calls(&[holder]);
    let [mut first, mut second] = [daemon; 2].map(Daemon::client);
    std::thread::scope(|scope| {
        // One round trip and a half later. The first one's last look takes one more than it has.
        let waiting = scope.spawn(|| open(&mut first, s, 1));
        until_called_back(holder, before, &waiting)?;
        let behind = open(&mut second, s, 1);
        busy(&waiting.join().unwrap())?;
        busy(&behind)
    })
}

//! Commits that come again, for the answer to them was lost on its way.

use std::thread;
use std::time::Duration;

use crate::harness::{Client, Daemon, Reply, Store, random, until};
use crate::servers::SlowLink;

/// More than half of what an answer is waited for at first.
const LATE: Duration = Duration::from_millis(400);

/// The version that the store has, without a script that anybody would have to let go for.
fn until_version(store: &Store, version: i64) {
    let key = &store.sessions()[0];
    let mut look = store.client();
    until("the commit", || {
        let found = look.say(&format!("HGET {key} v"));
        (found.text() == version.to_string()).then_some(())
    });
}

fn value(opened: &Reply) -> Vec<u8> {
    match &opened.items()[4].items()[1] {
        Reply::Bulk(Some(value)) => value.clone(),
        other => panic!("no value: {other:?}"),
    }
}

/// What somebody committed meanwhile, and was told of, is later: the reply to one that comes again, and what a fresh daemon finds.
fn repeated(
    start: &[u8],
    mine: Vec<u8>,
    theirs: &[u8],
    prepare: impl FnOnce(&mut Client),
) -> (Reply, Reply) {
    let store = Store::start();
    let link = SlowLink::to(&store);
    let (one, other) = (Daemon::with(&link.url(), &[]), Daemon::of(&store));
    let (mut client, mut elsewhere) = (one.client(), other.client());
    assert_eq!(elsewhere.set("s", 0, "a", start).version(), 1);
    // The script is there from now on: one run of it is lost, not the word that it is not there.
    assert_eq!(elsewhere.commit("s", 1, "SET b 1").version(), 2);
    prepare(&mut client);
    one.until_store("up");
    link.delay(LATE);
    let late = thread::spawn(move || client.set("s", 2, "a", &mine));
    until_version(&store, 3);
    assert_eq!(elsewhere.open("s", 2).version(), 3);
    assert_eq!(elsewhere.set("s", 3, "a", theirs).version(), 4);
    link.delay(Duration::ZERO);
    let late = late.join().unwrap();
    assert!((3..=4).contains(&late.version()), "{late:?}");
    (late, Daemon::of(&store).client().open("s", 0))
}

/// Theirs is so large that the record which it came after goes into a snapshot.
fn assert_made_once(start: &[u8], mine: Vec<u8>, prepare: impl FnOnce(&mut Client)) {
    let theirs = random(2_000);
    let (_, opened) = repeated(start, mine, &theirs, prepare);
    assert_eq!((opened.version(), value(&opened)), (4, theirs));
}

#[test]
fn one_of_a_whole_value_is_made_once() {
    assert_made_once(b"1", b"late".to_vec(), |client| {
        client.open("s", 0);
    });
}

#[test]
fn one_of_a_delta_is_made_once() {
    let start = random(2_000);
    let mut mine = start.clone();
    mine[77] ^= 1;
    assert_made_once(&start, mine, |client| {
        client.open("s", 0);
    });
}

#[test]
fn one_to_a_session_that_is_not_held_is_made_once() {
    assert_made_once(b"1", b"late".to_vec(), |_| ());
}

#[test]
fn who_makes_one_again_is_told_what_somebody_has_made_of_it_since() {
    let (late, _) = repeated(b"1", b"late".to_vec(), b"theirs", |client| {
        client.open("s", 0);
    });
    assert_eq!(late.version(), 4);
    assert_eq!(late.attributes(), ["a=theirs"]);
}

/// Its claim is gone by then: without that it would be said that nothing was written.
#[test]
fn one_under_a_lock_was_made_though_the_lock_is_lost() {
    let patience = [("SOJOURN_STORE_PATIENCE", "20s")];
    let store = Store::start();
    let link = SlowLink::to(&store);
    let [one, other] = [link.url(), store.url()].map(|url| Daemon::with(&url, &patience));
    let (mut client, mut elsewhere) = (one.client(), other.client());
    assert_eq!(client.commit("s", 0, "SET a 1").version(), 1);
    assert_eq!(client.commit("s", 1, "SET a 2").version(), 2);
    let lock = client.say("SJ.OPEN s 2 EXCLUSIVE").items()[5].int();
    link.delay(LATE);
    let late = thread::spawn(move || {
        client.say(&format!("SJ.COMMIT s 2 1800 1000 LOCK {lock} SET a late"))
    });
    until_version(&store, 3);
    // Until the daemon's life is over, and another one may have the session.
    link.delay(Duration::from_mins(1));
    assert_eq!(elsewhere.open("s", 0).attributes(), ["a=late"]);
    let theirs = random(2_000);
    assert_eq!(elsewhere.set("s", 3, "a", &theirs).version(), 4);
    link.delay(Duration::ZERO);
    assert_eq!(late.join().unwrap().version(), 4);
    assert_eq!(value(&elsewhere.open("s", 0)), theirs);
}

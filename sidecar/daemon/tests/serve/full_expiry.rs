//! What seems to be over to a store that was full, though somebody used it.

use std::time::{Duration, Instant};

use sojournd::key::Digest;

use crate::claims::daemons;
use crate::expiry::{EVERY, create, subscribe};
use crate::full_store::{PATIENCE, assert_refused, fail_to_save, fill, free, save};
use crate::harness::{Client, Daemon, Reply, Store, surely, until, within};
use crate::reaper::{self, is_reaper};

const REFUSE_AND_TAKE: [[fn(&Store); 2]; 2] =
    [[fill, free], [fail_to_save, |store| save(store, b"")]];

/// Longer than the [`PATIENCE`] of requests.
pub fn until_refused_for_long(mut write: impl FnMut() -> Reply) {
    let since = Instant::now();
    until("it to have refused for long", || {
        assert_refused(&write());
        (since.elapsed() > Duration::from_millis(1400)).then_some(())
    });
}

/// As far as the store knows, though it is used all the time, which it takes no note of.
pub fn until_over(store: &Store, session: &str, mut client: impl FnMut() -> Reply) {
    let key = Digest::of(session.as_bytes()).key("test.shop");
    // Five minutes later its key goes.
    let left = || store.client().say(&format!("PTTL {key}"));
    until("the idle time to be over", || {
        assert_ne!(client(), Reply::Array(None));
        (left().int() < 299_000).then_some(())
    });
    assert_ne!(client(), Reply::Array(None));
}

pub fn is_marked(store: &Store, session: &str) -> bool {
    let key = Digest::of(session.as_bytes()).key("test.shop");
    store.client().say(&format!("HEXISTS {key} x")).int() == 1
}

/// Whether a reaper takes it for over before others could tell.
pub fn marked_by(reaper: &Daemon, node: &Store, session: &str) -> Option<()> {
    until("a reaper", || is_reaper(reaper).then_some(()));
    // It goes through all in a tenth of that.
    within(Duration::from_secs(1), || {
        is_marked(node, session).then_some(())
    })
}

/// Who asks a daemon for what another knows to be in use, which is stopped, until that has told of it.
pub fn assert_waits(asked: &Daemon, (daemon, mut client): (&Daemon, Client), session: &str) {
    let opened = std::thread::scope(|scope| {
        let opened = scope.spawn(|| asked.client().open(session, 0));
        within(Duration::from_millis(200), || {
            opened.is_finished().then_some(())
        });
        daemon.process.signal("CONT");
        // It is in use all the time.
        assert_eq!(surely(|| client.open(session, 1)).version(), 1);
        opened.join().unwrap()
    });
    assert_eq!(opened.attributes(), ["a=1"]);
}

/// Nobody can say so of who used it all the time, for no access is written; nor those who have not heard of that, once it is.
#[test]
fn nothing_is_over_by_itself_while_the_store_takes_no_writes() {
    for [refuse, take] in REFUSE_AND_TAKE {
        let store = Store::start();
        let [daemon, other, third] = daemons(&store, &[PATIENCE]);
        third.until_looked_through();
        let (mut client, mut elsewhere) = (daemon.client(), other.client());
        let idle = 4;
        surely(|| client.say(&format!("SJ.COMMIT s 0 {idle} 1000 SET a 1")));
        refuse(&store);
        until_over(&store, "s", || client.open("s", 1));
        assert_ne!(elsewhere.open("s", 0), Reply::Array(None));
        assert_refused(&client.commit("s", 1, "SET a lost"));
        assert_eq!(elsewhere.open("none", 0), Reply::Array(None));
        take(&store);
        let mut never_heard = third.client();
        for client in [&mut never_heard, &mut elsewhere, &mut client] {
            assert_eq!(surely(|| client.open("s", 0)).attributes(), ["a=1"]);
        }
    }
}

/// Who knows that the session was in use is stopped over it, as one that is slow.
#[test]
fn others_are_waited_for_anew_where_the_store_is_full_again_before_they_have_told() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[PATIENCE]);
    let settings = [
        ("SOJOURN_STORE_PATIENCE", "5s"),
        ("SOJOURN_STORE_SETTLE", "4s"),
    ];
    let other = Daemon::with(&store.url(), &settings);
    other.until_looked_through();
    let mut client = daemon.client();
    surely(|| client.say("SJ.COMMIT s 0 12 1000 SET a 1"));
    fail_to_save(&store);
    until_over(&store, "s", || client.open("s", 1));
    daemon.process.signal("STOP");
    save(&store, b"");
    let probes = || other.metric("sojourn_store_commands_total", "probe");
    let before = probes();
    let opened = std::thread::scope(|scope| {
        let opened = scope.spawn(|| other.client().open("s", 0));
        until("it to wait for others", || {
            (probes() > before).then_some(())
        });
        fill(&store);
        opened.join().unwrap()
    });
    daemon.process.signal("CONT");
    // It is in use all the time.
    assert_ne!(client.open("s", 1), Reply::Array(None));
    assert!(matches!(opened, Reply::Error(_)), "{opened:?}");
    free(&store);
    assert_eq!(surely(|| other.client().open("s", 0)).attributes(), ["a=1"]);
}

/// For how long it was full before, whoever has only just begun does not know.
#[test]
fn others_are_waited_for_by_who_began_while_the_store_was_full_too() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[PATIENCE]);
    let mut client = daemon.client();
    surely(|| client.say("SJ.COMMIT s 0 4 1000 SET a 1"));
    fill(&store);
    until_over(&store, "s", || client.open("s", 1));
    let settings = [
        ("SOJOURN_STORE_PATIENCE", "60s"),
        ("SOJOURN_STORE_SETTLE", "2s"),
    ];
    let other = Daemon::with(&store.url(), &settings);
    other.until_looked_through();
    std::thread::scope(|scope| {
        scope.spawn(|| other.client().commit("other", 0, "SET a 1"));
        until("it to have been refused", || {
            (other.metric("sojourn_store_failures_total", "out of memory") > 0).then_some(())
        });
        daemon.process.signal("STOP");
        free(&store);
        assert_waits(&other, (&daemon, client), "s");
    });
}

/// For long, as what is in use is where there was no room for long.
fn make_due(store: &Store, session: &str) {
    let id = Digest::of(session.as_bytes());
    let added = reaper::make_due(store, id.shard(), &id.hex());
    assert_eq!(added, 0, "it was there");
}

/// It is stopped over it, who knows that the session was in use.
#[test]
fn a_reaper_waits_for_what_others_tell_a_store_that_takes_writes_again() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[PATIENCE]);
    let settle = ("SOJOURN_STORE_SETTLE", "12s");
    let reaper = Daemon::with(&store.url(), &[PATIENCE, EVERY, settle]);
    reaper.until_looked_through();
    let mut client = daemon.client();
    surely(|| client.say("SJ.COMMIT s 0 4 1000 SET a 1"));
    make_due(&store, "s");
    fail_to_save(&store);
    until_over(&store, "s", || client.open("s", 1));
    let _listener = subscribe(&reaper);
    daemon.process.signal("STOP");
    save(&store, b"");
    let over = marked_by(&reaper, &store, "s");
    daemon.process.signal("CONT");
    assert_eq!(over, None);
    assert_eq!(surely(|| client.open("s", 0)).attributes(), ["a=1"]);
}

/// Its listeners would not be told of what goes from it meanwhile.
#[test]
fn at_a_store_that_is_full_again_and_again_only_what_goes_soon_is_over() {
    let store = Store::start();
    let settle = ("SOJOURN_STORE_SETTLE", "2s");
    let daemon = Daemon::with(&store.url(), &[PATIENCE, EVERY, settle]);
    daemon.until_looked_through();
    let mut client = daemon.client();
    create(&mut client, "soon", 1);
    create(&mut client, "later", 1);
    make_due(&store, "soon");
    fill(&store);
    until_refused_for_long(|| client.commit("n", 0, "SET a 0"));
    let _listener = subscribe(&daemon);
    let mut n = 0;
    until("what goes soon to be over", || {
        n += 1;
        free(&store);
        surely(|| client.commit(&format!("n{n}"), 0, "SET a 0"));
        let over = within(Duration::from_millis(200), || {
            is_marked(&store, "soon").then_some(())
        });
        fill(&store);
        assert_refused(&client.commit(&format!("n{n}"), 1, "SET a 1"));
        over
    });
    assert!(!is_marked(&store, "later"));
    free(&store);
    until("the other", || is_marked(&store, "later").then_some(()));
}

/// One that is at the edge of its memory refuses a write every now and then, for as long as it is there.
#[test]
fn a_store_that_is_full_now_and_then_keeps_no_reaper_from_its_work() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[EVERY]);
    daemon.until_looked_through();
    let mut client = daemon.client();
    create(&mut client, "s", 1);
    let _listener = subscribe(&daemon);
    let mut n = 0;
    until("the session to be over", || {
        n += 1;
        fill(&store);
        assert_refused(&client.commit(&format!("n{n}"), 0, "SET a 0"));
        free(&store);
        surely(|| client.commit(&format!("n{n}"), 0, "SET a 0"));
        is_marked(&store, "s").then_some(())
    });
}

/// As far as the store knows it is over, and another daemon knows that it was in use.
#[test]
fn what_has_ended_while_the_store_was_full_is_not_in_use_again_when_others_tell_of_that() {
    let store = Store::start();
    let [daemon, other] = daemons(&store, &[PATIENCE]);
    let (mut client, mut elsewhere) = (daemon.client(), other.client());
    surely(|| client.say("SJ.COMMIT s 0 4 1000 SET a 1"));
    surely(|| elsewhere.open("s", 0));
    fill(&store);
    until_over(&store, "s", || elsewhere.open("s", 1));
    assert_refused(&client.say("SJ.END s"));
    // Its first try again comes before the store has room.
    let tried = || daemon.metric("sojourn_store_commands_total", "bury");
    let before = tried();
    until("another try", || (tried() > before + 1).then_some(()));
    free(&store);
    until("its tombstone", || is_marked(&store, "s").then_some(()));
    assert_eq!(elsewhere.open("s", 1), Reply::Array(None));
}

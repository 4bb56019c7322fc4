//! A store that is full, and the sessions that a daemon has claimed.

use std::time::{Duration, Instant};

use sojournd::key::{Digest, due};

use crate::claims::{MODES, claimed, daemons, until_claimed, until_trusted};
use crate::expiry::{EVERY, create, subscribe};
use crate::harness::{Daemon, Reply, Store, surely, until, within};

pub const PATIENCE: (&str, &str) = ("SOJOURN_STORE_PATIENCE", "700ms");
/// What each commit takes of the queue beside its bytes, 7 times, and not 8 times.
const QUEUE: (&str, &str) = ("SOJOURN_QUEUE", "2KiB");

pub fn fill(store: &Store) {
    store.client().say("CONFIG SET maxmemory 1");
}

pub fn free(store: &Store) {
    store.client().say("CONFIG SET maxmemory 0");
}

pub fn assert_refused(reply: &Reply) {
    let text = reply.text();
    assert!(text.starts_with("UNAVAILABLE"), "{text}");
}

/// The life's key cannot be set anew: no claim counts any more.
fn until_claims_are_void(daemon: &Daemon) {
    until("the claims to be void", || {
        (daemon.metric("sojourn_claims_trusted ", "") == 0).then_some(())
    });
}

#[test]
fn in_sync_nothing_is_called_saved_under_a_claim_either() {
    let store = Store::start();
    let [holder, other] = daemons(&store, &[PATIENCE]);
    let mut client = holder.client();
    claimed(&holder, &mut client, "s");
    fill(&store);
    // As long as the claim counts, and after that.
    assert_refused(&client.commit("s", 1, "SET a lost"));
    assert_eq!(client.open("s", 0).attributes(), ["a=0"]);
    until_claims_are_void(&holder);
    assert_refused(&client.commit("s", 1, "SET a lost"));
    assert_eq!(client.open("s", 0).attributes(), ["a=0"]);
    assert_eq!(other.client().open("s", 0).attributes(), ["a=0"]);
    free(&store);
    assert_eq!(client.commit("s", 1, "SET a 1").version(), 2);
    assert_eq!(other.client().open("s", 0).attributes(), ["a=1"]);
    until_trusted(&holder);
    until_claimed(&holder, &mut client, "s", 2);
}

#[test]
fn a_claim_that_counts_is_called_back_and_its_session_read() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode]);
        let (mut client, mut elsewhere) = (holder.client(), other.client());
        let called_back = || holder.metric("sojourn_claims_called_back_total", "");
        let taken_over = || other.metric("sojourn_claim_takeovers_total", "");
        let mut sessions = 0;
        // Claims that become void meanwhile, on a machine that is busy, are taken over: tried again with another session.
        until("a claim to be let go of", || {
            free(&store);
            until_trusted(&holder);
            sessions += 1;
            let session = format!("s{sessions}");
            claimed(&holder, &mut client, &session);
            let before = (called_back(), taken_over());
            fill(&store);
            assert_eq!(elsewhere.open(&session, 0).attributes(), ["a=0"]);
            // In `Sync` others may read beside a claim.
            let expected = (before.0 + i64::from(mode == MODES[1]), before.1);
            ((called_back(), taken_over()) == expected).then_some(())
        });
    }
}

#[test]
fn in_async_what_fits_the_queue_is_kept_until_there_is_room_and_the_rest_refused() {
    let store = Store::start();
    let [holder, other] = daemons(&store, &[("SOJOURN_MODE", "Async"), QUEUE, PATIENCE]);
    let mut client = holder.client();
    // Claims that become void meanwhile, on a machine that is busy, let nobody commit: tried again with another session.
    let mut sessions = 0;
    let session = until("a commit under a claim", || {
        free(&store);
        sessions += 1;
        let session = format!("s{sessions}");
        claimed(&holder, &mut client, &session);
        fill(&store);
        let reply = client.commit(&session, 1, "SET n 1");
        matches!(reply, Reply::Array(_)).then_some(session)
    });
    let mut told = 1;
    let refused = loop {
        let next = told + 1;
        match client.commit(&session, next, &format!("SET n {next}")) {
            Reply::Array(_) => told = next,
            refused => break refused,
        }
    };
    assert_refused(&refused);
    assert!(told < 8, "{told} in the queue");
    assert!((1..=2048).contains(&holder.metric("sojourn_queue_bytes", "")));
    until_claims_are_void(&holder);
    assert_refused(&client.commit(&session, told + 1, "SET n lost"));
    // Nobody waits for the holder for ever, and nobody else sees what is not saved.
    let mut elsewhere = other.client();
    let opened = until("the claim to be taken for void", || {
        let opened = elsewhere.open(&session, 0);
        matches!(opened, Reply::Array(_)).then_some(opened)
    });
    assert_eq!(opened.attributes(), ["a=0"]);
    free(&store);
    until("the queue to empty", || {
        (holder.metric("sojourn_queue_bytes", "") == 0).then_some(())
    });
    assert_eq!(holder.metric("sojourn_queue_dropped_total", ""), 0);
    let expected = ["a=0".to_owned(), format!("n={told}")];
    assert_eq!(elsewhere.open(&session, 1).attributes(), expected[1..]);
    assert_eq!(client.open(&session, 0).attributes(), expected);
    until_trusted(&holder);
    until_claimed(&holder, &mut client, &session, told + 1);
    assert_eq!(
        client.commit(&session, told + 1, "SET n last").version(),
        told + 2
    );
    assert_eq!(
        elsewhere.open(&session, 0).attributes(),
        ["a=0".to_owned(), "n=last".to_owned()]
    );
}

fn save(store: &Store, when: &[u8]) {
    let set = store.client().call(&[b"CONFIG", b"SET", b"save", when]);
    assert_eq!(set.text(), "OK");
}

fn fail_to_save(store: &Store) {
    std::fs::create_dir(store.directory.path().join("dump.rdb")).unwrap();
    let mut operator = store.client();
    save(store, b"3600 1");
    until("a snapshot to fail", || {
        operator.say("BGSAVE");
        let set = operator.say("SET x 1 PX 1000").text();
        set.starts_with("MISCONF").then_some(())
    });
}

/// So that its key is to be kept for longer with the next access.
fn used_a_while_ago(store: &Store) {
    let key = store.sessions().remove(0);
    let used = store.client().say(&format!("HGET {key} a")).text();
    let before = used.parse::<i64>().unwrap() - 15_000;
    store.client().say(&format!("HSET {key} a {before}"));
}

/// Its snapshots fail: it takes no writes at all, of which those for want of memory are refused as well.
#[test]
fn a_store_that_cannot_write_its_disk_still_answers_who_reads() {
    let store = Store::start();
    let [writer, reader] = daemons(&store, &[PATIENCE]);
    let (mut client, mut elsewhere) = (writer.client(), reader.client());
    surely(|| client.commit("s", 0, "SET a 0"));
    used_a_while_ago(&store);
    fail_to_save(&store);
    assert_eq!(elsewhere.open("s", 0).attributes(), ["a=0"]);
    assert_eq!(elsewhere.open("none", 0), Reply::Array(None));
    // It refuses the question by which a connection is looked after as well.
    let late = Daemon::of(&store);
    assert_eq!(late.client().open("s", 0).attributes(), ["a=0"]);
    assert!(late.page("/readyz").contains("store=up"));
    assert_refused(&client.commit("s", 1, "SET a lost"));
    save(&store, b"");
    assert_eq!(surely(|| client.commit("s", 1, "SET a 1")).version(), 2);
    assert_eq!(elsewhere.open("s", 0).attributes(), ["a=1"]);
}

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
    let opened = std::thread::scope(|scope| {
        scope.spawn(|| other.client().commit("other", 0, "SET a 1"));
        until("it to have been refused", || {
            (other.metric("sojourn_store_failures_total", "out of memory") > 0).then_some(())
        });
        daemon.process.signal("STOP");
        free(&store);
        let opened = scope.spawn(|| other.client().open("s", 0));
        within(Duration::from_millis(200), || {
            opened.is_finished().then_some(())
        });
        daemon.process.signal("CONT");
        // It is in use all the time.
        assert_eq!(surely(|| client.open("s", 1)).version(), 1);
        opened.join().unwrap()
    });
    assert_eq!(opened.attributes(), ["a=1"]);
}

/// For long, as what is in use is where there was no room for long.
pub fn make_due(store: &Store, session: &str) {
    let id = Digest::of(session.as_bytes());
    let index = due(id.shard(), "test.shop");
    let added = store
        .client()
        .say(&format!("ZADD {index} 1000 {}", id.hex()));
    assert_eq!(added.int(), 0, "it was there");
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
    until("a reaper", || {
        (reaper.metric("sojourn_reaper ", "") == 1).then_some(())
    });
    let key = Digest::of(b"s").key("test.shop");
    let marked = || store.client().say(&format!("HEXISTS {key} x")).int() == 1;
    // It goes through all in a tenth of that.
    let over = within(Duration::from_secs(1), || marked().then_some(()));
    daemon.process.signal("CONT");
    assert_eq!(over, None);
    assert_eq!(surely(|| client.open("s", 0)).attributes(), ["a=1"]);
}

pub fn is_marked(store: &Store, session: &str) -> bool {
    let key = Digest::of(session.as_bytes()).key("test.shop");
    store.client().say(&format!("HEXISTS {key} x")).int() == 1
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

/// Nothing lives on of it, as far as anybody can say.
#[test]
fn an_end_of_what_is_gone_is_not_owed_to_a_store_that_is_full() {
    let store = Store::start();
    let [mut daemon] = daemons(&store, &[PATIENCE]);
    daemon.until_looked_through();
    let mut client = daemon.client();
    surely(|| client.commit("s", 0, "SET a 0"));
    let key = Digest::of(b"s").key("test.shop");
    assert_eq!(store.client().say(&format!("DEL {key}")).int(), 1);
    fill(&store);
    assert_refused(&client.say("SJ.END s"));
    daemon.process.signal("TERM");
    assert_eq!(daemon.process.exit_code(), Some(0));
    assert!(!daemon.log().contains("live on"), "{}", daemon.log());
}

/// It leaves a tombstone, where there is room for one, of what others may still put back.
#[test]
fn an_end_of_nothing_needs_no_room_though_the_store_was_connected_to_anew() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[PATIENCE, ("SOJOURN_STORE_SETTLE", "300ms")]);
    daemon.until_looked_through();
    let mut client = daemon.client();
    surely(|| client.commit("s", 0, "SET a 0"));
    fill(&store);
    store.client().say("CLIENT KILL TYPE normal SKIPME yes");
    until("another connection", || {
        (daemon.log().matches("store up").count() > 1).then_some(())
    });
    daemon.until_looked_through();
    assert_eq!(surely(|| client.say("SJ.END none")).int(), 0);
    assert_eq!(surely(|| client.say("SJ.END s")).int(), 1);
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
    let key = Digest::of(b"s").key("test.shop");
    let ended = || store.client().say(&format!("HEXISTS {key} x")).int() == 1;
    until("its tombstone", || ended().then_some(()));
    assert_eq!(elsewhere.open("s", 1), Reply::Array(None));
}

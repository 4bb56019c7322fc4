//! A store that is full: what it does not take, and what it still answers.

use sojournd::key::Digest;

use crate::claims::{MODES, claimed, daemons, until_claimed, until_trusted};
use crate::harness::{Daemon, Reply, Store, surely, until};

pub const PATIENCE: (&str, &str) = ("SOJOURN_STORE_PATIENCE", "700ms");
/// What each commit takes of the queue beside its bytes, a few times, and not 8 times.
const QUEUE: (&str, &str) = ("SOJOURN_QUEUE", "8KiB");

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
    assert!((1..=8192).contains(&holder.metric("sojourn_queue_bytes", "")));
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

pub fn save(store: &Store, when: &[u8]) {
    let set = store.client().call(&[b"CONFIG", b"SET", b"save", when]);
    assert_eq!(set.text(), "OK");
}

pub fn fail_to_save(store: &Store) {
    std::fs::create_dir(store.directory.path().join("dump.rdb")).unwrap();
    let mut operator = store.client();
    save(store, b"3600 1");
    until("a snapshot to fail", || {
        operator.say("BGSAVE");
        let persistence = operator.say("INFO persistence").text();
        let failed = persistence.contains("rdb_last_bgsave_status:err");
        failed.then_some(())
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

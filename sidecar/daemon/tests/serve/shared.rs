//! Shared claims: several daemons know at once that what they hold is the newest, until one of them commits.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::claims::{claimed, claims, daemons, until_claimed, value};
use crate::harness::{Client, Daemon, Reply, Store, random, until};
use crate::lives::{lapsed, lapses};
use crate::page_reader::{Page, open};

/// Ends what goes on until this is said, also where the test fails: else its threads would be waited for for ever.
pub struct SaidWhenDropped<'a>(pub &'a AtomicBool);

impl Drop for SaidWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A session that all of them have claimed.
fn claimed_by_all(daemons: &[&Daemon], clients: &mut [&mut Client], session: &str) {
    claimed(daemons[0], clients[0], session);
    for (daemon, client) in daemons.iter().zip(clients).skip(1) {
        until_claimed(daemon, client, session, 1);
    }
}

/// The claims in a field of the only session there is: whether each is shared.
fn in_store(store: &Store, field: &str) -> Vec<bool> {
    let key = store.sessions().remove(0);
    let claims = store.client().say(&format!("HGET {key} {field}"));
    match claims {
        Reply::Bulk(Some(bytes)) => bytes.chunks(12).map(|claim| claim[8] >= 0x80).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn who_only_reads_asks_the_store_no_more_wherever_he_does() {
    let store = Store::start();
    let [a, b, c] = daemons(&store, &[]);
    let (mut at_a, mut at_b, mut at_c) = (a.client(), b.client(), c.client());
    let all = [&a, &b, &c];
    until("a life of all that is long enough", || {
        let lives = lapses(&all);
        claimed_by_all(&all, &mut [&mut at_a, &mut at_b, &mut at_c], "s");
        let before = store.scripts_run();
        for _ in 0..20 {
            for client in [&mut at_a, &mut at_b, &mut at_c] {
                assert_eq!(client.open("s", 1).attributes(), [""; 0]);
            }
        }
        let free = store.scripts_run() == before;
        assert!(free || lapsed(&all, lives));
        at_a.say("SJ.END s");
        free.then_some(())
    });
}

#[test]
fn a_commit_ends_the_claims_of_all_others_and_the_store_forgets_them() {
    let store = Store::start();
    let [a, b, c] = daemons(&store, &[]);
    let (mut at_a, mut at_b, mut at_c) = (a.client(), b.client(), c.client());
    claimed_by_all(&[&a, &b, &c], &mut [&mut at_a, &mut at_b, &mut at_c], "s");
    assert_eq!(at_b.commit("s", 1, "SET a 1").version(), 2);
    assert_eq!((claims(&a), claims(&c)), (0, 0));
    assert_eq!(value(&at_a.open("s", 1), "a"), 1);
    assert_eq!(value(&at_c.open("s", 1), "a"), 1);
    until("what is over to be forgotten", || {
        let version = at_b.open("s", 0).version();
        at_b.set("s", version, "b", &random(5000));
        at_a.open("s", 0);
        in_store(&store, "g").is_empty().then_some(())
    });
    store.assert_every_key_has_a_ttl();
}

#[test]
fn who_comes_after_a_commit_asks_nobody_whose_claim_it_ended() {
    let store = Store::start();
    let [a, b, c, d] = daemons(&store, &[]);
    let (mut at_a, mut at_b, mut at_c, mut at_d) = (a.client(), b.client(), c.client(), d.client());
    claimed_by_all(
        &[&a, &b, &c, &d],
        &mut [&mut at_a, &mut at_b, &mut at_c, &mut at_d],
        "s",
    );
    assert_eq!(at_b.commit("s", 1, "SET a 1").version(), 2);
    until("the store to forget all of them", || {
        in_store(&store, "g").is_empty().then_some(())
    });
    assert_eq!(value(&at_b.open("s", 1), "a"), 1);
    assert_eq!(
        in_store(&store, "h"),
        [true],
        "the claim of who commits goes on"
    );
    store.assert_every_key_has_a_ttl();
}

/// Whoever reads it, the page says nothing older than what somebody was told that it is written.
#[test]
fn no_page_says_anything_older_than_what_was_answered() {
    let store = Store::start();
    let [a, b, c] = daemons(&store, &[]);
    let written = AtomicI64::new(1);
    let over = AtomicBool::new(false);
    assert_eq!(a.client().commit("s", 0, "SET a 0").version(), 1);
    let said = AtomicI64::new(0);
    std::thread::scope(|scope| {
        let _over = SaidWhenDropped(&over);
        for daemon in [&a, &b] {
            scope.spawn(|| {
                let page = Page::of(daemon);
                let mut client = daemon.client();
                let mut held = 0;
                while !over.load(Ordering::SeqCst) {
                    let (opened, ticket) = open(&mut client, "s", held);
                    held = opened.version();
                    for _ in 0..50 {
                        let before = written.load(Ordering::SeqCst);
                        let Some(newest) = page.newest(ticket) else {
                            break;
                        };
                        said.fetch_add(1, Ordering::SeqCst);
                        let newest = i64::try_from(newest).unwrap();
                        assert!(newest >= before, "{newest} after {before}");
                    }
                }
            });
        }
        let mut writer = c.client();
        let mut version = 1;
        for n in 0..1500 {
            if n % 3 == 0 {
                writer.open("s", version);
            }
            // Sometimes nobody is disturbed for a while: claims are made.
            if n % 50 == 0 {
                let before = said.load(Ordering::SeqCst);
                until("a page to speak", || {
                    (said.load(Ordering::SeqCst) > before).then_some(())
                });
            }
            version = writer.commit("s", version, &format!("SET a {n}")).version();
            written.store(version, Ordering::SeqCst);
        }
    });
    assert!(said.load(Ordering::SeqCst) > 0);
}

#[test]
fn who_ends_or_renames_it_is_answered_when_no_page_speaks_of_it_any_more() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[]);
    let page = Page::of(&a);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    for (n, request) in ["SJ.END", "SJ.RENAME"].into_iter().enumerate() {
        let session = format!("s{n}");
        claimed_by_all(&[&a, &b], &mut [&mut at_a, &mut at_b], &session);
        let (_, ticket) = until("a place on the page", || {
            let opened = open(&mut at_a, &session, 1);
            page.newest(opened.1).is_some().then_some(opened)
        });
        let line = match request {
            "SJ.END" => format!("SJ.END {session}"),
            _ => format!("SJ.RENAME {session} new 1"),
        };
        assert!(at_b.say(&line).int() > 0);
        assert_eq!(page.newest(ticket), None, "{request}");
        assert_eq!(at_a.open(&session, 1), Reply::Array(None));
    }
}

#[test]
fn one_request_at_a_time_ends_what_is_shared() {
    let store = Store::start();
    let [a, b, c] = daemons(&store, &[]);
    let page = Page::of(&a);
    let (mut at_a, mut at_b, mut at_c) = (a.client(), b.client(), c.client());
    claimed_by_all(&[&a, &b], &mut [&mut at_a, &mut at_b], "s");
    let (_, ticket) = open(&mut at_a, "s", 1);
    let opened = at_c.say("SJ.OPEN s 0 EXCLUSIVE");
    let lock = opened.items()[5].int();
    assert_eq!(page.newest(ticket), None);
    assert_eq!((claims(&a), claims(&b)), (0, 0));
    let line = format!("SJ.COMMIT s 1 1800 1000 LOCK {lock} SET a 7");
    assert_eq!(at_c.say(&line).version(), 2);
    assert_eq!(at_c.say(&format!("SJ.UNLOCK s {lock}")).int(), 1);
    assert_eq!(value(&at_a.open("s", 1), "a"), 7);
    assert_eq!(value(&at_b.open("s", 1), "a"), 7);
}

#[test]
fn after_a_holder_was_killed_reads_wait_for_nobody_and_commits_until_its_life_is_over() {
    let store = Store::start();
    let [mut holder, other] = daemons(&store, &[]);
    let mut client = holder.client();
    for n in 0..20 {
        claimed(&holder, &mut client, &format!("s{n}"));
    }
    holder.process.0.kill().unwrap();
    holder.process.0.wait().unwrap();
    let mut elsewhere = other.client();
    for n in 0..20 {
        let session = format!("s{n}");
        assert_eq!(elsewhere.open(&session, 0).attributes(), ["a=0"]);
    }
    for n in 0..20 {
        let session = format!("s{n}");
        assert_eq!(elsewhere.commit(&session, 1, "SET a 1").version(), 2);
    }
    // It was looked for once: what is over is known from then on.
    assert!(other.metric("sojourn_claim_takeovers_total", "") <= 1);
}

#[test]
fn in_a_full_store_what_is_shared_can_be_ended() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[]);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    claimed_by_all(&[&a, &b], &mut [&mut at_a, &mut at_b], "s");
    store.client().say("CONFIG SET maxmemory 1");
    assert_eq!(at_b.say("SJ.END s").int(), 1);
    assert_eq!(at_a.open("s", 1), Reply::Array(None));
    assert_eq!(at_b.open("s", 1), Reply::Array(None));
}

/// And is answered early again from then on: a sole claim is what that takes.
#[test]
fn in_async_what_was_called_back_is_shared_until_nobody_else_comes() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[("SOJOURN_MODE", "Async")]);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    claimed(&a, &mut at_a, "s");
    until("both to have it claimed", || {
        at_a.open("s", 1);
        at_b.open("s", 1);
        (in_store(&store, "h") == [true, true]).then_some(())
    });
    let mut version = 1;
    for n in 1..=10 {
        version = at_a.commit("s", version, &format!("SET a {n}")).version();
        assert_eq!(value(&at_b.open("s", 0), "a"), n);
    }
    let mut n = 10;
    until("a claim of its own", || {
        n += 1;
        version = at_a.commit("s", version, &format!("SET a {n}")).version();
        (in_store(&store, "h") == [false]).then_some(())
    });
    assert_eq!(value(&at_b.open("s", 0), "a"), n);
    store.assert_every_key_has_a_ttl();
}

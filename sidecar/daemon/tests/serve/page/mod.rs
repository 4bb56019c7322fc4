//! The page of claims: what it says is never older than what anybody has been told.

mod at_once;

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use crate::claims::{MODES, daemons};
use crate::harness::{Client, Daemon, Reply, Store, free_port, until};
use crate::lives::{lapsed, lapses};
use crate::page_reader::{Page, clock, open, property};

/// Opens a session until the page speaks of it; the ticket. On a machine that is busy claims become void, and are made anew.
pub fn on_page(page: &Page, client: &mut Client, session: &str, version: i64) -> u64 {
    until("the page to speak of it", || {
        let (opened, ticket) = open(client, session, version);
        assert_eq!(opened.version(), version);
        (page.newest(ticket) == Some(number(version))).then_some(ticket)
    })
}

fn number(version: i64) -> u64 {
    u64::try_from(version).unwrap()
}

fn created(client: &mut Client, session: &str) {
    assert_eq!(client.commit(session, 0, "SET a 0").version(), 1);
}

#[test]
fn who_says_hello_hears_of_it() {
    let store = Store::start();
    let port = free_port();
    let listen = ("SOJOURN_TCP", format!("127.0.0.1:{port}"));
    let mut daemon = Daemon::with(&store.url(), &[(listen.0, &listen.1)]);
    let before = clock();
    let hello = daemon.client().say("HELLO 2");
    let told = property(&hello, "clock").expect("a clock").int();
    assert!((before..=clock()).contains(&number(told)));
    let names: Vec<String> = hello.items().chunks(2).map(|pair| pair[0].text()).collect();
    assert_eq!(names[7..], ["clock", "page"]);
    let page = Page::of(&daemon);
    let mode = std::fs::metadata(&page.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o444);

    let by_tcp = Client::tcp(port).say("HELLO");
    assert_eq!(property(&by_tcp, "page"), property(&hello, "page"));

    let refused = daemon.client().say("SJ.OPEN s 0 EXCLUSIVE TICKET");
    assert!(refused.text().starts_with("ERR "), "{refused:?}");
    assert_eq!(
        open(&mut daemon.client(), "nothing", 0).0,
        Reply::Array(None)
    );
    daemon.process.signal("TERM");
    daemon.process.exit_code();
    assert!(!page.path.exists(), "removed at the end");
    assert_eq!(page.trusted(), (0, 0));
}

#[test]
fn it_follows_the_commits_of_its_daemon() {
    for mode in MODES {
        let store = Store::start();
        let [daemon] = daemons(&store, &[mode]);
        let page = Page::of(&daemon);
        let mut client = daemon.client();
        created(&mut client, "s");
        let mut version = 1;
        let mut ticket = on_page(&page, &mut client, "s", version);
        let mut followed = 0;
        for n in 0..200 {
            version = client
                .commit("s", version, &format!("SET a {n}1"))
                .version();
            match page.newest(ticket) {
                Some(newest) => {
                    assert_eq!(newest, number(version));
                    followed += 1;
                }
                // Void, on a machine that is busy.
                None => ticket = on_page(&page, &mut client, "s", version),
            }
        }
        assert!(followed > 150, "{mode:?}: followed {followed}");
        assert_eq!(
            open(&mut client, "s", version).1,
            ticket,
            "the same claim, the same ticket"
        );
        assert_eq!(daemon.metric("sojourn_claims_on_page", ""), 1);
    }
}

#[test]
fn before_another_daemon_is_answered_it_says_nothing_any_more() {
    for mode in MODES {
        let store = Store::start();
        let [a, b] = daemons(&store, &[mode]);
        let page = Page::of(&a);
        let (mut at_a, mut at_b) = (a.client(), b.client());
        for n in 0..20 {
            let session = format!("s{n}");
            created(&mut at_a, &session);
            let before = lapses(&[&a]);
            let ticket = on_page(&page, &mut at_a, &session, 1);
            let version = match n % 3 {
                0 => at_b.open(&session, 0).version(),
                // Without an open: it has to be called back for that too.
                1 => at_b.commit(&session, 1, "SET a 1").version(),
                _ => {
                    assert_eq!(at_b.say(&format!("SJ.END {session}")).int(), 1);
                    assert_eq!(page.newest(ticket), None, "{mode:?} {n}");
                    continue;
                }
            };
            if n % 3 == 0 && mode == MODES[0] {
                // In `Sync` what it says is as true as before.
                let newest = page.newest(ticket);
                let void = newest.is_none() && lapsed(&[&a], before);
                assert!(void || newest == Some(1), "{mode:?} {n}: {newest:?}");
                continue;
            }
            assert_eq!(page.newest(ticket), None, "{mode:?} {n}");
            assert_eq!(page.slot(ticket).1, 0, "{mode:?} {n}");
            let (opened, _) = open(&mut at_a, &session, 1);
            assert_eq!(opened.version(), version);
            // Whatever it says from now on is said under another ticket.
            on_page(&page, &mut at_a, &session, version);
            assert_eq!(page.newest(ticket), None, "{mode:?} {n}");
        }
    }
}

#[test]
fn ends_renames_and_exclusive_requests_hide_it() {
    for mode in MODES {
        let store = Store::start();
        let [daemon] = daemons(&store, &[mode]);
        let page = Page::of(&daemon);
        let mut client = daemon.client();
        created(&mut client, "ended");
        let ended = on_page(&page, &mut client, "ended", 1);
        created(&mut client, "old");
        let old = on_page(&page, &mut client, "old", 1);
        created(&mut client, "mine");
        let mine = on_page(&page, &mut client, "mine", 1);

        assert_eq!(client.say("SJ.END ended").int(), 1);
        assert_eq!((page.newest(ended), page.slot(ended).1), (None, 0));
        let version = client.say("SJ.RENAME old new 1").int();
        assert_eq!((page.newest(old), page.slot(old).1), (None, 0));
        let renamed = on_page(&page, &mut client, "new", version);
        assert_ne!(renamed, old);

        let opened = client.say("SJ.OPEN mine 1 EXCLUSIVE");
        let lock = opened.items()[5].int();
        assert_eq!((page.newest(mine), page.slot(mine).1), (None, 0));
        let mut other = daemon.client();
        for _ in 0..10 {
            let (opened, ticket) = open(&mut other, "mine", 1);
            assert_eq!((opened.version(), ticket), (1, 0), "never while locked");
            assert_eq!(page.slot(mine).1, 0);
        }
        let committed = client.say(&format!("SJ.COMMIT mine 1 1800 1000 LOCK {lock} SET a 1"));
        assert_eq!(committed.version(), 2);
        assert_eq!(page.slot(mine).1, 0);
        assert_eq!(client.say(&format!("SJ.UNLOCK mine {lock}")).int(), 1);
        on_page(&page, &mut client, "mine", 2);
    }
}

#[test]
fn a_store_that_is_away_or_has_lost_everything_ends_all_trust() {
    let mut store = Store::start();
    let [daemon] = daemons(&store, &[("SOJOURN_STORE_SETTLE", "200ms")]);
    let page = Page::of(&daemon);
    let mut client = daemon.client();
    created(&mut client, "s");
    let ticket = on_page(&page, &mut client, "s", 1);
    store.client().say("FLUSHALL");
    until("the claim to be void", || {
        (page.slot(ticket).0 != ticket).then_some(())
    });
    assert_eq!(page.newest(ticket), None);
    let ticket = on_page(&page, &mut client, "s", 1);
    store.kill();
    until("the trust to end", || {
        (page.trusted() == (0, 0)).then_some(())
    });
    assert_eq!(page.newest(ticket), None);
    store.run();
    let again = on_page(&page, &mut client, "s", 1);
    assert_ne!(again, ticket);
    assert_eq!(page.newest(ticket), None);
}

#[test]
fn a_daemon_that_was_stopped_is_not_believed_while_it_is_nor_afterwards() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[]);
    let page = Page::of(&a);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    created(&mut at_a, "s");
    let ticket = on_page(&page, &mut at_a, "s", 1);
    a.process.signal("STOP");
    // B waits until the life of A is over: by then nobody may believe what A's page still says.
    let version = at_b.commit("s", 1, "SET a 1").version();
    assert_eq!(version, 2);
    assert_eq!(page.slot(ticket), (ticket, 1), "it could not be hidden");
    assert!(page.trusted().0 < clock(), "but it is over");
    assert_eq!(page.newest(ticket), None);
    a.process.signal("CONT");
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(2) {
        assert_eq!(page.newest(ticket), None);
    }
    on_page(&page, &mut at_a, "s", 2);
}

#[test]
fn a_version_that_is_not_in_the_store_yet_is_told_and_one_in_doubt_is_not() {
    let store = Store::start();
    let [daemon] = daemons(&store, &[("SOJOURN_MODE", "Async")]);
    let page = Page::of(&daemon);
    let mut client = daemon.client();
    let mut n = 0;
    until("a provisional version in one life", || {
        n += 1;
        let session = format!("s{n}");
        created(&mut client, &session);
        let ticket = on_page(&page, &mut client, &session, 1);
        store.signal("STOP");
        client.send(&[
            b"SJ.COMMIT",
            session.as_bytes(),
            b"1",
            b"1800",
            b"1",
            b"SET",
            b"a",
            b"1",
        ]);
        // Where the claim is void by now it says nothing, and the answer comes with the store.
        let newest = until("the daemon to take it", || {
            let newest = page.newest(ticket);
            (newest != Some(1)).then_some(newest)
        });
        store.signal("CONT");
        assert_eq!(client.read().unwrap().version(), 2);
        assert!(newest.is_none_or(|newest| newest == 2));
        newest
    });

    until("a doubt in one life", || {
        n += 1;
        let session = format!("s{n}");
        created(&mut client, &session);
        let ticket = on_page(&page, &mut client, &session, 1);
        assert_eq!(client.commit(&session, 1, "SET a 1").version(), 2);
        // Made on the version before: the reply has no room for what the client lacks.
        let committed = client.commit(&session, 1, "SET b 1");
        assert_eq!(committed.version(), 3);
        if !committed.attributes().is_empty() {
            // Answered with the store.
            return None;
        }
        assert_eq!(page.newest(ticket), None, "the client holds something else");
        let (opened, _) = open(&mut client, &session, 3);
        assert_eq!(opened.attributes(), ["\0-", "a=1", "b=1"]);
        page.newest(ticket).map(|newest| assert_eq!(newest, 3))
    });
}

#[test]
fn pages_of_daemons_that_died_are_removed() {
    let store = Store::start();
    let mut daemon = Daemon::of(&store);
    let page = Page::of(&daemon);
    daemon.process.signal("KILL");
    // As long as it answers on the socket no other takes its place.
    daemon.process.exit_code();
    let mut again = crate::harness::sojournd();
    let http = free_port();
    again
        .arg("serve")
        .env("SOJOURN_CLUSTER", "test.shop")
        .env("SOJOURN_STORE_URL", store.url())
        .env("SOJOURN_SOCKET", daemon.socket())
        .env("SOJOURN_HTTP", format!("127.0.0.1:{http}"))
        .stderr(std::process::Stdio::null());
    let _again = crate::harness::Process(again.spawn().unwrap());
    until("the old page to go", || (!page.path.exists()).then_some(()));
    let new = until("the new page", || {
        std::os::unix::net::UnixStream::connect(daemon.socket()).ok()?;
        Some(Page::of(&daemon))
    });
    assert_ne!(new.path, page.path);
}

//! What becomes of a session is told to who shares it, so that he has the newest version without asking.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use sojournd::key::Digest;
use sojournd::session::delta::Delta;

use crate::claims::{claimed, daemons, is_claimed, until_claimed, until_trusted, value};
use crate::harness::{Client, Daemon, Reply, Store, random, until};
use crate::lives::{same, while_all_are_in_time};
use crate::page::on_page;
use crate::page_reader::{Page, open};
use crate::shared::SaidWhenDropped;

/// Creates a session that both daemons have claimed.
fn claimed_by_both([(a, at_a), (b, at_b)]: [(&Daemon, &mut Client); 2], session: &str) {
    claimed(a, at_a, session);
    until_claimed(b, at_b, session, 1);
}

/// Has both daemons claim a session that is there.
fn both_claim([(a, at_a), (b, at_b)]: [(&Daemon, &mut Client); 2], session: &str) {
    until_claimed(a, at_a, session, 1);
    until_claimed(b, at_b, session, 1);
}

/// Whether both have it claimed: another session, of an attempt that was in vain, may still be.
fn both_have_it(both: [(&Daemon, &mut Client); 2], session: &str, version: i64) -> bool {
    both.map(|(daemon, client)| is_claimed(daemon, client, session, version)) == [true, true]
}

/// All that a client has been told since it was last asked: the versions before, and what it lacks.
fn told(client: &mut Client) -> Vec<(i64, Reply)> {
    client.say("PING");
    let news = client.news();
    news.iter()
        .map(|news| match news.items() {
            [_, before, Reply::Array(Some(opened))] => {
                let opened = Reply::Array(Some(opened[..5].to_vec()));
                (before.int(), opened)
            }
            _ => panic!("{news:?}"),
        })
        .collect()
}

#[test]
fn who_has_it_claimed_is_told_and_asks_the_store_no_more() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[]);
    let page = Page::of(&a);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    while_all_are_in_time(&[&a, &b], |s| {
        assert_eq!(at_b.commit(s, 0, "SET a 0").version(), 1);
        let ticket = on_page(&page, &mut at_a, s, 1);
        until_claimed(&b, &mut at_b, s, 1);
        told(&mut at_a);
        let opens = || {
            let of = |daemon: &Daemon| daemon.metric("sojourn_store_commands_total", "open");
            of(&a) + of(&b)
        };
        let before = opens();
        let mut version = 1;
        for n in 1..=5 {
            let opened = at_b.open(s, version);
            same("opened", &opened.version(), &version)?;
            version = at_b.commit(s, version, &format!("SET a {n}")).version();
            // Before its client was answered.
            same("page", &page.newest(ticket), &u64::try_from(version).ok())?;
            let news = told(&mut at_a);
            same("told", &news.len(), &1)?;
            assert_eq!((news[0].0, news[0].1.version()), (version - 1, version));
            assert_eq!(value(&news[0].1, "a"), n);
        }
        same("opens", &opens(), &before)?;
        same(
            "claimed",
            &both_have_it([(&a, &mut at_a), (&b, &mut at_b)], s, version),
            &true,
        )
    });
    store.assert_every_key_has_a_ttl();
}

#[test]
fn a_change_of_a_large_value_is_told_as_a_delta() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[]);
    let page = Page::of(&a);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    let old = random(20 << 10);
    let mut new = old.clone();
    new[5000..5032].copy_from_slice(&random(32));
    while_all_are_in_time(&[&a, &b], |s| {
        assert_eq!(at_b.set(s, 0, "cart", &old).version(), 1);
        on_page(&page, &mut at_a, s, 1);
        told(&mut at_a);
        assert_eq!(at_b.set(s, 1, "cart", &new).version(), 2);
        let news = told(&mut at_a);
        same("told", &news.len(), &1)?;
        let attributes = news[0].1.items()[4].items();
        let [_, Reply::Array(Some(deltas))] = attributes else {
            return Err(format!("{attributes:?}"));
        };
        let [Reply::Bulk(Some(delta))] = deltas.as_slice() else {
            return Err(format!("{deltas:?}"));
        };
        assert!(delta.len() < 100, "{} bytes", delta.len());
        let delta = Delta::decode(&mut delta.as_slice()).unwrap();
        let value = delta.apply(&Bytes::from(old.clone())).unwrap();
        assert!(value == new);
        Ok(())
    });
}

#[test]
fn what_is_large_is_not_told_and_who_does_not_come_for_it_is_told_no_more() {
    for large in [true, false] {
        let store = Store::start();
        let [a, b] = daemons(&store, &[]);
        let page = Page::of(&a);
        let (mut at_a, mut at_b) = (a.client(), b.client());
        while_all_are_in_time(&[&a, &b], |s| {
            assert_eq!(at_b.commit(s, 0, "SET a 0").version(), 1);
            let ticket = on_page(&page, &mut at_a, s, 1);
            told(&mut at_a);
            if large {
                assert_eq!(at_b.set(s, 1, "a", &random(5000)).version(), 2);
                same("page", &page.newest(ticket), &None)?;
                return same("claimed", &is_claimed(&a, &mut at_a, s, 2), &false);
            }
            for n in 1..20 {
                assert_eq!(at_b.commit(s, n, &format!("SET a {n}")).version(), n + 1);
            }
            same("told", &told(&mut at_a).len(), &6)?;
            same("page", &page.newest(ticket), &None)?;
            same("claimed", &is_claimed(&a, &mut at_a, s, 20), &false)
        });
    }
}

/// A commit says no more than what it changes, though another one has it claimed as well.
#[test]
fn of_two_who_tell_each_other_all_commits_are_brief() {
    let store = Store::start();
    let [a, b, late] = daemons(&store, &[]);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    while_all_are_in_time(&[&a, &b, &late], |s| {
        claimed_by_both([(&a, &mut at_a), (&b, &mut at_b)], s);
        // Each has to learn of the other's claim.
        assert_eq!(at_a.commit(s, 1, "SET a 1").version(), 2);
        assert_eq!(at_b.commit(s, 2, "SET a 2").version(), 3);
        let commands = |script: &str| {
            [&a, &b].map(|daemon| daemon.metric("sojourn_store_commands_total", script))
        };
        let (brief, whole) = (commands("brief"), commands("\"commit\""));
        let mut version = 3;
        for n in 0..20 {
            let client = if n % 3 == 0 { &mut at_a } else { &mut at_b };
            let change = format!("SET a {version}");
            same("opened", &client.open(s, version).version(), &version)?;
            version = client.commit(s, version, &change).version();
        }
        same("whole", &commands("\"commit\""), &whole)?;
        same("brief", &commands("brief"), &[brief[0] + 7, brief[1] + 13])?;
        assert_eq!(value(&late.client().open(s, 0), "a"), version - 1);
        // What it has read is what both say: it ends neither's claim, though the store counts one of them as over.
        same(
            "claimed",
            &both_have_it([(&a, &mut at_a), (&b, &mut at_b)], s, version),
            &true,
        )
    });
    store.assert_every_key_has_a_ttl();
}

/// Where the store is given a snapshot, too; and who was told of it does not give it another one.
#[test]
fn what_is_folded_is_told_as_anything() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[]);
    let (mut at_a, mut at_b) = (a.client(), b.client());
    while_all_are_in_time(&[&a, &b], |s| {
        let mut value = random(10_000);
        assert_eq!(at_a.set(s, 0, "cart", &value).version(), 1);
        both_claim([(&a, &mut at_a), (&b, &mut at_b)], s);
        let commands = |script: &str| {
            let of = |daemon: &Daemon| daemon.metric("sojourn_store_commands_total", script);
            of(&a) + of(&b)
        };
        let (opens, whole) = (commands("open"), commands("\"commit\""));
        let mut version = 1;
        for n in 0..30 {
            let client = if n % 3 == 0 { &mut at_a } else { &mut at_b };
            value[n * 100..n * 100 + 2_000].copy_from_slice(&random(2_000));
            same("opened", &client.open(s, version).version(), &version)?;
            version = client.set(s, version, "cart", &value).version();
        }
        same("opens", &commands("open"), &opens)?;
        let folded = commands("\"commit\"") - whole;
        // One in thirteen, and the first ones, by which each learns of the other's claim.
        assert!((2..=4).contains(&folded), "{folded} commits were not brief");
        let late = Daemon::of(&store).client().open(s, 0);
        let attributes = late.items()[4].items();
        assert!(attributes[1] == Reply::Bulk(Some(value)), "{late:?}");
        Ok(())
    });
    store.assert_every_key_has_a_ttl();
}

/// An application that has gone away need not be told; its daemon still has the newest version.
#[test]
fn who_has_gone_is_not_told() {
    let store = Store::start();
    let [a, b] = daemons(&store, &[]);
    let page = Page::of(&a);
    let mut at_b = b.client();
    while_all_are_in_time(&[&a, &b], |s| {
        let mut at_a = a.client();
        assert_eq!(at_b.commit(s, 0, "SET a 0").version(), 1);
        let ticket = on_page(&page, &mut at_a, s, 1);
        drop(at_a);
        until("the connection to end", || {
            (a.metric("sojourn_connections ", "") == 0).then_some(())
        });
        assert_eq!(at_b.commit(s, 1, "SET a 1").version(), 2);
        same("page", &page.newest(ticket), &Some(2))?;
        assert_eq!(value(&a.client().open(s, 1), "a"), 1);
        Ok(())
    });
}

/// Who only reads waits, too, until both writers say what he has read.
#[test]
fn who_reads_what_one_of_two_writes_finds_nothing_older_at_the_other() {
    let store = Store::start();
    let [a, b, c] = daemons(&store, &[]);
    assert_eq!(a.client().commit("s", 0, "SET a 0").version(), 1);
    let brief = || {
        let of = |daemon: &Daemon| daemon.metric("sojourn_store_commands_total", "brief");
        of(&a) + of(&b)
    };
    let over = AtomicBool::new(false);
    let tickets = [AtomicU64::new(0), AtomicU64::new(0)];
    let said = std::thread::scope(|scope| {
        let _over = SaidWhenDropped(&over);
        scope.spawn(|| {
            let mut clients = [a.client(), b.client()];
            let mut n = 0;
            while !over.load(Ordering::SeqCst) {
                n += 1;
                for (client, ticket) in clients.iter_mut().zip(&tickets) {
                    let (opened, given) = open(client, "s", 0);
                    ticket.store(given, Ordering::SeqCst);
                    client.commit("s", opened.version(), &format!("SET a {n}"));
                    if n % 4 == 0 {
                        // Nobody disturbs it for a while: it is shared again.
                        (0..3).for_each(|_| _ = client.open("s", 0));
                    }
                }
            }
        });
        let mut reader = c.client();
        let pages = [&a, &b].map(Page::of);
        let mut said = Ok(0);
        let mut rounds = 0;
        let begun = Instant::now();
        let enough = |said| said > 100 && brief() > 10;
        // How often the writers are left alone long enough is up to the machine.
        while said.as_ref().is_ok_and(|said| rounds < 4 || !enough(*said))
            && begun.elapsed() < Duration::from_mins(1)
        {
            rounds += 1;
            for _ in 0..1000 {
                let read = u64::try_from(reader.open("s", 0).version()).unwrap();
                for (page, ticket) in pages.iter().zip(&tickets) {
                    let newest = page.newest(ticket.load(Ordering::SeqCst));
                    said = said.and_then(|said: u64| match newest {
                        Some(newest) if newest < read => {
                            Err(format!("{newest} after {read} was read"))
                        }
                        newest => Ok(said + u64::from(newest.is_some())),
                    });
                }
            }
        }
        said.unwrap()
    });
    assert!(said > 100, "the pages spoke {said} times");
    assert!(brief() > 10, "{} brief commits", brief());
}

/// Also where a commit is brief: the claim of who has to be told is where readers look for it.
#[test]
fn who_reads_a_brief_commit_waits_for_the_other_writer_too() {
    let store = Store::start();
    let [a, b, c] = daemons(&store, &[("SOJOURN_STORE_SETTLE", "200ms")]);
    let page = Page::of(&a);
    let (mut at_a, mut at_b, mut at_c) = (a.client(), b.client(), c.client());
    let mut sessions = (0..).map(|n| format!("s{n}"));
    until("a brief commit of one while the other stands still", || {
        let s = sessions.next()?;
        claimed_by_both([(&a, &mut at_a), (&b, &mut at_b)], &s);
        assert_eq!(at_a.commit(&s, 1, "SET a 1").version(), 2);
        let ticket = on_page(&page, &mut at_a, &s, 2);
        let before = b.metric("sojourn_store_commands_total", "brief");
        a.process.signal("STOP");
        let read = std::thread::scope(|scope| {
            let written = scope.spawn(|| at_b.commit(&s, 2, "SET a 2").version());
            let digest = Digest::of(s.as_bytes()).hex();
            // The one of the round before may be back.
            let mut keys = store.sessions().into_iter();
            let key = keys.find(|key| key.ends_with(&digest)).unwrap();
            until("the store to have it", || {
                let version = store.client().say(&format!("HGET {key} v"));
                (version.text() == "3").then_some(())
            });
            let read = at_c.open(&s, 0).version();
            assert_eq!((read, page.newest(ticket)), (3, None));
            a.process.signal("CONT");
            assert_eq!(written.join().unwrap(), 3);
            read
        });
        until_trusted(&a);
        assert_eq!(at_a.open(&s, 0).version(), read);
        store.client().say("FLUSHALL");
        (b.metric("sojourn_store_commands_total", "brief") > before).then_some(())
    });
}

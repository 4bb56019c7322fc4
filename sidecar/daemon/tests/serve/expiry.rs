//! Sessions that nobody uses for too long.

use sojournd::key::Digest;

use crate::harness::{Client, Daemon, Reply, Store, until};
use crate::lives::{same, under_one_life};

pub const EVERY: (&str, &str) = ("SOJOURN_REAP_EVERY", "100ms");

pub fn create(client: &mut Client, session: &str, idle: i64) {
    let line = format!("SJ.COMMIT {session} 0 {idle} 1000 SET a 1");
    assert_eq!(client.say(&line).version(), 1);
}

pub fn subscribe(daemon: &Daemon) -> Client {
    let mut client = daemon.client();
    assert_eq!(client.say("SUBSCRIBE sojourn").items()[2].int(), 1);
    client
}

/// The next message that is for one alone.
pub fn message(client: &mut Client) -> String {
    loop {
        let message = client.read().unwrap().items()[2].text();
        if !message.starts_with("ended ") && message != "missed" {
            return message;
        }
    }
}

/// Whether the index of the only shard in the store holds anything.
fn is_indexed(store: &Store) -> bool {
    store.keys().iter().any(|key| key.ends_with(":due"))
}

fn due(store: &Store) -> Vec<String> {
    let keys = store.keys();
    let index = keys.iter().find(|key| key.ends_with(":due")).unwrap();
    let reply = store
        .client()
        .say(&format!("ZRANGE {index} 0 -1 WITHSCORES"));
    reply.items().iter().map(Reply::text).collect()
}

/// What the index says of a session.
struct Member<'a> {
    store: &'a Store,
    session: String,
}

impl<'a> Member<'a> {
    /// Of the only session in the store.
    fn only(store: &'a Store) -> Self {
        let session = store.sessions().remove(0);
        Self { store, session }
    }

    fn of(store: &'a Store, name: &str) -> Self {
        let digest = Digest::of(name.as_bytes()).hex();
        let mut sessions = store.sessions().into_iter();
        let session = sessions.find(|key| key.ends_with(&digest)).unwrap();
        Self { store, session }
    }

    /// When it is due; nil if it is not in there.
    fn score(&self) -> Reply {
        let (index, digest) = self.place();
        self.store.client().say(&format!("ZSCORE {index} {digest}"))
    }

    /// As if the time until then had gone by.
    fn make_due(&self) {
        let (index, digest) = self.place();
        self.store
            .client()
            .say(&format!("ZADD {index} 1000 {digest}"));
    }

    fn place(&self) -> (String, &str) {
        let digest = self.session.rsplit(':').next().unwrap();
        (self.session.replace(digest, "due"), digest)
    }
}

/// The store's clock, in whole seconds.
fn millis(store: &Store) -> i64 {
    let time = store.client().say("TIME").items()[0].text();
    time.parse::<i64>().unwrap() * 1000
}

#[test]
fn listeners_are_told_of_a_session_that_nobody_holds() {
    let store = Store::start();
    create(&mut Daemon::of(&store).client(), "/shop\nA1", 1);
    let daemon = Daemon::with(&store.url(), &[EVERY]);
    let mut listener = subscribe(&daemon);
    assert_eq!(message(&mut listener), "expired /shop\nA1");
    let mut client = daemon.client();
    assert_eq!(client.open("/shop\nA1", 0), Reply::Array(None));
    let late = client.commit("/shop\nA1", 1, "SET a 2").text();
    assert!(late.starts_with("GONE"), "{late}");
    let reaped = client.call(&[b"SJ.REAP", b"/shop\nA1"]);
    assert_eq!(
        (reaped.version(), reaped.attributes()),
        (1, vec!["a=1".into()])
    );
    assert_eq!(
        (reaped.items()[1].int(), reaped.items()[3].int()),
        (1000, 1)
    );
    store.assert_every_key_has_a_ttl();
    assert_eq!(client.call(&[b"SJ.END", b"/shop\nA1"]).int(), 1);
    assert_eq!(client.call(&[b"SJ.END", b"/shop\nA1"]).int(), 0);
    assert_eq!(client.call(&[b"SJ.REAP", b"/shop\nA1"]), Reply::Array(None));
    assert!(!is_indexed(&store));
    assert_eq!(daemon.metric("sojourn_expired_total", "told"), 1);
    store.assert_every_key_has_a_ttl();
}

#[test]
fn listeners_are_told_again_where_who_was_told_died_over_it() {
    let store = Store::start();
    let [daemon, other] = [(); 2].map(|()| Daemon::with(&store.url(), &[EVERY]));
    let mut dies = subscribe(&daemon);
    create(&mut other.client(), "s", 1);
    assert_eq!(message(&mut dies), "expired s");
    let member = Member::only(&store);
    let again = || member.score();
    let now = millis(&store);
    let due: i64 = again().text().parse().unwrap();
    assert!((now..=now + 31_000).contains(&due), "{due} {now}");
    let mut listener = subscribe(&other);
    drop(dies);
    until("the death to be noticed", || {
        (daemon.metric("sojourn_connections", "") == 0).then_some(())
    });
    // Not at once, for it may only be slow: what expires later comes first.
    create(&mut other.client(), "t", 1);
    assert_eq!(message(&mut listener), "expired t");
    // Else that is told again first.
    let mut client = other.client();
    assert_eq!(client.call(&[b"SJ.REAP", b"t"]).attributes(), ["a=1"]);
    member.make_due();
    assert_eq!(message(&mut listener), "expired s");
    let reaped = client.call(&[b"SJ.REAP", b"s"]);
    assert_eq!(reaped.attributes(), ["a=1"]);
    assert_eq!(client.say("SJ.END s").int(), 1);
    assert_eq!(again(), Reply::Bulk(None), "and never again");
}

#[test]
fn who_takes_one_up_tells_its_listeners_alone_for_as_long_as_they_may_take() {
    let store = Store::start();
    let [daemon, other] = [(); 2].map(|()| Daemon::with(&store.url(), &[EVERY]));
    let mut listener = subscribe(&daemon);
    create(&mut other.client(), "s", 1);
    assert_eq!(message(&mut listener), "expired s");
    let member = Member::only(&store);
    let due = || member.score().text();
    let mut slow = daemon.client();
    assert_eq!(slow.say("SJ.REAP s").attributes(), ["a=1"]);
    let mut late = other.client();
    assert_eq!(late.say("SJ.REAP s"), Reply::Array(None));
    let until_then = due();
    assert!(until_then.parse::<i64>().unwrap() > millis(&store) + 200_000);
    // As if a reaper had seen it due just before it was taken up.
    member.make_due();
    until("it to be put back", || (due() == until_then).then_some(()));
    create(&mut late, "t", 1);
    assert_eq!(message(&mut listener), "expired t");
    // As if that time had gone by, and whoever took it up had died over it.
    store
        .client()
        .say(&format!("HSET {} y dead1000", member.session));
    member.make_due();
    assert_eq!(message(&mut listener), "expired s");
    assert_eq!(late.say("SJ.REAP s").attributes(), ["a=1"]);
    assert_eq!(late.say("SJ.END s").int(), 1);
    store.assert_every_key_has_a_ttl();
}

#[test]
fn who_ends_what_was_over_before_anybody_marked_it_is_told_so_once() {
    let store = Store::start();
    let [daemon, other] = [(); 2].map(|()| Daemon::of(&store));
    let mut client = daemon.client();
    create(&mut client, "s", 1800);
    let key = store.sessions().remove(0);
    let direct = |words: &[&[u8]]| store.client().call(words);
    direct(&[b"HINCRBY", key.as_bytes(), b"a", b"-3600000"]);
    // From now on nobody announces it.
    assert_eq!(client.say("SJ.END s").int(), 1);
    assert!(!is_indexed(&store));
    assert_eq!(client.say("SJ.END s").int(), 0);
    assert_eq!(other.client().say("SJ.END s").int(), 0);
}

#[test]
fn a_session_in_use_is_put_back_and_one_without_end_is_not_there() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[EVERY]);
    let mut client = daemon.client();
    create(&mut client, "s", 1800);
    let _listener = subscribe(&daemon);
    let member = Member::only(&store);
    member.make_due();
    until("the index to be put right", || {
        assert_eq!(client.open("s", 1).version(), 1);
        (member.score().text() != "1000").then_some(())
    });
    // By a commit that changes the idle time, and by none else.
    let second = due(&store);
    assert_eq!(client.say("SJ.COMMIT s 1 7000 1000 SET a 2").version(), 2);
    let third = due(&store);
    assert_ne!(second, third);
    assert_eq!(client.say("SJ.COMMIT s 2 7000 1000 SET a 3").version(), 3);
    assert_eq!(client.open("s", 3).version(), 3);
    assert_eq!(due(&store), third);
    client.say("SJ.COMMIT s 3 -1 1000");
    assert!(!is_indexed(&store));
    store.assert_every_key_has_a_ttl();
}

#[test]
fn a_holder_is_asked_before_its_session_is_taken_for_over() {
    let store = Store::start();
    let holder = Daemon::of(&store);
    let mut client = holder.client();
    // It looks through what it holds before it reaps.
    let reaper = Daemon::with(&store.url(), &[EVERY]);
    let _listener = subscribe(&reaper);
    until("the reaper", || {
        (reaper.metric("sojourn_reaper ", "") == 1 && reaper.has_looked_through()).then_some(())
    });
    under_one_life(&[&holder], |s| {
        create(&mut client, s, 1800);
        let member = Member::of(&store, s);
        let key = member.session.as_bytes();
        let direct = |words: &[&[u8]]| store.client().call(words);
        until("a claim", || {
            client.open(s, 1);
            (direct(&[b"HEXISTS", key, b"h"]).int() == 1).then_some(())
        });
        // As if the holder need not tell of its accesses for longer than that: it knows of another idle time.
        direct(&[b"HSET", key, b"i", b"3"]);
        let known: i64 = direct(&[b"HGET", key, b"a"]).text().parse().unwrap();
        until("it to be over as far as the store knows", || {
            let is_over = millis(&store) > known + 3000;
            match client.open(s, 1) {
                Reply::Array(None) => Some(Err("the holder has to ask".to_owned())),
                opened => {
                    assert_eq!(opened.version(), 1);
                    is_over.then_some(Ok(()))
                }
            }
        })?;
        let told = || reaper.metric("sojourn_expired_total", "");
        let before = told();
        member.make_due();
        until("the reaper to come by", || {
            (member.score() != Reply::Bulk(Some(b"1000".to_vec()))).then_some(())
        });
        let opened = reaper.client().open(s, 0);
        let told = told() - before;
        // Else its listener is told of it once more while another one is looked at.
        client.say(&format!("SJ.END {s}"));
        same("there", &(opened != Reply::Array(None)), &true)?;
        assert_eq!(opened.attributes(), ["a=1"]);
        same("told", &told, &0)
    });
}

#[test]
fn an_ended_session_is_nobody_s_business() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[EVERY]);
    let mut client = daemon.client();
    create(&mut client, "s", 1800);
    assert_eq!(due(&store).len(), 2);
    client.say("SJ.END s");
    assert!(!is_indexed(&store));
    create(&mut client, "old", 1800);
    assert_eq!(client.say("SJ.RENAME old new 1").int(), 2);
    let indexes = store.keys().into_iter().filter(|key| key.ends_with(":due"));
    assert_eq!(indexes.count(), 1, "the new name's");
}

#[test]
fn a_name_sealed_by_a_key_that_is_not_ours_is_not_told() {
    let store = Store::start();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("key");
    std::fs::write(&file, "one").unwrap();
    let key = ("SOJOURN_SEAL_KEY_FILE", file.to_str().unwrap());
    create(&mut Daemon::with(&store.url(), &[key]).client(), "s", 1);
    let daemon = Daemon::with(&store.url(), &[EVERY]);
    let _listener = subscribe(&daemon);
    until("the reaper to come by", || {
        (daemon.metric("sojourn_expired_total", "unreadable") > 0).then_some(())
    });
    assert!(daemon.log().contains("SOJOURN_SEAL_KEY_FILE"), "the mend");
    let key = store.sessions().remove(0);
    let reply = store.client().call(&[b"HGET", key.as_bytes(), b"n"]);
    let Reply::Bulk(Some(sealed)) = reply else {
        panic!("no name: {reply:?}")
    };
    assert_eq!(sealed.len(), 12 + 1 + 16);
}

#[test]
fn notes_are_counted_by_their_labels_and_told_once() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    for _ in 0..3 {
        let note = client.say("SJ.NOTE unserializable /shop cart com.example.Cart");
        assert_eq!(note.text(), "OK");
    }
    let labels =
        "kind=\"unserializable\",context=\"/shop\",attribute=\"cart\",class=\"com.example.Cart\"";
    assert_eq!(daemon.metric("sojourn_attribute_notes_total", labels), 3);
    assert_eq!(daemon.log().matches("com.example.Cart").count(), 1);
    assert!(
        client
            .say("SJ.NOTE odd /shop a b")
            .text()
            .starts_with("ERR")
    );
}

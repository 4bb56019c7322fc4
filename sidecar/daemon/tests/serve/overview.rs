//! Which sessions the cluster has, and an end to some, for who operates it.

use std::path::Path;

use sojournd::key::Digest;

use crate::claims::{MODES, claimed, daemons};
use crate::expiry::{EVERY, create, message, subscribe};
use crate::harness::{Client, Daemon, Reply, Store, sojournd, until};
use crate::lives::under_one_life;

/// As a Java application's container writes it.
fn log_in(client: &mut Client, session: &str, user: impl AsRef<[u8]>) {
    let user = user.as_ref();
    let length = u8::try_from(user.len()).unwrap();
    let value = [b"\xAC\xED\0\x05t\0", &[length][..], user].concat();
    let version = client.open(session, 0).version();
    client.set(session, version, "\0user", &value);
}

/// All that the daemon tells.
fn told(client: &mut Client) -> Vec<Reply> {
    let shard = |shard: u8| client.say(&format!("SJ.SESSIONS {shard}")).items().to_vec();
    (0..=u8::MAX).flat_map(shard).collect()
}

fn digest(store: &Store) -> String {
    let key = store.sessions().remove(0);
    key.rsplit(':').next().unwrap().to_owned()
}

#[test]
fn all_sessions_are_told_with_what_is_known_of_them_and_none_is_used_by_that() {
    let store = Store::start();
    let [holder, other] = daemons(&store, &[]);
    let mut client = holder.client();
    claimed(&holder, &mut client, "/shop\nA1");
    log_in(&mut client, "/shop\nA1", "ann");
    client.say("SJ.COMMIT \nB2 0 1800 1000 SET a 1 SET b 22");
    let key = store.sessions().remove(0);
    let access = || store.client().say(&format!("HGET {key} a")).text();
    let before = access();
    let mut sessions = told(&mut other.client());
    sessions.sort_by_key(|session| session.items()[7].int());
    let known = |n: usize, field: usize| sessions[n].items()[field].clone();
    let text = |text: &str| Reply::Bulk(Some(text.into()));
    assert_eq!(sessions.len(), 2);
    assert_eq!((known(0, 1), known(0, 2)), (text("/shop"), text("ann")));
    assert_eq!((known(1, 1), known(1, 2)), (text(""), Reply::Bulk(None)));
    assert_eq!((known(1, 3).int(), known(1, 5).int()), (1000, 1800));
    assert_eq!((known(1, 6).int(), known(1, 7).int()), (5, 2));
    assert_eq!(access(), before);
    let called_back = holder.metric("sojourn_claims_called_back_total", "");
    assert_eq!(called_back, 0, "whoever has claimed one goes on");
}

#[test]
fn a_clients_note_is_nobodys_session() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.say("SJ.COMMIT /shop\nA1\n12 0 1800 1000 SET a 1");
    client.say("SJ.COMMIT /shop\nA1\n 0 1800 1000 SET a 12");
    let [session] = &told(&mut client)[..] else {
        panic!("the session and nothing else");
    };
    assert_eq!(session.items()[1], Reply::Bulk(Some("/shop".into())));
    assert_eq!(session.items()[6].int(), 2);
}

#[test]
fn one_that_is_ended_is_over_wherever_it_was_in_use_and_its_listeners_are_told_once() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode, EVERY]);
        let mut client = holder.client();
        claimed(&holder, &mut client, "/shop\nA1");
        let id = digest(&store);
        let mut listener = subscribe(&other);
        let mut operator = other.client();
        assert_eq!(operator.say(&format!("SJ.EXPIRE {id}")).int(), 1);
        assert_eq!(operator.say(&format!("SJ.EXPIRE {id}")).int(), 0);
        assert_eq!(client.open("/shop\nA1", 1), Reply::Array(None));
        let late = client.commit("/shop\nA1", 1, "SET a 2").text();
        assert!(late.starts_with("GONE"), "{late}");
        assert_eq!(told(&mut client), []);
        assert_eq!(message(&mut listener), "expired /shop\nA1");
        let reaped = operator.call(&[b"SJ.REAP", b"/shop\nA1"]);
        assert_eq!(reaped.attributes(), ["a=0"]);
        assert_eq!(operator.call(&[b"SJ.END", b"/shop\nA1"]).int(), 1);
        let told = |kind| {
            let daemons = [&holder, &other].into_iter();
            let told = daemons.map(|daemon| daemon.metric("sojourn_expired_total", kind));
            told.sum::<i64>()
        };
        assert_eq!(told("told"), 1);
        let line = format!("ended by an operator session=\"{id}\"");
        assert_eq!(other.log().matches(&line).count(), 1, "{}", other.log());
        store.assert_every_key_has_a_ttl();
    }
}

#[test]
fn one_that_is_ended_is_put_back_by_nobody() {
    let mut store = Store::start();
    let [holder, other, operator] = daemons(&store, &[]);
    let mut clients = [holder.client(), other.client()];
    claimed(&holder, &mut clients[0], "s");
    assert_eq!(clients[1].open("s", 0).version(), 1);
    let ended = format!("SJ.EXPIRE {}", digest(&store));
    assert_eq!(operator.client().say(&ended).int(), 1);
    store.lose_everything();
    for daemon in [&holder, &other, &operator] {
        daemon.until_looked_through();
    }
    for client in &mut clients {
        assert_eq!(client.open("s", 1), Reply::Array(None));
    }
    store.assert_every_key_has_a_ttl();
}

#[test]
fn one_that_is_ended_is_told_though_the_store_is_looked_through_before() {
    let store = Store::start();
    let [holder, operator] = daemons(&store, &[EVERY]);
    claimed(&holder, &mut holder.client(), "s");
    let ended = format!("SJ.EXPIRE {}", digest(&store));
    assert_eq!(operator.client().say(&ended).int(), 1);
    let looks = |daemon: &Daemon| daemon.log().matches("looked_at=").count();
    let before = [&holder, &operator].map(looks);
    store.client().say("CLIENT KILL TYPE normal SKIPME yes");
    for (daemon, before) in [&holder, &operator].into_iter().zip(before) {
        until("the store to have been looked through", || {
            (looks(daemon) > before).then_some(())
        });
    }
    assert_eq!(message(&mut subscribe(&holder)), "expired s");
}

#[test]
fn its_own_daemon_lets_go_of_what_it_has_claimed() {
    for mode in MODES {
        let store = Store::start();
        let [daemon] = daemons(&store, &[mode]);
        let mut client = daemon.client();
        claimed(&daemon, &mut client, "s");
        let id = digest(&store);
        assert_eq!(client.say(&format!("SJ.EXPIRE {id}")).int(), 1);
        assert_eq!(client.open("s", 1), Reply::Array(None));
    }
}

#[test]
fn what_is_no_shard_or_session_is_refused() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    for (line, problem) in [
        ("SJ.SESSIONS 256", "shard is not a number in range"),
        (
            "SJ.EXPIRE s",
            "a session's digest has 40 hexadecimal digits",
        ),
        ("SJ.SESSIONS", "wrong number of arguments"),
    ] {
        let reply = client.say(line).text();
        assert!(reply.contains(problem), "{line}: {reply}");
    }
    let nobody = format!("SJ.EXPIRE {}", "0".repeat(40));
    assert_eq!(client.say(&nobody).int(), 0);
}

pub fn command(socket: &Path, arguments: &[&str]) -> (i32, String) {
    let output = sojournd()
        .arg("sessions")
        .arg("--socket")
        .arg(socket)
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

#[test]
fn whatever_a_user_is_called_all_sessions_are_listed() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    for session in ["A1", "B1", "C1"] {
        create(&mut client, session, 1800);
    }
    // As Java writes it: each half of a surrogate pair on its own.
    log_in(&mut client, "A1", b"ann\xED\xA0\xBD\xED\xB8\x80");
    log_in(&mut client, "B1", b"\xFF");
    let new = client.call(&[
        b"SJ.COMMIT",
        b"/\xFF\nD1",
        b"0",
        b"1800",
        b"1000",
        b"SET",
        b"a",
        b"1",
    ]);
    assert_eq!(new.version(), 1);
    let socket = daemon.socket();
    let (code, all) = command(&socket, &[]);
    assert!(code == 0 && all.ends_with("\n4 sessions\n"), "{all}");
    let (code, ended) = command(&socket, &["--user", "ann\u{1F600}", "--end"]);
    assert!(
        code == 0 && ended.ends_with("\n1 sessions, 1 ended\n"),
        "{ended}"
    );
    assert_eq!(client.open("A1", 2), Reply::Array(None));
}

#[test]
fn an_operator_ends_the_sessions_of_one_user_and_no_others() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    for (session, user) in [("/shop\nA1", "ann"), ("\nA2", "ann"), ("/shop\nB1", "bea")] {
        create(&mut client, session, 1800);
        log_in(&mut client, session, user);
    }
    let socket = daemon.socket();
    let (code, all) = command(&socket, &[]);
    assert_eq!((code, all.lines().count()), (0, 5), "{all}");
    assert!(all.contains(" ann ") && all.ends_with("\n3 sessions\n"));
    for context in ["/shop", "/shop/", "/", ""] {
        let (code, one) = command(&socket, &["--user", "ann", "--context", context]);
        assert!(code == 0 && one.ends_with("\n1 sessions\n"), "{one}");
    }
    let (code, refused) = command(&socket, &["--end"]);
    assert!(code == 64 && refused.contains("--all"), "{code} {refused}");
    let (code, ended) = command(&socket, &["--user", "ann", "--end"]);
    assert!(
        code == 0 && ended.ends_with("\n2 sessions, 2 ended\n"),
        "{ended}"
    );
    for session in ["/shop\nA1", "\nA2"] {
        assert_eq!(client.open(session, 2), Reply::Array(None));
    }
    assert_eq!(client.open("/shop\nB1", 0).version(), 2);
    let (code, nobody) = command(Path::new("/nowhere/s.sock"), &[]);
    assert!(code == 1 && nobody.contains("/nowhere/s.sock"), "{nobody}");
    until("the index to name the one that is left", || {
        (told(&mut client).len() == 1).then_some(())
    });
}

#[test]
fn one_that_is_not_let_go_of_is_named_and_all_others_are_ended() {
    let store = Store::start();
    let [holder, impatient] = ["60s", "5s"]
        .map(|patience| Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", patience)]));
    holder.until_store("up");
    impatient.until_store("up");
    let end_all = || command(&impatient.socket(), &["--all", "--end"]);
    under_one_life(&[&holder], |kept| {
        // What is left of a try before.
        end_all();
        let mut client = holder.client();
        create(&mut client, kept, 1800);
        client.say(&format!("SJ.OPEN {kept} 1 EXCLUSIVE"));
        for n in 0..8 {
            create(&mut client, &format!("{kept}-{n}"), 1800);
        }
        let (code, ended) = end_all();
        let digest = Digest::of(kept.as_bytes()).hex();
        let named = format!("{}: the store did not", &digest[..12]);
        let as_meant = code == 1
            && ended.contains("\n9 sessions, 8 ended\n")
            && ended.lines().last().unwrap().contains(&named);
        as_meant.then_some(()).ok_or(ended)
    });
}

#[test]
fn an_operator_lists_and_ends_the_sessions_of_both_stores() {
    let (old, new) = (
        Store::with(&["--requirepass", "old"]),
        Store::with(&["--requirepass", "new"]),
    );
    let before = Daemon::with(&old.url(), &[("SOJOURN_STORE_PASSWORD", "old")]);
    create(&mut before.client(), "/shop\nA1", 1800);
    let url = old.url();
    let settings = [
        ("SOJOURN_STORE_PASSWORD", "new"),
        ("SOJOURN_STORE_NEXT_URL", url.as_str()),
        ("SOJOURN_STORE_NEXT_PASSWORD", "old"),
    ];
    let after = Daemon::with(&new.url(), &settings);
    let mut client = after.client();
    create(&mut client, "/shop\nB1", 1800);
    let (code, all) = command(&after.socket(), &["--context", "/shop"]);
    assert!(code == 0 && all.ends_with("\n2 sessions\n"), "{all}");
    assert_eq!(after.metric("sojourn_store_moved_total", ""), 0);
    let (code, ended) = command(&after.socket(), &["--all", "--end"]);
    assert!(
        code == 0 && ended.ends_with("\n2 sessions, 2 ended\n"),
        "{ended}"
    );
    for session in ["/shop\nA1", "/shop\nB1"] {
        assert_eq!(client.open(session, 1), Reply::Array(None));
    }
    let (code, none) = command(&after.socket(), &[]);
    assert!(code == 0 && none.ends_with("\n0 sessions\n"), "{none}");
}

#[test]
fn what_was_ended_by_hand_is_told_where_it_was_while_that_store_is_looked_through() {
    let (old, new) = (Store::start(), Store::start());
    let before = Daemon::with(&old.url(), &[EVERY]);
    create(&mut before.client(), "s", 1800);
    let end = format!("SJ.EXPIRE {}", digest(&old));
    assert_eq!(before.client().say(&end).int(), 1);
    let url = old.url();
    let after = Daemon::with(&new.url(), &[("SOJOURN_STORE_PREVIOUS_URL", url.as_str())]);
    until("the previous store to have been looked through", || {
        let log = after.log();
        log.contains("previous store has no sessions").then_some(())
    });
    assert_eq!(message(&mut subscribe(&before)), "expired s");
}

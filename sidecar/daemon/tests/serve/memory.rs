//! What the daemon takes at most: past its container's limit it is killed, with all that it holds for others.

use std::fs;
use std::time::Duration;

use crate::asynchronous::{ASYNC, queue_is_empty};
use crate::harness::{Client, Daemon, Reply, Store, random, surely, until_within};

const MEBI: usize = 1 << 20;

/// A daemon, and what it took when it had done nothing yet.
struct Watched {
    daemon: Daemon,
    idle: usize,
}

impl Watched {
    fn start(store: &Store, settings: &[(&str, &str)]) -> Self {
        let daemon = Daemon::with(&store.url(), settings);
        daemon.until_store("up");
        let idle = taken(&daemon, "VmRSS:");
        Self { daemon, idle }
    }

    /// The most that it has taken so far, beside that.
    fn most(&self) -> usize {
        taken(&self.daemon, "VmHWM:") - self.idle
    }
}

fn taken(daemon: &Daemon, which: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.process.0.id())).unwrap();
    let mut lines = status.lines();
    let kibi = lines.find_map(|line| line.strip_prefix(which)).unwrap();
    let kibi = kibi.trim().trim_end_matches(" kB");
    kibi.parse::<usize>().unwrap() << 10
}

fn is_committed(reply: &Reply) -> bool {
    matches!(reply, Reply::Array(Some(_)))
}

/// Commits each of so many sessions once, up to the first that is refused; how many were not.
fn commit_all(client: &mut Client, base: i64, sessions: usize, length: usize) -> usize {
    (0..sessions)
        .take_while(|n| is_committed(&client.set(&format!("s{n}"), base, "a", &random(length))))
        .count()
}

fn send_tagged(client: &mut Client, tag: usize, session: &str, base: i64, value: &[u8]) {
    client.send(&[
        b"SJ.TAG",
        tag.to_string().as_bytes(),
        b"SJ.COMMIT",
        session.as_bytes(),
        base.to_string().as_bytes(),
        b"1800",
        b"1000",
        b"SET",
        b"a",
        value,
    ]);
}

/// While the server hangs all the commits that are held wait for it, and once it is back they all want to go there.
#[test]
fn a_queue_that_is_full_takes_about_what_it_may() {
    for length in [20_000, 1_000] {
        let store = Store::start();
        let settings = [
            ASYNC,
            ("SOJOURN_MEMORY", "64MiB"),
            ("SOJOURN_QUEUE", "8MiB"),
            ("SOJOURN_STORE_PATIENCE", "5s"),
        ];
        let watched = Watched::start(&store, &settings);
        let mut client = watched.daemon.client();
        let sessions = 9 * MEBI / (length + 3_000);
        assert_eq!(commit_all(&mut client, 0, sessions, length), sessions);
        queue_is_empty(&watched.daemon);
        let before = watched.most();
        store.signal("STOP");
        let held = commit_all(&mut client, 1, sessions, length);
        let full = watched.daemon.metric("sojourn_queue_bytes", "");
        let most = watched.most() - before;
        store.signal("CONT");
        assert!(held < sessions, "the queue has only {full} bytes");
        assert!(
            most < 28 * MEBI,
            "{most} bytes more for {held} commits of {length}"
        );
        queue_is_empty(&watched.daemon);
        let most = watched.most() - before;
        assert!(
            most < 36 * MEBI,
            "{most} bytes more once the store was back"
        );
    }
}

/// All that is held waits for what others may put back, and is put back together.
#[test]
fn nor_does_it_take_more_where_the_store_comes_back_empty() {
    const LENGTH: usize = 1_000;
    let mut store = Store::start();
    let settings = [
        ASYNC,
        ("SOJOURN_MEMORY", "64MiB"),
        ("SOJOURN_QUEUE", "8MiB"),
        ("SOJOURN_STORE_PATIENCE", "3s"),
    ];
    let watched = Watched::start(&store, &settings);
    let mut client = watched.daemon.client();
    let sessions = 9 * MEBI / (LENGTH + 3_000);
    assert_eq!(commit_all(&mut client, 0, sessions, LENGTH), sessions);
    queue_is_empty(&watched.daemon);
    let before = watched.most();
    store.kill();
    watched.daemon.until_store("down");
    assert!(commit_all(&mut client, 1, sessions, LENGTH) < sessions);
    store.lose_everything();
    until_within(Duration::from_mins(1), "the queue to empty", || {
        (watched.daemon.metric("sojourn_queue_bytes", "") == 0).then_some(())
    });
    let most = watched.most() - before;
    assert!(most < 36 * MEBI, "{most} bytes more");
}

/// As of an application, whose requests all come over one connection.
#[test]
fn large_sessions_at_once_take_turns() {
    const LENGTH: usize = 4_000_000;
    const SESSIONS: usize = 12;
    let store = Store::start();
    let watched = Watched::start(&store, &[("SOJOURN_MEMORY", "8MiB")]);
    let mut client = watched.daemon.client();
    for base in 0..3 {
        for n in 0..SESSIONS {
            let session = format!("s{n}");
            send_tagged(&mut client, n, &session, base, &random(LENGTH));
        }
        for _ in 0..SESSIONS {
            let reply = client.read().unwrap();
            assert_eq!(reply.items()[1].version(), base + 1);
        }
    }
    let most = watched.most();
    assert!(
        most < 64 * MEBI,
        "{most} bytes beside what it takes idle, for {SESSIONS} of {LENGTH} at once"
    );
}

/// What cannot be read for want of room holds up nothing of what comes behind it, and is refused as what a store that is away does not take.
#[test]
fn large_values_that_a_store_does_not_take_are_refused_and_hold_up_no_others() {
    const LENGTH: usize = 1_000_000;
    const SESSIONS: usize = 40;
    let store = Store::start();
    let settings = [ASYNC, ("SOJOURN_MEMORY", "8MiB"), ("SOJOURN_QUEUE", "1KiB")];
    let watched = Watched::start(&store, &settings);
    let mut client = watched.daemon.client();
    surely(|| client.commit("small", 0, "SET a 0"));
    queue_is_empty(&watched.daemon);
    store.signal("STOP");
    for n in 0..SESSIONS {
        send_tagged(&mut client, n, &format!("s{n}"), 0, &random(LENGTH));
    }
    client.send(&[b"SJ.TAG", b"100", b"PING"]);
    let mut refused = 0;
    let pong = loop {
        let reply = client.read().unwrap();
        if reply.items()[0].int() == 100 {
            break reply;
        }
        refused += 1;
        let text = reply.items()[1].text();
        assert!(
            text.starts_with("UNAVAILABLE too many large requests"),
            "{text}"
        );
    };
    assert_eq!(pong.items()[1].text(), "PONG");
    assert!(refused > SESSIONS / 2, "{refused} were refused before");
    store.signal("CONT");
    let mut committed = 0;
    for _ in refused..SESSIONS {
        committed += usize::from(is_committed(&client.read().unwrap().items()[1]));
    }
    assert!(committed > 0 && watched.most() < 64 * MEBI);
    let reply = surely(|| client.set("after", 0, "a", &random(LENGTH)));
    assert_eq!(reply.version(), 1, "there is room again");
}

/// It may never come to an end, and holds nobody's room but its own connection's.
#[test]
fn who_stalls_in_a_large_value_leaves_all_others_their_room() {
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_MEMORY", "8MiB")]);
    let mut stalled = [(); 4].map(|()| daemon.client());
    for client in &mut stalled {
        client.send_raw(b"*8\r\n$9\r\nSJ.COMMIT\r\n$1\r\ns\r\n$1\r\n0\r\n$4\r\n1800\r\n$4\r\n1000\r\n$3\r\nSET\r\n$1\r\na\r\n$16000000\r\nx");
        assert_eq!(daemon.client().say("PING").text(), "PONG");
    }
    let mut client = daemon.client();
    for base in 0..3 {
        let reply = client.set("s", base, "a", &random(6_000_000));
        assert_eq!(reply.version(), base + 1);
    }
}

/// Each has room for all of it, or waits for that as a whole.
#[test]
fn sessions_of_several_large_values_do_not_keep_each_other_from_their_room() {
    const VALUES: usize = 4;
    let store = Store::start();
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_MEMORY", "8MiB")]);
    let mut clients = [(); 4].map(|()| daemon.client());
    let values: Vec<_> = (0..VALUES).map(|_| random(2_000_000)).collect();
    for (n, client) in clients.iter_mut().enumerate() {
        let (session, names) = (format!("s{n}"), ["a", "b", "c", "d"]);
        let mut words = vec![
            &b"SJ.COMMIT"[..],
            session.as_bytes(),
            b"0",
            b"1800",
            b"1000",
        ];
        for (name, value) in names.iter().zip(&values) {
            words.extend([&b"SET"[..], name.as_bytes(), value]);
        }
        client.send(&words);
    }
    for client in &mut clients {
        assert_eq!(client.read().unwrap().version(), 1);
    }
}

/// Each holds commits of a session that the other one has claimed, behind one that takes all of its room on the way to the store: neither lets go before its own commit is there.
#[test]
fn daemons_that_wait_for_each_others_claims_do_not_do_so_for_ever() {
    const LARGE: usize = 5 * MEBI;
    let store = Store::start();
    let settings = [
        ASYNC,
        ("SOJOURN_QUEUE", "32MiB"),
        ("SOJOURN_STORE_PATIENCE", "3s"),
    ];
    let daemons = [(); 2].map(|()| Daemon::with(&store.url(), &settings));
    let mut clients = daemons.each_ref().map(Daemon::client);
    for (n, other) in [(0, 1), (1, 0)] {
        let session = format!("s{n}");
        surely(|| clients[other].commit(&session, 0, "SET a 0"));
        queue_is_empty(&daemons[other]);
        // Held by both, and claimed by this one alone.
        surely(|| clients[n].open(&session, 0));
        surely(|| clients[n].commit(&session, 1, "SET a 1"));
        queue_is_empty(&daemons[n]);
    }
    store.signal("STOP");
    for daemon in &daemons {
        daemon.until_store("down");
    }
    for (n, other) in [(0, 1), (1, 0)] {
        let (own, others) = (format!("s{n}"), format!("s{other}"));
        surely(|| clients[n].set(&others, 1, "large", &random(LARGE)));
        surely(|| clients[n].commit(&own, 2, "SET b 1"));
    }
    store.signal("CONT");
    for daemon in &daemons {
        queue_is_empty(daemon);
    }
    for session in ["s0", "s1"] {
        let opened = Daemon::of(&store).client().open(session, 0);
        let attributes = opened.attributes();
        let has = |name: &str| {
            attributes
                .iter()
                .any(|attribute| attribute.starts_with(name))
        };
        assert!(has("large=") && has("b=1"), "{session}");
    }
}

/// After a server was started anew all daemons find out at once that it does not know their scripts.
#[test]
fn a_script_is_told_to_a_server_once_however_many_wait_for_it() {
    const SESSIONS: usize = 300;
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    surely(|| client.commit("first", 0, "SET a 0"));
    store.client().say("SCRIPT FLUSH");
    let before = store.received_bytes();
    let mut all = Vec::new();
    for n in 0..SESSIONS {
        let (tag, session) = (n.to_string(), format!("s{n}"));
        let words = ["SJ.TAG", &tag, "SJ.COMMIT", &session, "0", "1800", "1000"];
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        all.extend(crate::harness::wire(&words));
    }
    client.send_raw(&all);
    for _ in 0..SESSIONS {
        assert!(is_committed(&client.read().unwrap().items()[1]));
    }
    let each = (store.received_bytes() - before) / i64::try_from(SESSIONS).unwrap();
    assert!(each < 2_000, "{each} bytes for each");
}

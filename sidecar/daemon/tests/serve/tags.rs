//! Many requests of one connection under way at once.

use std::io::Write as _;
use std::os::unix::net::UnixStream;

use crate::claims::MODES;
use crate::exclusive::locked;
use crate::harness::{Client, Daemon, Reply, Store, until, wire};
use crate::lives::{same, under_one_life};

fn tagged(tag: i64, line: &str) -> Vec<u8> {
    let line = format!("SJ.TAG {tag} {line}");
    wire(&line.split(' ').map(str::as_bytes).collect::<Vec<_>>())
}

/// The tag and the reply under it.
fn told(client: &mut Client) -> (i64, Reply) {
    told_if_tagged(client).unwrap()
}

fn told_if_tagged(client: &mut Client) -> Result<(i64, Reply), String> {
    match client.read().expect("a reply") {
        Reply::Array(Some(items)) if matches!(items[..], [Reply::Integer(_), _]) => {
            Ok((items[0].int(), items[1].clone()))
        }
        reply => Err(format!("no tagged reply: {reply:?}")),
    }
}

/// Whether that is what is told next.
fn next_told(client: &mut Client, tag: i64) -> Result<Reply, String> {
    let (told, reply) = told_if_tagged(client)?;
    same("tag", &told, &tag)?;
    Ok(reply)
}

fn lock(client: &mut Client, session: &str) -> Result<i64, String> {
    locked(&client.say(&format!("SJ.OPEN {session} 0 EXCLUSIVE")))
}

/// Gives a lock back that has to be there still.
fn unlock(client: &mut Client, session: &str, lock: i64) -> Result<(), String> {
    let given_back = client.say(&format!("SJ.UNLOCK {session} {lock}"));
    same("given back", &given_back, &Reply::Integer(1))
}

fn until_asked(daemon: &Daemon, command: &str, times: i64) {
    until("the requests to arrive", || {
        let asked = daemon.metric("sojourn_requests_total", &format!("\"{command}\""));
        (asked >= times).then_some(())
    });
}

#[test]
fn a_session_that_waits_holds_up_no_other() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    let pong = Reply::Simple("PONG".into());
    under_one_life(&daemons.each_ref(), |s| {
        let [mut holder, mut client] = daemons.each_ref().map(Daemon::client);
        let (free, opens_free) = (format!("{s}-free"), format!("SJ.OPEN {s}-free 0"));
        holder.commit(s, 0, "SET a 1");
        holder.commit(&free, 0, "SET b 2");
        let held = lock(&mut holder, s)?;
        client.send_raw(&tagged(1, &format!("SJ.OPEN {s} 0")));
        client.send_raw(&tagged(2, &opens_free));
        assert_eq!(next_told(&mut client, 2)?.attributes(), ["b=2"]);
        same("told", &client.say("PING"), &pong)?;
        // One without a tag.
        same("fields", &client.open(&free, 0).items().len(), &5)?;
        client.send(&[b"SJ.OPEN", s.as_bytes(), b"0"]);
        client.send_raw(&tagged(3, &opens_free));
        // Behind one without a tag that waits.
        next_told(&mut client, 3)?;
        client.send(&[b"PING"]);
        client.send_raw(&tagged(4, "PING"));
        unlock(&mut holder, s, held)?;
        assert_eq!(next_told(&mut client, 1)?.version(), 1);
        same("fields", &client.read().unwrap().items().len(), &5)?;
        same("told", &client.read().unwrap(), &pong)?;
        same("told", &next_told(&mut client, 4)?, &pong)
    });
}

#[test]
fn five_hundred_in_one_write_are_each_answered_and_those_of_one_session_in_their_order() {
    for mode in MODES {
        let store = Store::start();
        let daemon = Daemon::with(&store.url(), &[mode]);
        let mut client = daemon.client();
        client.commit("s", 0, "SET n 0");
        let mut requests = Vec::new();
        for n in 1..=200 {
            let commit = format!("SJ.COMMIT s 1 1800 1000 SET n {n}");
            requests.extend(tagged(3 * n, &commit));
            requests.extend(tagged(3 * n + 1, "SJ.OPEN s 0"));
            let commit = format!("SJ.COMMIT t{n} 0 1800 1000 SET n {n}");
            requests.extend(tagged(3 * n + 2, &commit));
        }
        client.send_raw(&requests);
        let mut replies: Vec<_> = (0..600).map(|_| told(&mut client)).collect();
        replies.sort_by_key(|(tag, _)| *tag);
        for (number, three) in replies.chunks(3).enumerate() {
            let n = i64::try_from(number).unwrap() + 1;
            let tags: Vec<_> = three.iter().map(|(tag, _)| *tag).collect();
            assert_eq!(tags, [3 * n, 3 * n + 1, 3 * n + 2]);
            assert_eq!(three[0].1.version(), n + 1, "{mode:?}");
            assert_eq!(three[1].1.version(), n + 1, "{mode:?}");
            assert_eq!(three[1].1.attributes(), [format!("n={n}")], "{mode:?}");
            assert_eq!(three[2].1.version(), 1, "{mode:?}");
        }
    }
}

#[test]
fn what_a_client_asked_for_before_it_left_is_done() {
    for mode in MODES {
        let store = Store::start();
        let daemon = Daemon::with(&store.url(), &[mode]);
        let mut client = daemon.client();
        let value = "v".repeat(2000);
        let mut requests = Vec::new();
        for n in 0..50 {
            let commit = format!("SJ.COMMIT s{n} 0 1800 1000 SET a {value}");
            requests.extend(tagged(n, &commit));
        }
        client.send_raw(&requests);
        drop(client);
        until("the commits", || {
            (store.sessions().len() == 50).then_some(())
        });
        until("the end of the connection", || {
            (daemon.metric("sojourn_connections", "") == 0).then_some(())
        });
        let mut other = Daemon::of(&store);
        let mut client = other.client();
        for n in 0..50 {
            assert_eq!(client.open(&format!("s{n}"), 0).version(), 1, "{mode:?}");
        }
        drop(client);
        other.process.signal("TERM");
        assert_eq!(other.process.exit_code(), Some(0));
    }
}

#[test]
fn a_lock_that_comes_after_its_client_has_left_is_given_back() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    under_one_life(&[&daemon], |s| {
        let [mut holder, mut leaver, mut client] = [&daemon; 3].map(Daemon::client);
        holder.commit(s, 0, "SET a 1");
        let held = lock(&mut holder, s)?;
        let waits = || daemon.metric("sojourn_lock_waits_total", "");
        let before = waits();
        leaver.send_raw(&tagged(1, &format!("SJ.OPEN {s} 0 EXCLUSIVE")));
        until("the lock to be waited for", || {
            (waits() > before).then_some(())
        });
        drop(leaver);
        unlock(&mut holder, s, held)?;
        client.send_raw(&tagged(7, &format!("SJ.OPEN {s} 0 EXCLUSIVE")));
        let lock = locked(&next_told(&mut client, 7)?)?;
        client.send_raw(&tagged(8, &format!("SJ.UNLOCK {s} {lock}")));
        same("told", &next_told(&mut client, 8)?, &Reply::Integer(1))
    });
}

#[test]
fn the_end_waits_for_what_is_under_way() {
    let store = Store::start();
    let holding = Daemon::of(&store);
    let mut holder = holding.client();
    under_one_life(&[&holding], |s| {
        let mut daemon = Daemon::of(&store);
        holder.commit(s, 0, "SET a 1");
        let held = lock(&mut holder, s)?;
        let mut client = daemon.client();
        client.send_raw(&tagged(1, &format!("SJ.OPEN {s} 0")));
        until_asked(&daemon, "open", 1);
        daemon.process.signal("TERM");
        until("the drain", || {
            daemon.log().contains("draining").then_some(())
        });
        unlock(&mut holder, s, held)?;
        assert_eq!(next_told(&mut client, 1)?.version(), 1);
        assert_eq!(daemon.process.exit_code(), Some(0));
        Ok(())
    });
}

/// Bytes in memory.
fn resident(daemon: &Daemon) -> u64 {
    let path = format!("/proc/{}/statm", daemon.process.0.id());
    let pages = std::fs::read_to_string(path).unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn a_client_that_asks_a_lot_and_reads_late_costs_little_and_gets_it_all() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    client.set("s", 0, "a", &vec![7; 50_000]);
    client.open("s", 0);
    let before = resident(&daemon);
    let rounds = 3000;
    let requests: Vec<u8> = (0..rounds)
        .flat_map(|tag| tagged(tag, "SJ.OPEN s 0"))
        .collect();
    let mut sender = UnixStream::connect(daemon.socket()).unwrap();
    let mut client = Client::over(sender.try_clone().unwrap());
    let sending = std::thread::spawn(move || sender.write_all(&requests).unwrap());
    until_asked(&daemon, "open", 20);
    // It reads no more once its answers to the same question are the same.
    let (mut asked, mut same) = (0, 0);
    until("the daemon to stop reading", || {
        let now = daemon.metric("sojourn_requests_total", "\"open\"");
        same = if now == asked { same + 1 } else { 0 };
        asked = now;
        (same == 100).then_some(())
    });
    assert!(asked < 1500, "{asked} requests were taken");
    let grown = resident(&daemon).saturating_sub(before);
    assert!(grown < 16 << 20, "grew by {grown} bytes");
    let mut tags: Vec<_> = (0..rounds)
        .map(|_| {
            let (tag, opened) = told(&mut client);
            assert_eq!(opened.version(), 1);
            tag
        })
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, (0..rounds).collect::<Vec<_>>());
    sending.join().unwrap();
}

#[test]
fn errors_come_under_the_tag_and_those_of_the_tag_itself_without() {
    let store = Store::start();
    let daemon = Daemon::of(&store);
    let mut client = daemon.client();
    for (line, expected) in [
        ("GET x", "ERR unknown command 'GET'"),
        ("SJ.OPEN s", "ERR wrong number of arguments for 'SJ.OPEN'"),
        ("AUTH x", "ERR 'AUTH' takes no tag"),
        ("HELLO", "ERR 'HELLO' takes no tag"),
        ("QUIT", "ERR 'QUIT' takes no tag"),
        ("SUBSCRIBE sojourn", "ERR 'SUBSCRIBE' takes no tag"),
        ("UNSUBSCRIBE", "ERR 'UNSUBSCRIBE' takes no tag"),
        ("SJ.TAG 6 PING", "ERR 'SJ.TAG' takes no tag"),
        ("SJ.COMMIT s 3 60 1 SET a 1", "GONE the session has ended"),
    ] {
        client.send_raw(&tagged(5, line));
        assert_eq!(
            told(&mut client),
            (5, Reply::Error(expected.into())),
            "{line}"
        );
    }
    for (line, expected) in [
        ("SJ.TAG", "ERR wrong number of arguments for 'SJ.TAG'"),
        ("SJ.TAG 5", "ERR wrong number of arguments for 'SJ.TAG'"),
        ("SJ.TAG -5 PING", "ERR tag is not a number in range"),
        ("SJ.TAG five PING", "ERR tag is not a number in range"),
    ] {
        assert_eq!(client.say(line).text(), expected, "{line}");
    }
    assert_eq!(daemon.metric("sojourn_request_errors_total", "gone"), 1);
    assert_eq!(
        daemon.metric("sojourn_request_errors_total", "\"request\""),
        12
    );
    assert_eq!(daemon.metric("sojourn_requests_total", "\"commit\""), 1);
}

#[test]
fn who_says_farewell_or_nonsense_is_answered_everything_first() {
    let store = Store::start();
    let daemons = [Daemon::of(&store), Daemon::of(&store)];
    for last in [&b"*1\r\n$4\r\nQUIT\r\n"[..], b"nonsense\r\n"] {
        under_one_life(&daemons.each_ref(), |s| {
            let s = &format!("{s}-{}", last.len());
            let [mut holder, mut client] = daemons.each_ref().map(Daemon::client);
            holder.commit(s, 0, "SET a 1");
            let held = lock(&mut holder, s)?;
            let open = tagged(1, &format!("SJ.OPEN {s} 0"));
            client.send_raw(&[open, tagged(2, "PING"), last.to_vec()].concat());
            next_told(&mut client, 2)?;
            unlock(&mut holder, s, held)?;
            next_told(&mut client, 1)?;
            let farewell = client.read().unwrap().text();
            assert!(
                farewell == "OK" || farewell.starts_with("ERR Protocol"),
                "{farewell}"
            );
            assert_eq!(client.read(), None);
            Ok(())
        });
    }
}

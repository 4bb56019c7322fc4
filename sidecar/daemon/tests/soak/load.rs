//! What applications do all day: sessions come, change, end, expire; connections come and go.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::harness::{Client, Daemon, Reply, random};

pub fn work(daemon: &Daemon, worker: u64, over: &AtomicBool, done: &AtomicU64) {
    let mut client = daemon.client();
    let mut rng = fastrand::Rng::new();
    let mut n = 0_u64;
    while !over.load(Ordering::Relaxed) {
        n += 1;
        if n.is_multiple_of(20) {
            client = daemon.client();
        }
        let session = format!("d{}w{worker}n{n}", daemon.http);
        live(&mut client, &session, &mut rng);
        done.fetch_add(5, Ordering::Relaxed);
    }
}

/// A session's life: created, changed, read, and then renamed, ended, left to expire or just left.
fn live(client: &mut Client, session: &str, rng: &mut fastrand::Rng) {
    let idle: &[u8] = if rng.u32(..4) == 0 { b"1" } else { b"1800" };
    let length = if rng.u32(..8) == 0 { 40_000 } else { 500 };
    let value = random(length);
    let create: [&[u8]; 8] = [
        b"SJ.COMMIT",
        session.as_bytes(),
        b"0",
        idle,
        b"1000",
        b"SET",
        b"a",
        &value,
    ];
    assert_eq!(client.call(&create).version(), 1);
    for base in 1..4 {
        client.commit(session, base, &format!("SET b {} DEL c", rng.u64(..)));
    }
    client.open(session, 0);
    match rng.u32(..4) {
        0 => {
            client.say(&format!("SJ.END {session}"));
        }
        1 => {
            client.say(&format!("SJ.RENAME {session} {session}r 4"));
        }
        2 => {
            client.say(&format!(
                "SJ.NOTE large /shop a{} com.example.Cart",
                rng.u32(..)
            ));
        }
        _ => {}
    }
}

/// Ends what has expired, as an agent does.
pub fn listen(daemon: &Daemon, over: &AtomicBool) {
    let (mut listener, mut client) = (daemon.client(), daemon.client());
    listener.say("SUBSCRIBE sojourn");
    while !over.load(Ordering::Relaxed) {
        // What expires is a part of the load; a moment without any is none of our concern.
        listener.send(&[b"PING"]);
        while let Some(reply) = listener.read() {
            let Reply::Array(Some(message)) = reply else {
                break;
            };
            let text = message[2].text();
            let Some(name) = text.strip_prefix("expired ") else {
                continue;
            };
            client.say(&format!("SJ.REAP {name}"));
            client.say(&format!("SJ.END {name}"));
        }
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
}

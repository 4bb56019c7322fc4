//! Stores of several real servers, and what writes to them while they change.

mod cluster;
mod sentinels;
mod slow_link;
mod writer;

pub use cluster::Cluster;
pub use sentinels::Sentinels;
pub use slow_link::SlowLink;
pub use writer::{Writer, assert_written, sessions};

use crate::harness::{Client, Store, until};

pub const SETTINGS: [(&str, &str); 2] = [
    ("SOJOURN_STORE_SETTLE", "300ms"),
    ("SOJOURN_STORE_PATIENCE", "20s"),
];

/// The user that [`permit`] makes.
pub const PERMITTED: [(&str, &str); 2] = [
    ("SOJOURN_STORE_USERNAME", "sidecar"),
    ("SOJOURN_STORE_PASSWORD", "secret"),
];

/// Gives a user the permissions that are documented, and no others.
pub fn permit(store: &Store) {
    let documented = include_str!("../../../../protocol/store.md");
    let begin = documented.find("ACL SETUSER").unwrap();
    let rules = documented[begin..].split("```").next().unwrap();
    let rules = rules.replace("<cluster>", "test.shop");
    let rules = rules.replace(">password", ">secret");
    let words: Vec<&[u8]> = rules.split_whitespace().map(str::as_bytes).collect();
    assert_eq!(store.client().call(&words).text(), "OK");
}

/// A field of what `INFO` says.
pub fn info(store: &Store, field: &str) -> String {
    // A Sentinel that makes a server a replica, or a primary, closes its connections.
    let info = until("an answer", || {
        let mut client = store.client();
        client.send(&[b"INFO", b"everything"]);
        client.read()
    });
    let info = info.text();
    let field = format!("{field}:");
    let value = info.lines().find_map(|line| line.strip_prefix(&field));
    value.unwrap_or_default().trim().to_owned()
}

/// A server that replicas can follow at once.
pub fn primary(arguments: &[&str]) -> Store {
    Store::with(&[&["--repl-diskless-sync-delay", "0"], arguments].concat())
}

/// A replica, up to date.
pub fn replica_of(followed: u16, arguments: &[&str]) -> Store {
    let port = followed.to_string();
    let replicaof = ["--replicaof", "localhost", &port];
    let replica = primary(&[&replicaof, arguments].concat());
    // One that is only just online gets what is written once it has told how far it is, a second later.
    let mut direct = Client::tcp(followed);
    until("the replica", || {
        let online = format!("port={},state=online", replica.port);
        let known = direct.say("INFO replication").text();
        let count = known.matches("state=online").count();
        direct.say("SET ready 1 PX 1000");
        let held = direct.say(&format!("WAIT {count} 1000")).int();
        (known.contains(&online) && usize::try_from(held) == Ok(count)).then_some(())
    });
    replica
}

/// Dies, and comes back without its data, though with what else is in its directory: who it is in a cluster.
pub fn lose_data(store: &mut Store) {
    store.kill();
    std::fs::remove_dir_all(store.directory.path().join("appendonlydir")).unwrap();
    store.run();
}

//! Stores of several real servers, and what writes to them while they change.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tempfile::TempDir;

use crate::harness::{Client, Daemon, Process, Reply, Store, free_port, until};

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
    let documented = include_str!("../../../protocol/store.md");
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

/// A Sentinel, which has to be told of the others by the primary.
struct Sentinel {
    port: u16,
    directory: TempDir,
    process: Option<Process>,
}

impl Sentinel {
    fn run(&mut self) {
        let server = ["valkey-server", "redis-server"].into_iter().find(|name| {
            let mut version = Command::new(name);
            version.arg("--version").stdout(Stdio::null());
            version.status().is_ok()
        });
        let mut command = Command::new(server.unwrap());
        command.arg(self.directory.path().join("sentinel.conf"));
        command.arg("--sentinel").stdout(Stdio::null());
        self.process = Some(Process(command.spawn().unwrap()));
    }
}

/// A primary, two replicas, and three Sentinels that go by host names.
pub struct Sentinels {
    pub servers: Vec<Store>,
    sentinels: Vec<Sentinel>,
}

const NAMED: [&str; 2] = ["--replica-announce-ip", "localhost"];

impl Sentinels {
    /// Servers whose Sentinels do not run yet.
    pub fn prepared() -> Self {
        let primary = primary(&NAMED);
        let port = primary.port;
        let servers = vec![primary, replica_of(port, &NAMED), replica_of(port, &NAMED)];
        let sentinels = (0..3).map(|_| Self::sentinel(port)).collect();
        Self { servers, sentinels }
    }

    pub fn start() -> Self {
        let mut all = Self::prepared();
        all.run_sentinels();
        all
    }

    fn sentinel(primary: u16) -> Sentinel {
        let (port, directory) = (free_port(), tempfile::tempdir().unwrap());
        let settings = format!(
            "port {port}\nbind 127.0.0.1\ndir {}\n\
             sentinel resolve-hostnames yes\nsentinel announce-hostnames yes\n\
             sentinel monitor sessions localhost {primary} 2\n\
             sentinel down-after-milliseconds sessions 600\n\
             sentinel failover-timeout sessions 1500\nsentinel parallel-syncs sessions 2\n",
            directory.path().display()
        );
        std::fs::write(directory.path().join("sentinel.conf"), settings).unwrap();
        Sentinel {
            port,
            directory,
            process: None,
        }
    }

    pub fn run_sentinels(&mut self) {
        self.sentinels.iter_mut().for_each(Sentinel::run);
        for at in 0..3 {
            // By itself it looks every 10 s who is there and what became of it.
            self.asking(at)
                .say("SENTINEL DEBUG INFO-PERIOD 500 PUBLISH-PERIOD 300");
        }
        for at in 0..3 {
            until("the Sentinels to know each other", || {
                let mut client = self.asking(at);
                let usable = client.say("SENTINEL CKQUORUM sessions");
                let replicas = client.say("SENTINEL REPLICAS sessions");
                let known = matches!(&replicas, Reply::Array(Some(all)) if all.len() == 2);
                (known && usable.text().starts_with("OK 3")).then_some(())
            });
        }
    }

    fn asking(&self, at: usize) -> Client {
        Client::tcp(self.sentinels[at].port)
    }

    pub fn url(&self) -> String {
        let hosts = self
            .sentinels
            .iter()
            .map(|it| format!("localhost:{}", it.port));
        let hosts: Vec<String> = hosts.collect();
        format!("redis-sentinel://{}#sessions", hosts.join(","))
    }

    /// What the last Sentinel says: the one that no test kills.
    pub fn primary(&self) -> usize {
        let said = self
            .asking(2)
            .say("SENTINEL GET-MASTER-ADDR-BY-NAME sessions");
        let port: u16 = said.items()[1].text().parse().unwrap();
        let at = self.servers.iter().position(|server| server.port == port);
        at.expect("one of the servers")
    }

    pub fn until_other_than(&self, old: usize) -> usize {
        until("another primary", || {
            let now = self.primary();
            (now != old && info(&self.servers[now], "role") == "master").then_some(now)
        })
    }

    pub fn fail_over(&self) {
        until("the fail-over to begin", || {
            let said = self.asking(2).say("SENTINEL FAILOVER sessions").text();
            (said == "OK").then_some(())
        });
    }

    pub fn kill_sentinel(&mut self, at: usize) {
        self.sentinels[at].process = None;
    }
}

/// Servers that share the slots.
pub struct Cluster {
    pub nodes: Vec<Store>,
}

impl Cluster {
    /// So many primaries, which share all slots, and as many replicas of each.
    pub fn start(primaries: usize, replicas: usize) -> Self {
        let nodes = (0..primaries * (1 + replicas)).map(|_| Self::node());
        let cluster = Self {
            nodes: nodes.collect(),
        };
        for (at, node) in cluster.nodes.iter().enumerate() {
            node.client()
                .say(&format!("CLUSTER SET-CONFIG-EPOCH {}", at + 1));
            let (first, last) = (at * 16_384 / primaries, (at + 1) * 16_384 / primaries - 1);
            if at < primaries {
                let added = node
                    .client()
                    .say(&format!("CLUSTER ADDSLOTSRANGE {first} {last}"));
                assert_eq!(added.text(), "OK");
            }
            cluster.meet(at);
        }
        for at in primaries..cluster.nodes.len() {
            let id = cluster.id(at % primaries);
            until("the replica to know its primary", || {
                let said = cluster.say(at, &format!("CLUSTER REPLICATE {id}")).text();
                (said == "OK").then_some(())
            });
        }
        cluster.until_settled();
        cluster
    }

    fn node() -> Store {
        let bus = free_port().to_string();
        primary(&[
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "1000",
            "--cluster-port",
            &bus,
            "--cluster-announce-hostname",
            "localhost",
        ])
    }

    fn meet(&self, at: usize) {
        let first = &self.nodes[0];
        let bus = info_of_bus(first);
        self.say(at, &format!("CLUSTER MEET 127.0.0.1 {} {bus}", first.port));
    }

    /// Adds a primary without slots.
    pub fn add(&mut self) -> usize {
        self.nodes.push(Self::node());
        let at = self.nodes.len() - 1;
        self.say(at, "CLUSTER SET-CONFIG-EPOCH 100");
        self.meet(at);
        self.until_settled();
        at
    }

    /// Every node that runs thinks that all is well, and knows all others.
    pub fn until_settled(&self) {
        for at in 0..self.nodes.len() {
            until("the cluster", || {
                let said = self.say(at, "CLUSTER INFO").text();
                let known = format!("cluster_known_nodes:{}\r", self.nodes.len());
                (said.contains("cluster_state:ok") && said.contains(&known)).then_some(())
            });
            until("the replicas", || {
                let node = &self.nodes[at];
                let replica = info(node, "role") == "slave";
                (!replica || info(node, "master_link_status") == "up").then_some(())
            });
        }
    }

    pub fn say(&self, at: usize, line: &str) -> Reply {
        self.nodes[at].client().say(line)
    }

    pub fn id(&self, at: usize) -> String {
        self.say(at, "CLUSTER MYID").text()
    }

    pub fn url(&self) -> String {
        let hosts = self.nodes.iter().take(2);
        let hosts: Vec<String> = hosts
            .map(|node| format!("localhost:{}", node.port))
            .collect();
        format!("redis-cluster://{}", hosts.join(","))
    }

    pub fn until_primary(&self, at: usize) {
        until("the new primary", || {
            (info(&self.nodes[at], "role") == "master").then_some(())
        });
    }

    /// The slots with keys that a node has.
    pub fn slots(&self, at: usize) -> Vec<String> {
        let mut keys: Vec<String> = self.nodes[at].keys();
        keys.sort_by_key(|key| key[4..6].to_owned());
        keys.dedup_by_key(|key| key[4..6].to_owned());
        let slot = |key: &String| self.say(at, &format!("CLUSTER KEYSLOT {key}")).int();
        keys.iter().map(|key| slot(key).to_string()).collect()
    }

    /// Moves a slot, one key after another.
    pub fn migrate(&self, slot: &str, from: usize, to: usize) {
        let (source, target) = (self.id(from), self.id(to));
        self.say(to, &format!("CLUSTER SETSLOT {slot} IMPORTING {source}"));
        self.say(from, &format!("CLUSTER SETSLOT {slot} MIGRATING {target}"));
        loop {
            let keys = self.say(from, &format!("CLUSTER GETKEYSINSLOT {slot} 1"));
            let Some(key) = keys.items().first().map(Reply::text) else {
                break;
            };
            let port = self.nodes[to].port;
            let moved = self
                .say(from, &format!("MIGRATE 127.0.0.1 {port} {key} 0 5000"))
                .text();
            assert!(matches!(moved.as_str(), "OK" | "NOKEY"), "{moved}");
        }
        for at in [to, from] {
            let line = format!("CLUSTER SETSLOT {slot} NODE {target}");
            assert_eq!(self.say(at, &line).text(), "OK");
        }
    }
}

/// The port of a node's bus, which it was told at its start.
fn info_of_bus(node: &Store) -> String {
    let port = node.client().say("CONFIG GET cluster-port");
    port.items()[1].text()
}

/// Writes to sessions through a daemon, each its own attribute, until it is stopped.
pub struct Writer {
    stop: Arc<AtomicBool>,
    written: Arc<AtomicUsize>,
    thread: JoinHandle<BTreeMap<String, usize>>,
}

impl Writer {
    /// Sessions that there are, and what is to be written as `name`.
    pub fn start(daemon: &Daemon, name: &'static str, sessions: &[String]) -> Self {
        let (stop, written) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (mut client, sessions) = (daemon.client(), sessions.to_vec());
        let (stopped, count) = (Arc::clone(&stop), Arc::clone(&written));
        let thread = std::thread::spawn(move || {
            let mut confirmed = BTreeMap::new();
            let mut bases: BTreeMap<&String, i64> = BTreeMap::new();
            for (number, session) in sessions.iter().cycle().enumerate() {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let base = bases.entry(session).or_insert(1);
                let reply = client.commit(session, *base, &format!("SET {name} {number}"));
                assert!(matches!(reply, Reply::Array(_)), "{session}: {reply:?}");
                *base = reply.version();
                confirmed.insert(session.clone(), number);
                count.fetch_add(1, Ordering::Relaxed);
            }
            confirmed
        });
        Self {
            stop,
            written,
            thread,
        }
    }

    /// Waits for so many commits more.
    pub fn until_more(&self, count: usize) {
        let before = self.written.load(Ordering::Relaxed);
        until("commits", || {
            (self.written.load(Ordering::Relaxed) >= before + count).then_some(())
        });
    }

    /// The last number that was confirmed for each session.
    pub fn stop(self) -> BTreeMap<String, usize> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Creates sessions, spread over all shards as names come.
pub fn sessions(daemon: &Daemon, count: usize) -> Vec<String> {
    let mut client = daemon.client();
    let names = (0..count).map(|n| format!("s{n}"));
    names
        .inspect(|name| assert_eq!(client.commit(name, 0, "SET created 1").version(), 1))
        .collect()
}

/// What was confirmed is there, for whoever reads.
pub fn assert_written(daemon: &Daemon, name: &str, confirmed: &BTreeMap<String, usize>) {
    assert!(!confirmed.is_empty());
    let mut client = daemon.client();
    for (session, number) in confirmed {
        let opened = client.open(session, 0);
        let expected = format!("{name}={number}");
        let attributes = opened.attributes();
        assert!(
            attributes.contains(&expected),
            "{session}: {expected} is not in {attributes:?}"
        );
    }
}

//! A cluster, its replicas, and slots that move.

use super::{info, primary};
use crate::harness::{Reply, Store, free_port, until};

/// Servers that share the slots.
pub struct Cluster {
    pub nodes: Vec<Store>,
}

impl Cluster {
    /// So many primaries, which share all slots, and as many replicas of each.
    pub fn start(primaries: usize, replicas: usize) -> Self {
        let nodes = (0..primaries * (1 + replicas)).map(Self::node);
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

    /// Some send elsewhere by name, others by address.
    fn node(at: usize) -> Store {
        let preferred = if at.is_multiple_of(2) {
            "hostname"
        } else {
            "ip"
        };
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
            "--cluster-preferred-endpoint-type",
            preferred,
        ])
    }

    fn meet(&self, at: usize) {
        let first = &self.nodes[0];
        let bus = info_of_bus(first);
        self.say(at, &format!("CLUSTER MEET 127.0.0.1 {} {bus}", first.port));
    }

    /// Adds a primary without slots.
    pub fn add(&mut self) -> usize {
        let at = self.nodes.len();
        self.nodes.push(Self::node(at));
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
        until("the keys to be moved", || {
            let keys = self.say(from, &format!("CLUSTER GETKEYSINSLOT {slot} 1"));
            let Some(key) = keys.items().first().map(Reply::text) else {
                return Some(());
            };
            let port = self.nodes[to].port;
            let moved = self
                .say(from, &format!("MIGRATE 127.0.0.1 {port} {key} 0 5000"))
                .text();
            // Nodes take each other for dead for a while, on a machine that is busy.
            let down = moved.contains("CLUSTERDOWN");
            assert!(down || matches!(moved.as_str(), "OK" | "NOKEY"), "{moved}");
            None
        });
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

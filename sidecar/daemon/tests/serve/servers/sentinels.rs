//! A primary, replicas and Sentinels.

use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::{info, primary, replica_of};
use crate::harness::{Client, Process, Reply, Store, free_port, until};

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

    /// One server, and one Sentinel that wants a password.
    pub fn with_password(password: &str) -> Self {
        let server = primary(&NAMED);
        let mut sentinel = Self::sentinel(server.port);
        let file = sentinel.directory.path().join("sentinel.conf");
        let settings = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{settings}requirepass {password}\n")).unwrap();
        sentinel.run();
        Self {
            servers: vec![server],
            sentinels: vec![sentinel],
        }
    }

    pub fn run_sentinels(&mut self) {
        self.sentinels.iter_mut().for_each(Sentinel::run);
        for at in 0..3 {
            // By itself it looks every 10 s who is there and what became of it, and does nothing for 30 s where it had no processor.
            let said = self
                .asking(at)
                .say("SENTINEL DEBUG INFO-PERIOD 500 PUBLISH-PERIOD 300 TILT-PERIOD 1000");
            assert_eq!(said.text(), "OK");
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

    pub fn ports(&self) -> Vec<u16> {
        self.sentinels.iter().map(|it| it.port).collect()
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

    /// Has another take over; which one.
    pub fn fail_over(&self) -> usize {
        let old = self.primary();
        until("another primary", || {
            let now = self.primary();
            if now == old {
                // One that comes to nothing, on a machine that is busy, is not tried again by itself. While it is under way this is refused.
                self.asking(2).say("SENTINEL FAILOVER sessions");
            }
            (now != old && info(&self.servers[now], "role") == "master").then_some(now)
        })
    }

    pub fn kill_sentinel(&mut self, at: usize) {
        self.sentinels[at].process = None;
    }
}

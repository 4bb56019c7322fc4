//! All configuration is read here, and all of it is checked before the first problem is reported.

mod edge;
mod reader;
mod store;
mod store_url;
mod units;
mod unknown;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub use edge::{Drain, EdgeConfig};
use reader::Reader;
pub use reader::{Problem, Problems};
pub use store::{OtherStore, Outage, StoreConfig};
pub use store_url::{Address, StoreUrl};
pub use units::duration;

use crate::pace::Limits;

/// When a commit is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Once the store has it.
    Sync,
    /// Once the daemon has it.
    Async,
}

impl Mode {
    /// As it is written in configuration and in `HELLO`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "Sync",
            Self::Async => "Async",
        }
    }
}

/// What `install` needs.
#[derive(Debug, Clone)]
pub struct InstallConfig {
    /// Where the daemon listens.
    pub socket: PathBuf,
    /// Where it listens beside that, for a JVM without Unix sockets.
    pub tcp: Option<SocketAddr>,
    /// What a TCP client must know.
    pub token_file: Option<PathBuf>,
    /// The agent in this image.
    pub agent_jar: PathBuf,
    /// The agent's own settings, lines of its settings file.
    pub agent_settings: Option<String>,
}

/// What the daemon does by itself, beside requests.
#[derive(Debug, Clone)]
pub struct BackgroundConfig {
    /// How much of it.
    pub limits: Limits,
    /// A file with other limits, looked at again and again.
    pub limits_file: Option<PathBuf>,
    /// How often the reaper goes through all shards.
    pub reap_every: Duration,
}

/// What `serve` needs.
#[derive(Debug, Clone)]
pub struct Config {
    /// Whose sessions these are: part of every key.
    pub cluster: String,
    /// The store.
    pub store: StoreConfig,
    /// When a commit is answered.
    pub mode: Mode,
    /// Where to listen, and where the agent lies.
    pub install: InstallConfig,
    /// Health and metrics.
    pub http: SocketAddr,
    /// The bound of the cache, in bytes.
    pub memory: usize,
    /// The bound of one session, in bytes.
    pub max_session: usize,
    /// `Async`: the bound of what is not in the store yet, in bytes.
    pub queue: usize,
    /// A directory to install the agent into before listening.
    pub install_agent: Option<PathBuf>,
    /// What seals the sessions' names, if not the store's password.
    pub seal_key_file: Option<PathBuf>,
    /// Expiry and refilling.
    pub background: BackgroundConfig,
}

/// What is set from outside: the environment, and perhaps a TOML file that it wins over.
#[derive(Debug, Default, Clone)]
pub struct Sources {
    /// The environment.
    pub environment: BTreeMap<String, String>,
    /// The file's text.
    pub file: Option<String>,
}

impl Config {
    /// All defaults, of a store with this URL.
    #[cfg(test)]
    pub(crate) fn of_a_test(url: &str) -> Self {
        let settings = [("SOJOURN_CLUSTER", "a"), ("SOJOURN_STORE_URL", url)];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let sources = Sources {
            environment: settings.into(),
            file: None,
        };
        Self::read(&sources).unwrap()
    }

    /// Reads and checks everything `serve` needs.
    pub fn read(sources: &Sources) -> Result<Self, Problems> {
        let mut reader = Reader::new(sources);
        let mode = reader.with_default("mode", units::mode, Mode::Sync);
        let config = Self {
            cluster: reader.required("cluster", units::cluster),
            store: store::store(&mut reader, mode),
            mode,
            install: install(&mut reader),
            http: reader.with_default("http", units::address, units::loopback(15900)),
            memory: reader.with_default("memory", units::bytes, 64 << 20),
            max_session: reader.with_default("max_session", units::bytes, 16 << 20),
            queue: reader.with_default("queue", units::bytes, 32 << 20),
            install_agent: reader.optional("install_agent", units::path),
            seal_key_file: reader.optional("seal_key_file", units::path),
            background: background(&mut reader),
        };
        reader.finish(config)
    }
}

impl InstallConfig {
    /// Reads and checks what `install` needs.
    pub fn read(sources: &Sources) -> Result<Self, Problems> {
        let mut reader = Reader::new(sources);
        let config = install(&mut reader);
        reader.finish(config)
    }
}

/// The level of the log, which is set up before anything else is read: a wrong one is a problem of `Config` too.
pub fn log_level(sources: &Sources) -> Result<tracing::Level, Problems> {
    let mut reader = Reader::new(sources);
    let level = reader.with_default("log", units::level, tracing::Level::INFO);
    reader.finish(level)
}

/// The limits in a file of the same keys; what it does not name stays as at the `start`.
pub fn limits(text: &str, start: Limits) -> Result<Limits, Problems> {
    let mut reader = Reader::new(&Sources {
        environment: BTreeMap::new(),
        file: Some(text.to_owned()),
    });
    let limits = read_limits(&mut reader, start);
    reader.finish(limits)
}

fn read_limits(reader: &mut Reader, default: Limits) -> Limits {
    Limits {
        background_rate: reader.with_default(
            "background_rate",
            units::rate,
            default.background_rate,
        ),
        session_rate: reader.with_default("session_rate", units::rate, default.session_rate),
    }
}

fn background(reader: &mut Reader) -> BackgroundConfig {
    let every = Duration::from_secs(10);
    BackgroundConfig {
        limits: read_limits(reader, Limits::default()),
        limits_file: reader.optional("limits_file", units::path),
        reap_every: reader.with_default("reap_every", units::some_time, every),
    }
}

fn install(reader: &mut Reader) -> InstallConfig {
    let socket = PathBuf::from("/run/sojourn/sojourn.sock");
    InstallConfig {
        socket: reader.with_default("socket", units::path, socket),
        tcp: reader.optional("tcp", units::loopback_address),
        token_file: reader.optional("token_file", units::path),
        agent_jar: reader.with_default(
            "agent_jar",
            units::path,
            PathBuf::from("/sojourn-agent.jar"),
        ),
        agent_settings: reader.optional("agent_settings", units::text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(environment: &[(&str, &str)], file: Option<&str>) -> Sources {
        let environment = environment
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect();
        Sources {
            environment,
            file: file.map(Into::into),
        }
    }

    #[test]
    fn two_settings_are_enough() {
        let few = [
            ("SOJOURN_CLUSTER", "default.shop"),
            ("SOJOURN_STORE_URL", "redis://store:6379"),
        ];
        let config = Config::read(&sources(&few, None)).unwrap();
        assert_eq!(config.cluster, "default.shop");
        assert_eq!(config.mode, Mode::Sync);
        assert_eq!(config.memory, 64 << 20);
        assert_eq!(config.store.patience, Duration::from_secs(15));
        assert_eq!(config.store.outage, Outage::Serve);
        assert_eq!(config.http.to_string(), "127.0.0.1:15900");
    }

    #[test]
    fn what_is_empty_is_not_set() {
        let file = "cluster = ''\nmode = ''\n[store]\nurl = 'redis://x'\n";
        let problems = Config::read(&sources(&[], Some(file))).unwrap_err();
        let text = problems.to_string();
        assert!(
            text.contains("SOJOURN_CLUSTER (cluster) is not set"),
            "{text}"
        );
        assert_eq!(problems.0.len(), 1, "{text}");
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let file = "cluster = 'a'\nmode = 'Async'\nqueue = 1000\n[store]\nurl = 'redis://x'\n";
        let config = Config::read(&sources(&[("SOJOURN_CLUSTER", "b")], Some(file))).unwrap();
        assert_eq!(
            (config.cluster.as_str(), config.mode, config.queue),
            ("b", Mode::Async, 1000)
        );
    }

    #[test]
    fn a_switch_in_the_file_is_written_as_in_any_other() {
        for (written, is_on) in [("true", true), ("'true'", true), ("false", false)] {
            let file = format!("cluster = 'a'\n[store]\nurl = 'redis://x'\nin_use = {written}\n");
            let config = Config::read(&sources(&[], Some(&file))).unwrap();
            assert_eq!(config.store.in_use, is_on);
        }
    }

    #[test]
    fn what_is_answered_before_the_store_has_it_waits_for_no_replicas() {
        for (mode, replicas) in [("Sync", 2), ("Async", 0)] {
            let settings = [
                ("SOJOURN_CLUSTER", "a"),
                ("SOJOURN_STORE_URL", "redis-sentinel://s1,s2#name"),
                ("SOJOURN_STORE_REPLICAS_ACK", "2"),
                ("SOJOURN_MODE", mode),
            ];
            let config = Config::read(&sources(&settings, None)).unwrap();
            assert_eq!(config.store.replicas_ack, replicas);
        }
    }

    #[test]
    fn sessions_move_in_one_direction_at_a_time() {
        let main = [
            ("SOJOURN_CLUSTER", "a"),
            ("SOJOURN_STORE_URL", "redis://new"),
            ("SOJOURN_STORE_PATIENCE", "3s"),
        ];
        let config = Config::read(&sources(&main, None)).unwrap();
        assert!(config.store.other.is_none());
        let previous = "[store.previous]\nurl = 'redis://old'\npassword = 'x'\n";
        let config = Config::read(&sources(&main, Some(previous))).unwrap();
        let other = config.store.other.unwrap();
        assert!(other.is_previous);
        assert_eq!(other.config.password.as_deref(), Some("x"));
        assert_eq!(other.config.patience, Duration::from_secs(3));
        assert_eq!(config.store.password, None);
        let both = [("SOJOURN_STORE_NEXT_URL", "redis://newer")];
        let both = [&main[..], &both].concat();
        let problems = Config::read(&sources(&both, Some(previous))).unwrap_err();
        assert!(problems.to_string().contains("remove one of them"));
        let lonely = [("SOJOURN_STORE_NEXT_PASSWORD", "hunter2")];
        let lonely = [&main[..], &lonely].concat();
        let problems = Config::read(&sources(&lonely, None)).unwrap_err();
        assert!(
            problems
                .to_string()
                .contains("SOJOURN_STORE_NEXT_URL (store.next.url) is not set")
        );
    }

    #[test]
    fn a_url_with_credentials_is_not_repeated() {
        let settings = [("SOJOURN_STORE_URL", "redis-sentinel://:hunter2@s1#name")];
        let problems = Config::read(&sources(&settings, None)).unwrap_err();
        assert!(!problems.to_string().contains("hunter2"), "{problems}");
    }

    #[test]
    fn all_problems_are_reported_at_once_with_key_value_and_mend() {
        let wrong = [
            ("SOJOURN_MODE", "Fast"),
            ("SOJOURN_TCP", "0.0.0.0:7000"),
            ("SOJOURN_MEMORY", "lots"),
            ("SOJOURN_STORE_URL", "http://x"),
            ("SOJOURN_STORE_PATIENCE", "5"),
            ("SOJOURN_STORE_OUTAGE", "refuse"),
            ("SOJOURN_STORE_SETTLE", "0s"),
            ("SOJOURN_REAP_EVERY", "0ms"),
            ("SOJOURN_STORE_PASSWORD", "hunter2"),
        ];
        let file = "memroy = '1MiB'\n[store]\nurls = 'x'\n";
        let problems = Config::read(&sources(&wrong, Some(file)))
            .unwrap_err()
            .to_string();
        for expected in [
            "SOJOURN_CLUSTER (cluster) is not set",
            "SOJOURN_MODE (mode) = \"Fast\": write Sync or Async",
            "SOJOURN_TCP (tcp) = \"0.0.0.0:7000\"",
            "loopback",
            "SOJOURN_MEMORY (memory) = \"lots\"",
            "SOJOURN_STORE_URL (store.url) = \"http://x\"",
            "SOJOURN_STORE_PATIENCE (store.patience) = \"5\"",
            "SOJOURN_STORE_OUTAGE (store.outage) = \"refuse\": write Serve or Refuse",
            "SOJOURN_STORE_SETTLE (store.settle) = \"0s\": write a duration above 0",
            "SOJOURN_REAP_EVERY (reap_every) = \"0ms\": write a duration above 0",
            "memroy = \"1MiB\": no such key",
            "store.urls = \"x\": no such key",
        ] {
            assert!(
                problems.contains(expected),
                "{expected} is missing in\n{problems}"
            );
        }
        assert!(!problems.contains("hunter2"));
    }

    #[test]
    fn a_file_that_is_no_toml_is_a_problem() {
        let problems = Config::read(&sources(&[], Some("cluster =")))
            .unwrap_err()
            .to_string();
        assert!(problems.contains("no TOML"), "{problems}");
    }
}

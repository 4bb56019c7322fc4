//! The connection to the store: made, watched, and made again, by one task.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisResult, TlsCertificates, Value};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

use super::reason::Reason;
use crate::config::StoreConfig;
use crate::metrics::{KindLabel, Metrics};

/// Connecting is given this long at first; twice as long after each time-out.
const FIRST_CONNECT: Duration = Duration::from_millis(100);
const LONGEST_CONNECT: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How often an idle connection is looked after.
const HEARTBEAT: Duration = Duration::from_secs(2);
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(1);
/// So many commands can be given to the connection before it runs, and leave together: as many as a client may have under way.
const PIPELINE: usize = 1024;

/// Whether the store can be used.
#[derive(Debug, Clone)]
pub(super) enum State {
    Down { since: Instant, reason: Reason },
    Up(Connection),
}

#[derive(Debug, Clone)]
pub(super) struct Connection {
    wire: MultiplexedConnection,
    /// Tells it from the one before.
    id: u64,
    /// Somebody found this connection broken.
    broken: Arc<Notify>,
}

impl Connection {
    /// Sends a command; an error that the server answers is an error here.
    pub(super) async fn send(&mut self, command: &redis::Cmd) -> RedisResult<Value> {
        self.wire
            .send_packed_command(command)
            .await?
            .extract_error()
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Has the connection made anew.
    pub(super) fn report_broken(&self) {
        self.broken.notify_one();
    }
}

pub(super) struct Link {
    config: StoreConfig,
    metrics: Arc<Metrics>,
    state: watch::Sender<State>,
    down_since: Instant,
}

impl Link {
    /// Starts the task; it ends when nobody looks at the state any more.
    pub(super) fn start(config: StoreConfig, metrics: Arc<Metrics>) -> watch::Receiver<State> {
        let down_since = Instant::now();
        let reason = Reason::connecting();
        let (state, receiver) = watch::channel(State::Down {
            since: down_since,
            reason,
        });
        let link = Self {
            config,
            metrics,
            state,
            down_since,
        };
        tokio::spawn(link.run());
        receiver
    }

    async fn run(mut self) {
        let mut patience = FIRST_CONNECT;
        let mut pause = FIRST_PAUSE;
        while !self.state.is_closed() {
            match timeout(patience, connect(&self.config, patience)).await {
                Ok(Ok(connection)) => {
                    self.up(&connection);
                    (patience, pause) = (FIRST_CONNECT, FIRST_PAUSE);
                    let reason = watch_over(connection).await;
                    self.down_since = Instant::now();
                    self.down(reason);
                }
                Ok(Err(reason)) => self.down(reason),
                Err(_) => {
                    self.down(Reason::timeout(patience));
                    patience = (2 * patience).min(LONGEST_CONNECT);
                }
            }
            // Half to all of it at random: a hundred daemons do not come back in one instant.
            sleep(pause.mul_f64(fastrand::f64().midpoint(1.0))).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn up(&self, connection: &Connection) {
        info!(after = ?self.down_since.elapsed(), "store up");
        self.metrics.store_up.set(1);
        self.state.send_replace(State::Up(connection.clone()));
    }

    /// Says it once for each reason, not for each try.
    fn down(&self, reason: Reason) {
        self.metrics.store_up.set(0);
        self.metrics
            .store_failures
            .get_or_create(&KindLabel { kind: reason.kind })
            .inc();
        let told = matches!(&*self.state.borrow(), State::Down { reason: told, .. } if told.kind == reason.kind);
        if !told {
            warn!(kind = reason.kind, reason = %reason, mend = reason.mend(), "store down");
        }
        self.state.send_replace(State::Down {
            since: self.down_since,
            reason,
        });
    }
}

/// Returns once the connection is of no use.
async fn watch_over(mut connection: Connection) -> Reason {
    let broken = Arc::clone(&connection.broken);
    loop {
        tokio::select! {
            () = broken.notified() => return Reason::dropped(),
            () = sleep(HEARTBEAT) => {
                match timeout(HEARTBEAT_TIMEOUT, connection.send(&redis::cmd("PING"))).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return Reason::of(&error),
                    Err(_) => return Reason::timeout(HEARTBEAT_TIMEOUT),
                }
            }
        }
    }
}

async fn connect(config: &StoreConfig, patience: Duration) -> Result<Connection, Reason> {
    let client = client(config)?;
    // The time-outs around these calls are ours: the library's would be counted twice.
    let settings = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(patience))
        .set_response_timeout(None)
        .set_pipeline_buffer_size(PIPELINE);
    let wire = client
        .get_multiplexed_async_connection_with_config(&settings)
        .await;
    let wire = wire.map_err(|error| Reason::of(&error))?;
    let mut connection = Connection {
        wire,
        id: fastrand::u64(..),
        broken: Arc::new(Notify::new()),
    };
    connection
        .send(&redis::cmd("PING"))
        .await
        .map_err(|error| Reason::of(&error))?;
    check_version(&mut connection).await?;
    Ok(connection)
}

pub(super) fn client(config: &StoreConfig) -> Result<Client, Reason> {
    use redis::IntoConnectionInfo as _;
    let info = config
        .url
        .as_str()
        .into_connection_info()
        .map_err(|error| Reason::of(&error))?;
    let mut settings = info.redis_settings().clone();
    let read = |file: &Option<std::path::PathBuf>| {
        // A file that is not there, or not readable, counts as not set: the store then says what it thinks of that.
        let text = file
            .as_ref()
            .and_then(|file| std::fs::read_to_string(file).ok());
        text.map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
            .filter(|text| !text.is_empty())
    };
    if let Some(username) = read(&config.username_file).or_else(|| config.username.clone()) {
        settings = settings.set_username(username);
    }
    if let Some(password) = read(&config.password_file).or_else(|| config.password.clone()) {
        settings = settings.set_password(password);
    }
    let info =
        info.set_redis_settings(settings.set_lib_name("sojournd", env!("CARGO_PKG_VERSION")));
    let tls = config.url.starts_with("rediss://");
    let client = match read(&config.ca_file).filter(|_| tls) {
        Some(ca) => Client::build_with_tls(
            info,
            TlsCertificates {
                client_tls: None,
                root_cert: Some(ca.into_bytes()),
            },
        ),
        None => Client::open(info),
    };
    client.map_err(|error| Reason::of(&error))
}

/// Redis 6.2 is the oldest whose commands and script semantics the scripts rely on. Valkey tells the Redis version that it
/// stands for.
async fn check_version(connection: &mut Connection) -> Result<(), Reason> {
    let info = connection.send(redis::cmd("INFO").arg("server")).await;
    let Ok(Ok(text)) = info.map(redis::from_redis_value::<String>) else {
        // Some services keep INFO to themselves; the scripts will tell.
        return Ok(());
    };
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("redis_version:"));
    match version {
        Some(version) if is_too_old(version) => Err(Reason::too_old(version)),
        _ => Ok(()),
    }
}

fn is_too_old(version: &str) -> bool {
    let mut numbers = version
        .trim()
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => (major, minor) < (6, 2),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        for old in ["2.8.24", "5.0.14", "6.0.16", "6.1.240"] {
            assert!(is_too_old(old), "{old}");
        }
        for good in ["6.2.0", "7.0.15", "7.2.4\r", "10.0.0", "unknown"] {
            assert!(!is_too_old(good), "{good}");
        }
    }
}

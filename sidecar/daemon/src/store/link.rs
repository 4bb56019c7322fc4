//! The connection to a server: made, watched, and made again, by one task.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Pipeline, RedisResult, Value};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, info, warn};

use super::caller::Taught;
use super::client;
use super::conduct::{Conduct, Trouble};
use super::reason::Reason;
use super::replicas::{Probe, Replicas};
use super::target::Target;
use super::turns::Turns;
use crate::config::StoreConfig;
use crate::metrics::{KindLabel, Metrics};

/// Connecting is given this long at first; twice as long after each time-out.
const FIRST_CONNECT: Duration = Duration::from_millis(100);
const LONGEST_CONNECT: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How often an idle connection is looked after.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(2);
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(1);

/// Whether the store can be used.
#[derive(Debug, Clone)]
pub(super) enum State {
    Down {
        /// Since when nothing is done, be there a connection now and then.
        since: Instant,
        /// Since when there has been no connection.
        lost: Instant,
        reason: Reason,
    },
    Up(Connection),
}

impl State {
    /// Before the first connection.
    pub(super) fn connecting() -> Self {
        let now = Instant::now();
        Self::Down {
            since: now,
            lost: now,
            reason: Reason::connecting(),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Connection {
    wire: MultiplexedConnection,
    /// Tells it from the one before.
    id: u64,
    /// Somebody found this connection broken.
    broken: Arc<Notify>,
    /// Waits for replicas, if anybody does.
    replicas: Option<Replicas>,
    conduct: Arc<Conduct>,
    turns: Turns,
    taught: Arc<Taught>,
}

impl Connection {
    /// Sends a command; an error that the server answers is an error here.
    pub(super) async fn send(&mut self, command: &redis::Cmd) -> RedisResult<Value> {
        self.wire
            .send_packed_command(command)
            .await?
            .extract_error()
    }

    /// Sends a command to who is only just getting its key. Both in one write: `ASKING` is about the very next command.
    pub(super) async fn send_asking(&mut self, command: &redis::Cmd) -> RedisResult<Value> {
        let mut pipeline = Pipeline::with_capacity(2);
        pipeline.cmd("ASKING").add_command(command.clone());
        let answers = self.wire.send_packed_commands(&pipeline, 1, 1).await?;
        let answer = answers.into_iter().next().unwrap_or(Value::Nil);
        answer.extract_error()
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// How the server has done lately.
    pub(super) fn conduct(&self) -> &Arc<Conduct> {
        &self.conduct
    }

    /// Which scripts its server was told.
    pub(super) fn taught(&self) -> Arc<Taught> {
        Arc::clone(&self.taught)
    }

    /// Large commands take turns on it.
    pub(super) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Why nothing is done on it, if it is one that is made again and again, and is of no use.
    pub(super) fn useless(&self) -> Option<Trouble> {
        let trouble = self.conduct.trouble();
        trouble.filter(|trouble| trouble.reason.asks_for_reconnect())
    }

    /// The same, by another name.
    pub(super) fn named(self, id: u64) -> Self {
        Self { id, ..self }
    }

    /// What waits for replicas, if that is asked for.
    pub(super) fn replicas(&self) -> Option<&Replicas> {
        self.replicas.as_ref()
    }

    /// Has the connection made anew.
    pub(super) fn report_broken(&self) {
        self.broken.notify_one();
    }
}

pub(super) struct Link {
    config: StoreConfig,
    target: Target,
    metrics: Arc<Metrics>,
    state: watch::Sender<State>,
    /// Told of each change of the state, for who looks at many.
    changed: Arc<Notify>,
    conduct: Arc<Conduct>,
    down_since: Instant,
    /// The last connection was of no use from its beginning.
    useless: bool,
    /// What was said last of why there is none, until one was of use.
    told: Option<&'static str>,
}

impl Link {
    /// Starts the task; it ends when nobody looks at the state any more.
    pub(super) fn start(
        config: StoreConfig,
        target: Target,
        metrics: Arc<Metrics>,
        changed: Arc<Notify>,
    ) -> watch::Receiver<State> {
        let (state, receiver) = watch::channel(State::connecting());
        let link = Self {
            config,
            target,
            metrics,
            state,
            changed,
            conduct: Arc::new(Conduct::new()),
            down_since: Instant::now(),
            useless: false,
            told: None,
        };
        link.conduct.unreachable(&Reason::connecting());
        tokio::spawn(link.run());
        receiver
    }

    async fn run(mut self) {
        let mut patience = FIRST_CONNECT;
        let mut pause = FIRST_PAUSE;
        while !self.state.is_closed() {
            match timeout(patience, self.connect()).await {
                Ok(Ok(connection)) => {
                    self.up(&connection);
                    let began = Instant::now();
                    let reason = self.watch_over(connection).await;
                    self.down_since = Instant::now();
                    let trouble = self.conduct.trouble();
                    self.useless = trouble.is_some_and(|trouble| trouble.since < began);
                    // Connecting takes a few answers. Else all the shorter times would pass first, and requests with them.
                    patience = if self.conduct.is_slow() {
                        LONGEST_CONNECT
                    } else {
                        FIRST_CONNECT
                    };
                    if !self.useless {
                        pause = FIRST_PAUSE;
                        self.told = None;
                    }
                    self.down(reason);
                }
                Ok(Err(reason)) => self.down(reason),
                Err(_) => {
                    self.down(Reason::timeout(patience));
                    patience = longer(patience);
                }
            }
            self.target.doubt();
            // Half to all of it at random: a hundred daemons do not come back in one instant.
            let jitter = fastrand::f64().midpoint(1.0);
            tokio::select! {
                () = sleep(pause.mul_f64(jitter)) => pause = (2 * pause).min(LONGEST_PAUSE),
                () = self.target.moved() => (patience, pause) = (FIRST_CONNECT, FIRST_PAUSE),
            }
        }
    }

    async fn connect(&mut self) -> Result<Connection, Reason> {
        let client = self.target.client(&self.config)?;
        // Not of use before it is known that the target is still there: who connects to a server that hangs connects to one that
        // may have been replaced.
        let mut elsewhere = self.target.clone();
        let connected = async {
            let mut wire = client::open(&client).await?;
            let answer = wire.send_packed_command(&self.target.question()).await;
            self.target.judge(answer.and_then(Value::extract_error))?;
            check_version(&mut wire).await?;
            let broken = Arc::<Notify>::default();
            let replicas = match self.config.replicas_ack {
                0 => None,
                count => {
                    let wire = client::open(&client).await?;
                    let probe = Probe::new(wire, count, self.target.is_of_cluster());
                    Some(Replicas::start(probe, Arc::clone(&broken)))
                }
            };
            Ok(Connection {
                wire,
                id: fastrand::u64(..),
                broken,
                replicas,
                conduct: Arc::clone(&self.conduct),
                turns: Turns::new(),
                taught: Arc::default(),
            })
        };
        tokio::select! {
            connected = connected => connected,
            () = elsewhere.moved() => Err(Reason::replaced()),
        }
    }

    /// Returns once the connection is of no use.
    async fn watch_over(&mut self, mut connection: Connection) -> Reason {
        let question = self.target.question();
        let broken = Arc::clone(&connection.broken);
        loop {
            tokio::select! {
                () = broken.notified() => {
                    let trouble = self.conduct.trouble();
                    return trouble.map_or_else(Reason::dropped, |trouble| trouble.reason);
                }
                () = self.target.moved() => return Reason::replaced(),
                () = self.state.closed() => return Reason::dropped(),
                () = sleep(HEARTBEAT) => {
                    let given = HEARTBEAT_TIMEOUT.max(self.conduct.response());
                    let answer = timeout(given, connection.send(&question)).await;
                    let Ok(answer) = answer else {
                        return Reason::timeout(given);
                    };
                    if let Err(reason) = self.target.judge(answer) {
                        return reason;
                    }
                }
            }
        }
    }

    fn up(&self, connection: &Connection) {
        self.conduct.connected();
        if self.useless {
            debug!(server = %self.target, "store up again");
        } else {
            info!(server = %self.target, after = ?self.down_since.elapsed(), "store up");
        }
        self.state.send_replace(State::Up(connection.clone()));
        self.changed.notify_one();
    }

    /// Says it once for each reason, not for each try.
    fn down(&mut self, reason: Reason) {
        if self.state.is_closed() {
            return;
        }
        self.metrics
            .store_failures
            .get_or_create(&KindLabel { kind: reason.kind })
            .inc();
        if self.told != Some(reason.kind) {
            self.told = Some(reason.kind);
            warn!(server = %self.target, kind = reason.kind, reason = %reason, mend = reason.mend(), "store down");
        }
        self.state.send_replace(State::Down {
            since: self.conduct.unreachable(&reason),
            lost: self.down_since,
            reason,
        });
        self.changed.notify_one();
    }
}

/// Redis 6.2 is the oldest whose commands and script semantics the scripts rely on. Valkey tells the Redis version that it
/// stands for.
async fn check_version(wire: &mut MultiplexedConnection) -> Result<(), Reason> {
    let Ok(text) = redis::cmd("INFO")
        .arg("server")
        .query_async::<String>(wire)
        .await
    else {
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

/// Twice as long, and short again after the longest: an address that is dead answers no sooner for being given time, and while it is
/// waited for its name may have got another one.
fn longer(patience: Duration) -> Duration {
    if patience >= LONGEST_CONNECT {
        FIRST_CONNECT
    } else {
        (2 * patience).min(LONGEST_CONNECT)
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
    use tokio::net::TcpListener;

    use super::*;
    use crate::config::Config;

    #[tokio::test(start_paused = true)]
    async fn a_server_that_does_not_answer_is_given_longer_and_then_asked_anew() {
        // Who connects is in its backlog, and waits.
        let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", mute.local_addr().unwrap());
        let config = Config::of_a_test(&url).store;
        let mut state = Link::start(config, Target::Url(url), Arc::default(), Arc::default());
        for millis in [100, 200, 400, 800, 1600, 2000, 100, 200] {
            state.changed().await.unwrap();
            let State::Down { reason, .. } = &*state.borrow_and_update() else {
                panic!("up, though nobody answers");
            };
            assert_eq!(*reason, Reason::timeout(Duration::from_millis(millis)));
        }
    }

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

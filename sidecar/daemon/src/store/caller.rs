//! Runs scripts in the store, again and again for as long as the patience lasts.

mod full;
mod held;
mod known;
mod said;
mod teach;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use redis::{Cmd, RedisError, RedisResult, Value};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::conduct::FIRST_RESPONSE;
use super::floor::Floor;
use super::health::Refusals;
use super::link::{Connection, State};
use super::reason::Reason;
use super::route::{Route, changed};
use super::scripts::Script;
use super::turns::{Turn, is_large};
use super::unavailable::{Patience, Unavailable};
use super::wire::{packed_size, size};
use crate::config::StoreConfig;
use crate::key::shard_of;
use crate::metrics::{Metrics, ScriptLabel};
pub(super) use teach::Taught;
use teach::is_unknown;

/// A command as large as this is given a second more: 10 MB/s is the slowest network that is thought of.
const BYTES_PER_SECOND: usize = 10 << 20;
/// A command is sent elsewhere so many times at once; nodes that do not agree who has a slot soon do.
const MOVES: usize = 2;

/// A script to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) script: &'a Script,
    /// All of one shard.
    pub(super) keys: &'a [&'a str],
    pub(super) arguments: &'a [&'a [u8]],
}

impl Run<'_> {
    fn key(&self) -> &str {
        self.keys.first().copied().unwrap_or_default()
    }

    fn bytes(&self) -> usize {
        self.arguments.iter().map(|argument| argument.len()).sum()
    }

    fn time_for_its_size(&self) -> Duration {
        Duration::from_secs((self.bytes() / BYTES_PER_SECOND) as u64)
    }
}

#[derive(Debug)]
pub(super) struct Caller {
    patience: Duration,
    route: Route,
    metrics: Arc<Metrics>,
    floor: Floor,
    said: Mutex<Option<Instant>>,
    refusals: Refusals,
    /// When a server did again what it was asked for, after requests had been answered without it.
    back: Mutex<Option<Instant>>,
    room: full::Room,
}

impl Caller {
    pub(super) fn start(config: &StoreConfig, metrics: Arc<Metrics>) -> Self {
        Self {
            patience: config.patience,
            route: Route::start(config, &metrics),
            metrics,
            floor: Floor::start(FIRST_RESPONSE / 2),
            said: Mutex::new(None),
            refusals: Refusals::default(),
            back: Mutex::new(None),
            room: full::Room::default(),
        }
    }

    pub(super) fn route(&self) -> &Route {
        &self.route
    }

    /// Asks once who has a shard, for what is asked again soon anyway.
    pub(super) async fn ask(&self, shard: u8, command: &Cmd) -> Result<Value, Unavailable> {
        let (value, _) = self.ask_whoever(shard, command).await?;
        Ok(value)
    }

    /// The same, and whether it was another one that answered, who is only getting the slot: that says nothing of who has the shard.
    pub(super) async fn ask_whoever(
        &self,
        shard: u8,
        command: &Cmd,
    ) -> Result<(Value, bool), Unavailable> {
        let state = self.route.way(shard).0.borrow().clone();
        let mut connection = match state {
            State::Up(connection) => connection,
            State::Down { reason, .. } => return Err(self.unavailable(reason)),
        };
        let conduct = Arc::clone(connection.conduct());
        let (sent, given) = (Instant::now(), conduct.response());
        let answer = async {
            let answer = connection.send(command).await;
            match self.route.asked(&answer).await {
                Some(mut other) => (other.send_asking(command).await, true),
                None => (answer, false),
            }
        };
        let (reason, elsewhere) = match timeout(given, answer).await {
            Ok((Ok(value), elsewhere)) => {
                conduct.answered(sent.elapsed());
                return Ok((value, elsewhere));
            }
            Ok((Err(error), elsewhere)) => (self.route.reason(&error), elsewhere),
            Err(_) => (Reason::timeout(given), false),
        };
        conduct.failed(&reason, given);
        if !elsewhere {
            self.refused(shard, &reason);
        }
        Err(self.unavailable(reason))
    }

    pub(super) async fn run(&self, run: Run<'_>, patience: Patience) -> Result<Value, Unavailable> {
        let deadline = patience.deadline(self.patience);
        let shard = shard_of(run.key());
        self.check_in_time(shard, deadline)?;
        let large = run.time_for_its_size();
        let mut response = Duration::ZERO;
        let (mut moves, mut refused) = (0, None);
        loop {
            let (connection, turn) = self.turn(run, patience, deadline).await?;
            let left = deadline.map_or(self.patience, |deadline| deadline - Instant::now());
            let usual = connection.conduct().response() + large;
            response = response.max(usual);
            let response_time = response.min(left);
            // A patience that is shorter than that is no reason to take a server that hangs for one that had no time.
            let had_time = response_time >= usual.min(self.patience / 2);
            let answer = timeout(response_time, self.once(connection.clone(), run)).await;
            drop(turn);
            let reason = match answer {
                Ok(Ok((value, wrote))) => match self.hold(run, &connection, &wrote).await {
                    Ok(()) => {
                        self.end_trouble(&wrote, run.script.is_relied_on);
                        return Ok(value);
                    }
                    Err(reason) => reason,
                },
                Ok(Err(error)) if self.route.has_moved(&error) && moves < MOVES => {
                    moves += 1;
                    continue;
                }
                Ok(Err(error)) => self.route.reason(&error),
                // The patience ended, not the server's: a connection that is taken for broken costs all claims, and what the server said before is what
                // is wrong with it.
                Err(_) if !had_time => {
                    let trouble = connection.conduct().trouble().map(|trouble| trouble.reason);
                    let is_rest = patience.is_cut_short_by(deadline);
                    return Err(self.had_no_time(refused.or(trouble), response_time, is_rest));
                }
                Err(_) => Reason::timeout(response_time),
            };
            moves = 0;
            self.failed(run.script, &reason);
            let trouble = connection.conduct().failed(&reason, response_time);
            self.refused(shard, &reason);
            if reason.asks_for_reconnect() {
                connection.report_broken();
            } else if reason.kind == "no replicas" {
                self.route.target.doubt();
            }
            // Nobody waits anew for what has kept others waiting, be there a connection now and then.
            let spent = trouble.is_some_and(|trouble| trouble.since.elapsed() >= self.patience);
            let pause = pause_after(&reason);
            // What would be asked for after the end would be done, and nobody would hear of it.
            let over = deadline.is_some_and(|deadline| spent || deadline <= Instant::now() + pause);
            self.note_refusal(&reason, over, patience.is_cut_short_by(deadline));
            if over || (deadline.is_some() && !reason.passes()) {
                return Err(self.unavailable(reason));
            }
            if reason.kind == "timeout" {
                // Of what was given, which is bounded: who tries for ever doubles for ever.
                response = 2 * response_time;
            }
            refused = Some(reason);
            sleep(pause).await;
        }
    }

    fn check_in_time(&self, shard: u8, deadline: Option<Instant>) -> Result<(), Unavailable> {
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) && self.is_up(shard) {
            return Err(self.late());
        }
        Ok(())
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// The connection to who has a shard, as soon as there is one.
    async fn connection(
        &self,
        shard: u8,
        patience: Patience,
        deadline: Option<Instant>,
    ) -> Result<Connection, Unavailable> {
        loop {
            let (mut state, map) = self.route.way(shard);
            let (given_up, reason) = match &*state.borrow_and_update() {
                State::Up(connection) => return Ok(connection.clone()),
                State::Down {
                    lost,
                    since,
                    reason,
                } => {
                    // Requests during a long outage do not wait one by one for what has kept others waiting before.
                    let given_up = match patience {
                        Patience::UntilAway(_) => self.away(*lost, *since),
                        _ => *since + self.patience,
                    };
                    (given_up, reason.clone())
                }
            };
            let changed = changed(state, map);
            let changed = match deadline {
                None => changed.await,
                Some(deadline) => match timeout_at(deadline.min(given_up), changed).await {
                    Ok(changed) => changed,
                    Err(_) => return Err(self.unavailable(reason)),
                },
            };
            if changed.is_err() {
                return Err(self.unavailable(reason));
            }
        }
    }

    /// The connection to who has a shard, and the turn of a command on it.
    async fn turn(
        &self,
        run: Run<'_>,
        patience: Patience,
        deadline: Option<Instant>,
    ) -> Result<(Connection, Turn), Unavailable> {
        let shard = shard_of(run.key());
        loop {
            let connection = self.connection(shard, patience, deadline).await?;
            let bytes = run.bytes();
            if !is_large(bytes) {
                return Ok((connection, None));
            }
            let (mut state, mut map) = self.route.way(shard);
            state.mark_unchanged();
            map.iter_mut().for_each(watch::Receiver::mark_unchanged);
            if self.connection_to(shard) != Some(connection.id()) {
                continue;
            }
            let turn = async {
                tokio::select! {
                    biased;
                    turn = connection.turns().take(bytes) => Some(turn),
                    // It may have been found to hang by those before: not each of those behind is to find it out anew.
                    Ok(()) = changed(state, map) => None,
                }
            };
            let turn = match deadline {
                None => turn.await,
                Some(deadline) => match timeout_at(deadline, turn).await {
                    Ok(turn) => turn,
                    Err(_) => return Err(self.unavailable(Reason::crowded())),
                },
            };
            if let Some(turn) = turn {
                return Ok((connection, turn));
            }
        }
    }

    /// The answer, and the connection that it came on.
    async fn once(
        &self,
        mut connection: Connection,
        run: Run<'_>,
    ) -> Result<(Value, Connection), RedisError> {
        self.floor.used();
        let started = Instant::now();
        let mut answer = self.evaluate(&mut connection, run, false).await;
        if let Some(other) = self.route.asked(&answer).await {
            connection = other;
            answer = self.evaluate(&mut connection, run, true).await;
        }
        self.metrics
            .store_seconds
            .observe(started.elapsed().as_secs_f64());
        connection.conduct().answered(started.elapsed());
        let value = answer?;
        self.metrics.store_received.inc_by(size(&value) as u64);
        Ok((value, connection))
    }

    async fn evaluate(
        &self,
        connection: &mut Connection,
        run: Run<'_>,
        asking: bool,
    ) -> RedisResult<Value> {
        let asked = Instant::now();
        let answer = self
            .tell(connection, run, run.script.by_digest(), asking)
            .await;
        if is_unknown(&answer) {
            // Rarely: it need not take room in each request that waits.
            return Box::pin(self.teach(connection, run, asked, asking)).await;
        }
        answer
    }

    async fn send(
        &self,
        connection: &mut Connection,
        script: &Script,
        command: &Cmd,
        asking: bool,
    ) -> RedisResult<Value> {
        self.metrics
            .store_commands
            .get_or_create(&ScriptLabel {
                script: script.name,
            })
            .inc();
        self.metrics.store_sent.inc_by(packed_size(command) as u64);
        if asking {
            connection.send_asking(command).await
        } else {
            connection.send(command).await
        }
    }
}

/// What does not pass by itself is asked for rarely.
fn pause_after(reason: &Reason) -> Duration {
    let longest = if reason.passes() { 50 } else { 2_000 };
    Duration::from_millis(fastrand::u64(longest / 10..longest))
}

#[cfg(test)]
mod tests;

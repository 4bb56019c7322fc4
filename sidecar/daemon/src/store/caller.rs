//! Runs scripts in the store, again and again for as long as the patience lasts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use redis::{Cmd, ErrorKind, RedisError, ServerErrorKind, Value};
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::error;

use super::floor::Floor;
use super::link::{Connection, Link, State};
use super::reason::Reason;
use super::scripts::Script;
use crate::claims::Claims;
use crate::config::StoreConfig;
use crate::metrics::{KindLabel, Metrics, ScriptLabel};

/// An answer is given this long at first, and twice as long after each time-out.
const FIRST_RESPONSE: Duration = Duration::from_millis(500);
/// A command as large as this is given a second more: 10 MB/s is the slowest network that is thought of.
const BYTES_PER_SECOND: usize = 10 << 20;
/// A store that refuses is spoken of this often, not for each request.
const SAY_AGAIN: Duration = Duration::from_secs(1);

/// The store did not do it, or nobody knows whether it did.
#[derive(Debug, Clone, Error)]
#[error("the store did not answer within {patience:?}: {reason}")]
pub struct Unavailable {
    patience: Duration,
    reason: Reason,
}

impl Unavailable {
    /// The store's user may not do it.
    pub fn is_forbidden(&self) -> bool {
        self.reason.kind == "permission"
    }

    /// The store answers, but another daemon holds the session and does not let go.
    pub fn is_claimed(&self) -> bool {
        self.reason.kind == "claimed"
    }
}

/// How long to go on trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as configured; not at all once the store has been away for that long.
    Bounded,
    /// Until it is done.
    Endless,
}

#[derive(Debug)]
pub(super) struct Caller {
    patience: Duration,
    state: watch::Receiver<State>,
    metrics: Arc<Metrics>,
    floor: Floor,
    said: Mutex<Option<Instant>>,
}

impl Caller {
    pub(super) fn start(config: &StoreConfig, metrics: Arc<Metrics>) -> Self {
        Self {
            patience: config.patience,
            state: Link::start(config.clone(), Arc::clone(&metrics)),
            metrics,
            floor: Floor::start(FIRST_RESPONSE / 2),
            said: Mutex::new(None),
        }
    }

    pub(super) fn down(&self) -> Option<Reason> {
        match &*self.state.borrow() {
            State::Up(_) => None,
            State::Down { reason, .. } => Some(reason.clone()),
        }
    }

    /// The connection that is up, if one is: another one may lead to another store.
    pub(super) fn connection_id(&self) -> Option<u64> {
        match &*self.state.borrow() {
            State::Up(connection) => Some(connection.id()),
            State::Down { .. } => None,
        }
    }

    pub(super) async fn connected_anew(&self, than: Option<u64>) {
        let mut state = self.state.clone();
        let other =
            |state: &State| matches!(state, State::Up(connection) if Some(connection.id()) != than);
        let _ = state.wait_for(other).await;
    }

    /// Asks once, for what is asked again soon anyway.
    pub(super) async fn ask(&self, command: &Cmd) -> Result<Value, Unavailable> {
        let state = self.state.borrow().clone();
        let mut connection = match state {
            State::Up(connection) => connection,
            State::Down { reason, .. } => return Err(self.unavailable(reason)),
        };
        let reason = match timeout(FIRST_RESPONSE, connection.send(command)).await {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => Reason::of(&error),
            Err(_) => Reason::timeout(FIRST_RESPONSE),
        };
        Err(self.unavailable(reason))
    }

    /// Makes claims void whenever a connection ends, and has a beat sent whenever there is one.
    pub(super) fn lose_claims(
        &self,
        claims: Arc<Claims>,
        beat: Arc<Notify>,
    ) -> impl Future<Output = ()> + use<> {
        let mut state = self.state.clone();
        async move {
            while state.changed().await.is_ok() {
                claims.lose();
                beat.notify_one();
            }
        }
    }

    pub(super) async fn run(
        &self,
        script: &Script,
        keys: &[&str],
        arguments: &[&[u8]],
        patience: Patience,
    ) -> Result<Value, Unavailable> {
        let deadline = match patience {
            Patience::Bounded => Some(Instant::now() + self.patience),
            Patience::Endless => None,
        };
        let bytes: usize = arguments.iter().map(|argument| argument.len()).sum();
        let mut response = FIRST_RESPONSE + Duration::from_secs((bytes / BYTES_PER_SECOND) as u64);
        loop {
            let connection = self.connection(deadline).await?;
            let left = deadline.map_or(self.patience, |deadline| deadline - Instant::now());
            let response_time = response.min(left);
            let call = self.once(connection.clone(), script, keys, arguments);
            let reason = match timeout(response_time, call).await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => Reason::of(&error),
                Err(_) => Reason::timeout(response_time),
            };
            self.failed(script, &reason);
            if reason.asks_for_reconnect() {
                connection.report_broken();
            }
            let over = deadline.is_some_and(|deadline| deadline <= Instant::now());
            if over || (deadline.is_some() && !reason.passes()) {
                return Err(self.unavailable(reason));
            }
            if reason.kind == "timeout" {
                response *= 2;
            }
            // What does not pass by itself is asked for rarely.
            let pause = if reason.passes() { 50 } else { 2_000 };
            sleep(Duration::from_millis(fastrand::u64(pause / 10..pause))).await;
        }
    }

    /// An answer that only a store that is none of ours gives.
    pub(super) fn nonsense(&self, script: &Script, value: &Value) -> Unavailable {
        error!(
            script = script.name,
            ?value,
            "store gave an answer that makes no sense"
        );
        self.unavailable(Reason::new(
            "nonsense",
            format!("the answer to {} makes no sense", script.name),
        ))
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    pub(super) fn unavailable(&self, reason: Reason) -> Unavailable {
        Unavailable {
            patience: self.patience,
            reason,
        }
    }

    fn failed(&self, script: &Script, reason: &Reason) {
        self.metrics
            .store_failures
            .get_or_create(&KindLabel { kind: reason.kind })
            .inc();
        if reason.passes() {
            return;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| said.elapsed() >= SAY_AGAIN) {
            *said = Some(Instant::now());
            error!(script = script.name, reason = %reason, mend = reason.mend(), "store refused");
        }
    }

    /// The connection, as soon as there is one.
    async fn connection(&self, deadline: Option<Instant>) -> Result<Connection, Unavailable> {
        let mut state = self.state.clone();
        loop {
            let (since, reason) = match &*state.borrow_and_update() {
                State::Up(connection) => return Ok(connection.clone()),
                State::Down { since, reason } => (*since, reason.clone()),
            };
            let changed = match deadline {
                None => state.changed().await,
                // Requests during a long outage do not wait one by one for what has kept others waiting before.
                Some(deadline) => {
                    let until = deadline.min(since + self.patience);
                    match timeout_at(until, state.changed()).await {
                        Ok(changed) => changed,
                        Err(_) => return Err(self.unavailable(reason)),
                    }
                }
            };
            if changed.is_err() {
                return Err(self.unavailable(reason));
            }
        }
    }

    async fn once(
        &self,
        mut connection: Connection,
        script: &Script,
        keys: &[&str],
        arguments: &[&[u8]],
    ) -> Result<Value, RedisError> {
        self.floor.used();
        let started = Instant::now();
        let by_digest = command("EVALSHA", &script.digest, keys, arguments);
        let mut answer = self.send(&mut connection, script, &by_digest).await;
        let no_script = ErrorKind::Server(ServerErrorKind::NoScript);
        if matches!(&answer, Err(error) if error.kind() == no_script) {
            let whole = command("EVAL", &script.text, keys, arguments);
            answer = self.send(&mut connection, script, &whole).await;
        }
        self.metrics
            .store_seconds
            .observe(started.elapsed().as_secs_f64());
        if let Ok(value) = &answer {
            self.metrics.store_received.inc_by(size(value) as u64);
        }
        answer
    }

    async fn send(
        &self,
        connection: &mut Connection,
        script: &Script,
        command: &Cmd,
    ) -> Result<Value, RedisError> {
        self.metrics
            .store_commands
            .get_or_create(&ScriptLabel {
                script: script.name,
            })
            .inc();
        self.metrics.store_sent.inc_by(packed_size(command) as u64);
        connection.send(command).await
    }
}

fn command(verb: &str, script: &str, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
    let mut command = redis::cmd(verb);
    command.arg(script).arg(keys.len()).arg(keys);
    for argument in arguments {
        command.arg(*argument);
    }
    command
}

/// The bytes of a command on the wire, without packing it a second time.
fn packed_size(command: &Cmd) -> usize {
    let framed = |length: usize| length.to_string().len() + length + 5;
    let sizes = command.args_iter().map(|argument| match argument {
        redis::Arg::Simple(bytes) => framed(bytes.len()),
        _ => framed(1),
    });
    let (count, bytes) = sizes.fold((0_usize, 0), |(count, bytes), size| {
        (count + 1, bytes + size)
    });
    count.to_string().len() + 3 + bytes
}

/// The bytes of an answer on the wire.
fn size(value: &Value) -> usize {
    match value {
        Value::BulkString(bytes) => bytes.len().to_string().len() + bytes.len() + 5,
        Value::Int(number) => number.to_string().len() + 3,
        Value::Array(items) => {
            items.len().to_string().len() + 3 + items.iter().map(size).sum::<usize>()
        }
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_command_is_its_size_on_the_wire() {
        let arguments: [&[u8]; 3] = [b"12", b"", &[7; 1000]];
        let command = command("EVALSHA", "0123456789", &["sj:{ab}:c:abcd"], &arguments);
        assert_eq!(packed_size(&command), command.get_packed_command().len());
    }
}

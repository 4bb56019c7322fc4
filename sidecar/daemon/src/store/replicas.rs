//! Waits until replicas hold what has been written: once for all writes that are under way, never once for each.
//!
//! On a connection of its own, for `WAIT` blocks the connection that it is on. It counts only what its own connection has
//! written; so that writes something after all that it waits for.

use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{ErrorKind, Pipeline, RedisError, RedisResult, ServerErrorKind, Value};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::link::HEARTBEAT;
use super::reason::Reason;

/// Replicas that take longer are not waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// A server that has not answered so long after that does not answer.
const ANSWER: Duration = Duration::from_secs(1);
/// How long the key of the last write is kept, in ms.
const KEPT: u64 = 60_000;
/// So many keys that a server let us write are remembered.
const KNOWN: usize = 4;
/// Answered by one `WAIT` at most.
const TOGETHER: usize = 4096;

/// Who waits: for all that was written before.
struct Waiting {
    /// The key to write, whose slot this server has.
    key: String,
    /// Whether replicas hold it.
    done: oneshot::Sender<Result<bool, Reason>>,
}

#[derive(Debug, Clone)]
pub(super) struct Replicas(mpsc::UnboundedSender<Waiting>);

impl Replicas {
    /// Ends with the last clone of this. A connection of no use is reported `broken`, with the one that is written on.
    pub(super) fn start(probe: Probe, broken: Arc<Notify>) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let waiter = Waiter {
            probe,
            asked: receiver,
            waiting: Vec::new(),
        };
        tokio::spawn(async move {
            waiter.run().await;
            broken.notify_one();
        });
        Self(sender)
    }

    /// Whether enough replicas hold what was written so far; waits for that, though not for long. With an error nobody knows
    /// whether anybody holds it: what was to be done is to be done again.
    pub(super) async fn hold(&self, written: &str) -> Result<bool, Reason> {
        let (done, held) = oneshot::channel();
        let key = marker(written);
        // If nobody receives it, nobody answers either.
        let _ = self.0.send(Waiting { key, done });
        held.await.unwrap_or_else(|_| Err(Reason::dropped()))
    }
}

/// The key that is written after a key: of the same shard, and cluster.
fn marker(written: &str) -> String {
    let (shard, _) = written.rsplit_once(':').unwrap_or((written, ""));
    format!("{shard}:written")
}

/// Whether another server has the key.
fn is_elsewhere(error: &RedisError) -> bool {
    let elsewhere = [ServerErrorKind::Ask, ServerErrorKind::Moved];
    elsewhere.map(ErrorKind::Server).contains(&error.kind())
}

struct Waiter {
    probe: Probe,
    asked: mpsc::UnboundedReceiver<Waiting>,
    waiting: Vec<Waiting>,
}

impl Waiter {
    /// Returns when nobody can wait any more, or the connection is of no use; who still waits is told so.
    async fn run(mut self) {
        loop {
            let Ok(next) = timeout(HEARTBEAT, self.next()).await else {
                // Servers close what is idle for too long, and with this connection all claims would go.
                if self.probe.is_there().await {
                    continue;
                }
                return;
            };
            let Some(key) = next else { return };
            match self.probe.held(&key).await {
                Ok(true) => self.tell(&Ok(true)),
                Ok(false) => {
                    let replicas = self.probe.count;
                    warn!(
                        replicas,
                        refused = self.probe.refused.take().map(tracing::field::display),
                        mend = "see to the store's replicas, or lower SOJOURN_STORE_REPLICAS_ACK",
                        "writes are confirmed that too few replicas hold"
                    );
                    self.tell(&Ok(false));
                    if !self.until_held(key).await {
                        return;
                    }
                    info!(replicas, "replicas hold what is written again");
                }
                Err(reason) if reason.asks_for_reconnect() => return,
                Err(reason) => self.tell(&Err(reason)),
            }
        }
    }

    /// The key that the next of those who wait has written; all that have come by now wait together.
    async fn next(&mut self) -> Option<String> {
        self.asked.recv_many(&mut self.waiting, TOGETHER).await;
        self.waiting.last().map(|last| last.key.clone())
    }

    /// Nobody waits for replicas that are away, until they are back; whether they are.
    async fn until_held(&mut self, mut key: String) -> bool {
        loop {
            let again = self.probe.clone().held_now_and_then(key.clone());
            tokio::pin!(again);
            loop {
                tokio::select! {
                    held = &mut again => match held {
                        Ok(true) => return true,
                        Err(reason) if reason.asks_for_reconnect() => return false,
                        _ => break,
                    },
                    next = self.next() => {
                        let Some(next) = next else { return false };
                        key = next;
                        self.tell(&Ok(false));
                    }
                }
            }
        }
    }

    fn tell(&mut self, held: &Result<bool, Reason>) {
        for waiting in take(&mut self.waiting) {
            // Who does not wait any more need not know.
            let _ = waiting.done.send(held.clone());
        }
    }
}

/// What asks a server for its replicas.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    wire: MultiplexedConnection,
    count: usize,
    /// The server is of a cluster: it may be only just getting the slot of a key.
    asking: bool,
    /// The last keys that it let us write, of different slots.
    known: Vec<String>,
    /// Why it does not let us wait, if so.
    refused: Option<Reason>,
}

impl Probe {
    pub(super) fn new(wire: MultiplexedConnection, count: usize, asking: bool) -> Self {
        Self {
            wire,
            count,
            asking,
            known: Vec::new(),
            refused: None,
        }
    }

    /// Whether the connection is. A server that does not answer is noticed on the other one.
    async fn is_there(&mut self) -> bool {
        let ping = redis::cmd("PING");
        let answer = timeout(ANSWER, self.wire.send_packed_command(&ping)).await;
        !matches!(answer, Ok(Err(_)))
    }

    /// Whether enough replicas hold what was written so far.
    async fn held(&mut self, key: &str) -> Result<bool, Reason> {
        let mut held = self.wait(key).await;
        if let Err(error) = &held
            && error.kind() == ErrorKind::Server(ServerErrorKind::Ask)
        {
            self.refused = Some(Reason::of(error));
            held = self.wait_by_another().await;
        }
        match held.map_err(|error| Reason::of(&error)) {
            // Somebody else has the slot by now, and what was written in it: it is done again there.
            Err(reason) if reason.kind == "cluster" => Err(Reason::moving(&reason)),
            Err(reason) if !reason.asks_for_reconnect() => {
                self.refused = Some(reason);
                Ok(false)
            }
            held => held,
        }
    }

    /// As [`Probe::held`], but no more often than that takes at most: a refusal comes at once.
    async fn held_now_and_then(mut self, key: String) -> Result<bool, Reason> {
        let held = self.held(&key).await;
        if !matches!(held, Ok(true)) {
            sleep(PATIENCE).await;
        }
        held
    }

    /// The slot is on its way to another server, and this key went before others; what was written is here, whichever key it is waited for by.
    async fn wait_by_another(&mut self) -> RedisResult<bool> {
        while let Some(known) = self.known.pop() {
            let held = self.wait(&known).await;
            if !held.as_ref().is_err_and(is_elsewhere) {
                self.refused = None;
                return held;
            }
        }
        Ok(false)
    }

    async fn wait(&mut self, key: &str) -> RedisResult<bool> {
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
        let mut pipeline = Pipeline::with_capacity(3);
        if self.asking {
            pipeline.cmd("ASKING");
        }
        pipeline.cmd("SET").arg(key).arg(1).arg("PX").arg(KEPT);
        pipeline.cmd("WAIT").arg(self.count).arg(patience);
        let skipped = usize::from(self.asking);
        let answers = self.wire.send_packed_commands(&pipeline, skipped, 2);
        let late = |_| RedisError::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
        let answers = timeout(PATIENCE + ANSWER, answers).await.map_err(late)??;
        let mut answers = answers.into_iter().map(Value::extract_error);
        // What was not written is not waited for.
        answers.next().transpose()?;
        let held = answers.next().transpose()?;
        self.known.retain(|known| known != key);
        if self.known.len() >= KNOWN {
            self.known.remove(0);
        }
        self.known.push(key.to_owned());
        Ok(
            matches!(held, Some(Value::Int(held)) if usize::try_from(held).is_ok_and(|held| held >= self.count)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_is_in_the_slot_of_what_was_written() {
        let key = "sj:{3f}:shop.web:3fa0";
        assert_eq!(marker(key), "sj:{3f}:shop.web:written");
    }
}

//! Scripts that a server does not know yet: after it was started, or for want of room.

use std::collections::BTreeMap;

use redis::{ErrorKind, RedisResult, ServerErrorKind, Value};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Caller, Run};
use crate::store::link::Connection;
use crate::store::wire::command;

/// When a connection's server was told each script last.
pub(in crate::store) type Taught = Mutex<BTreeMap<&'static str, Instant>>;

impl Caller {
    /// Runs a script that the server did not know when it was `asked` for it. A script's text is ten times what most commands are: of many that wait for the same server
    /// one tells it, and the others ask again.
    pub(super) async fn teach(
        &self,
        connection: &mut Connection,
        run: Run<'_>,
        asked: Instant,
        asking: bool,
    ) -> RedisResult<Value> {
        let taught = connection.taught();
        let mut known = taught.lock().await;
        let is_known = known
            .get(run.script.name)
            .is_some_and(|taught| *taught >= asked);
        if !is_known {
            let answer = self.tell(connection, run, run.script.whole(), asking).await;
            // Whatever came of it: who was refused is refused again, and need not wait for the others.
            if !answer.as_ref().is_err_and(redis::RedisError::is_io_error) {
                known.insert(run.script.name, Instant::now());
            }
            return answer;
        }
        drop(known);
        let answer = self
            .tell(connection, run, run.script.by_digest(), asking)
            .await;
        if is_unknown(&answer) {
            return self.tell(connection, run, run.script.whole(), asking).await;
        }
        answer
    }

    /// Sends it once, by its digest or whole.
    pub(super) async fn tell(
        &self,
        connection: &mut Connection,
        run: Run<'_>,
        (verb, script): (&str, &str),
        asking: bool,
    ) -> RedisResult<Value> {
        let command = command(verb, script, run.keys, run.arguments);
        self.send(connection, run.script, &command, asking).await
    }
}

/// Whether the server does not know the script.
pub(super) fn is_unknown(answer: &RedisResult<Value>) -> bool {
    let no_script = ErrorKind::Server(ServerErrorKind::NoScript);
    matches!(answer, Err(error) if error.kind() == no_script)
}

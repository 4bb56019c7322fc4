//! Asks the nodes of a cluster who has what.

use redis::Value;
use tokio::time::{Instant, timeout};

use super::Cluster;
use crate::config::Address;
use crate::store::client;
use crate::store::link::{Connection, State};
use crate::store::reason::Reason;

impl Cluster {
    /// Asks the node that was named as the owner of a slot. Others may not have heard of that yet: by what they say the slot would be taken back to who had it
    /// before, and all claims be void each time.
    async fn ask_the_named(&self, seeds: &[Address]) -> bool {
        let Some(address) = self.named().take() else {
            return false;
        };
        let answer = self.in_time(self.ask_anew(&address)).await;
        answer.is_ok_and(|answer| self.learn(answer, &address, seeds))
    }

    /// Asks one node after another who has what, those first that there are connections to.
    pub(super) async fn ask(&self, seeds: &[Address]) -> Result<(), Reason> {
        if self.ask_the_named(seeds).await {
            return Ok(());
        }
        let mut connected: Vec<(Address, Connection)> = Vec::new();
        for (_, owner) in self.map.borrow().primaries() {
            if let (State::Up(connection), Some(address)) =
                (&*owner.state.borrow(), owner.node.0.first())
            {
                connected.push((address.clone(), connection.clone()));
            }
        }
        fastrand::shuffle(&mut connected);
        for (address, mut connection) in connected {
            let question = who_has_what();
            let answer = async {
                let answer = connection.send(&question).await;
                answer.map_err(|error| Reason::of(&error))
            };
            if let Ok(answer) = self.in_time(answer).await
                && self.learn(answer, &address, seeds)
            {
                return Ok(());
            }
        }
        let mut reason = Reason::connecting();
        let mut nodes = self.nodes.borrow().clone();
        fastrand::shuffle(&mut nodes);
        for address in nodes {
            match self.in_time(self.ask_anew(&address)).await {
                Ok(answer) => {
                    if self.learn(answer, &address, seeds) {
                        return Ok(());
                    }
                    reason = Reason::new("cluster down", format!("{address} knows of no slots"));
                }
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    /// An answer that came in time.
    async fn in_time(
        &self,
        answer: impl Future<Output = Result<Value, Reason>>,
    ) -> Result<Value, Reason> {
        let (asked, given) = (Instant::now(), self.conduct.response());
        let answer = timeout(given, answer).await;
        let answer = answer.unwrap_or_else(|_| Err(Reason::timeout(given)));
        match &answer {
            Ok(_) => self.conduct.answered(asked.elapsed()),
            Err(reason) => _ = self.conduct.failed(reason, given),
        }
        answer
    }

    async fn ask_anew(&self, address: &Address) -> Result<Value, Reason> {
        let client = client::of_server(&self.config, address)?;
        let mut wire = client::open(&client).await?;
        let answer = wire.send_packed_command(&who_has_what()).await;
        let answer = answer.and_then(Value::extract_error);
        answer.map_err(|error| Reason::of(&error))
    }
}

fn who_has_what() -> redis::Cmd {
    let mut command = redis::cmd("CLUSTER");
    command.arg("SLOTS");
    command
}

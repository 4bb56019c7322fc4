//! Where a connection leads to.

use std::fmt;

use redis::{Client, RedisResult, Value};
use tokio::sync::watch;

use super::client;
use super::reason::Reason;
use super::sentinel::Primary;
use crate::config::{Address, StoreConfig};

/// Where a connection leads to.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// The one server that the URL names.
    Url(String),
    /// The server that the Sentinels call the primary.
    Primary(Primary),
    /// A primary of a cluster.
    Node(Address),
    /// Any node of a cluster.
    AnyNode(watch::Receiver<Vec<Address>>),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Without the credentials.
            Self::Url(url) => match redis::parse_redis_url(url) {
                Some(url) => write!(
                    f,
                    "{}:{}",
                    url.host_str().unwrap_or(""),
                    url.port().unwrap_or(6379)
                ),
                None => Ok(()),
            },
            Self::Primary(primary) => write!(f, "{primary}"),
            Self::Node(address) => write!(f, "{address}"),
            Self::AnyNode(_) => write!(f, "any node"),
        }
    }
}

impl Target {
    /// What connects to where it is now.
    pub(super) fn client(&mut self, config: &StoreConfig) -> Result<Client, Reason> {
        match self {
            Self::Url(url) => client::of_url(config, url),
            Self::Primary(primary) => client::of_server(config, &primary.address()?),
            Self::Node(address) => client::of_server(config, address),
            Self::AnyNode(nodes) => {
                let node = fastrand::choice(nodes.borrow().iter()).cloned();
                client::of_server(config, &node.ok_or_else(Reason::connecting)?)
            }
        }
    }

    /// Returns once it is somewhere else.
    pub(super) async fn moved(&mut self) {
        match self {
            Self::Primary(primary) => primary.moved().await,
            _ => std::future::pending().await,
        }
    }

    pub(super) fn is_of_cluster(&self) -> bool {
        matches!(self, Self::Node(_) | Self::AnyNode(_))
    }

    /// It does not look like what it should be.
    pub(super) fn doubt(&self) {
        if let Self::Primary(primary) = self {
            primary.doubt();
        }
    }

    /// What a connection is asked to see that it is still of use: where servers change places, whether this is the primary, and in a
    /// cluster, whether it still is with the others. One that is not says who had what when it was.
    pub(super) fn question(&self) -> redis::Cmd {
        match self {
            Self::Url(_) | Self::AnyNode(_) => redis::cmd("PING"),
            Self::Primary(_) => redis::cmd("ROLE"),
            Self::Node(_) => {
                let mut command = redis::cmd("CLUSTER");
                command.arg("INFO");
                command
            }
        }
    }

    /// What is wrong with the answer to that.
    pub(super) fn judge(&self, answer: RedisResult<Value>) -> Result<(), Reason> {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return self.judge_error(Reason::of(&error)),
        };
        let wrong = match (self, &answer) {
            (Self::Primary(_), Value::Array(role)) => {
                let is_primary = role.first() == Some(&Value::BulkString(b"master".to_vec()));
                (!is_primary).then(|| Reason::new("no primary", "connected to what is no primary"))
            }
            (Self::Node(address), Value::BulkString(info)) => {
                let down = String::from_utf8_lossy(info).contains("cluster_state:fail");
                down.then(|| {
                    let text =
                        format!("{address} is not with the others, or slots have no primary");
                    Reason::new("cluster down", text)
                })
            }
            _ => None,
        };
        wrong.map_or(Ok(()), Err)
    }

    fn judge_error(&self, reason: Reason) -> Result<(), Reason> {
        // Who may not ask is told by a replica that it is one, at the first write.
        let says_nothing = reason.is_forbidden() && !matches!(self, Self::Url(_));
        // A server that cannot write its disk refuses even PING, and does what is no write.
        if says_nothing || reason.is_of_disk() {
            Ok(())
        } else {
            Err(reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_cut_off_is_of_no_use() {
        let address = Address::read("n1:6379", None).unwrap();
        let node = Target::Node(address);
        let info = |state: &str| {
            let text = format!("cluster_state:{state}\r\ncluster_slots_assigned:16384\r\n");
            Ok(Value::BulkString(text.into_bytes()))
        };
        assert_eq!(node.judge(info("ok")), Ok(()));
        assert_eq!(node.judge(info("fail")).unwrap_err().kind, "cluster down");
    }
}

//! Why the store cannot be used: a kind for metrics, a text for people, and what to do about it.

use std::fmt;
use std::time::Duration;

use redis::{ErrorKind, RedisError, ServerErrorKind};

/// Why the store cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// One of few words.
    pub kind: &'static str,
    text: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Reason {
    pub(super) fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    pub(super) fn connecting() -> Self {
        Self::new("connecting", "not connected yet")
    }

    pub(super) fn timeout(after: Duration) -> Self {
        Self::new("timeout", format!("no answer within {after:?}"))
    }

    pub(super) fn dropped() -> Self {
        Self::new("dropped", "the connection was lost")
    }

    pub(super) fn replaced() -> Self {
        Self::new("no primary", "another server is the primary by now")
    }

    /// What another node of a cluster has, or gets: a moment later it is known which.
    pub(super) fn moving(elsewhere: &Self) -> Self {
        Self::new("moving", elsewhere.text.clone())
    }

    pub(super) fn too_old(version: &str) -> Self {
        Self::new(
            "too old",
            format!("too old: version {version}, at least 6.2 is needed"),
        )
    }

    pub(super) fn claimed() -> Self {
        Self::new("claimed", "another daemon does not let go of the session")
    }

    /// Whoever asks has waited before, and has no time left.
    pub(super) fn late() -> Self {
        Self::new(
            "late",
            "other requests of the session, or what the store had lost of it, took the time",
        )
    }

    /// Whoever asks has had no turn: the store is slow, or the network.
    pub(super) fn crowded() -> Self {
        Self::new(
            "crowded",
            "large commits that are on their way to the store took the time",
        )
    }

    /// The reason in an error of the library.
    pub(super) fn of(error: &RedisError) -> Self {
        let text = error.to_string();
        let kind = match (error.code(), error.kind()) {
            (Some("WRONGPASS" | "NOAUTH"), _) | (_, ErrorKind::AuthenticationFailed) => "auth",
            // How servers without users answer a wrong password.
            _ if text.contains("WRONGPASS") || text.contains("invalid password") => "auth",
            (Some("OOM"), _) => "out of memory",
            (Some("BUSY"), _) => "busy",
            (Some("MISCONF"), _) => "refuses writes",
            (Some("NOREPLICAS"), _) => "no replicas",
            // Errors within scripts have no code of their own before Redis 7.
            _ if text.contains("NOREPLICAS") => "no replicas",
            _ if text.contains("-READONLY ") => "read-only",
            // Who waited for replicas, or wants to, while the server became one itself.
            (Some("UNBLOCKED"), _) => "read-only",
            _ if text.contains("WAIT cannot be used with replica") => "read-only",
            _ if text.contains("-OOM ") => "out of memory",
            _ if text.contains("-MISCONF ") => "refuses writes",
            (_, ErrorKind::Server(ServerErrorKind::NoPerm)) => "permission",
            // Of a command within a script: since 7.2, and before.
            _ if text.contains("ACL failure in script")
                || text.contains("The user executing the script can't") =>
            {
                "permission"
            }
            // Of SELECT, whose error the library puts into words of its own.
            _ if text.contains("has no permissions to run the 'select' command") => "permission",
            (_, ErrorKind::Server(ServerErrorKind::BusyLoading)) => "loading",
            (_, ErrorKind::Server(ServerErrorKind::ReadOnly)) => "read-only",
            (_, ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::Ask)) => "cluster",
            (_, ErrorKind::Server(ServerErrorKind::TryAgain)) => "moving",
            (_, ErrorKind::Server(ServerErrorKind::ClusterDown)) => "cluster down",
            (_, ErrorKind::Server(ServerErrorKind::MasterDown)) => "no primary",
            _ if error.is_timeout() => "timeout",
            _ if error.is_connection_refusal() => "refused",
            _ if text.contains("certificate") || text.contains("tls") || text.contains("TLS") => {
                "tls"
            }
            _ if error.is_connection_dropped() => "dropped",
            (_, ErrorKind::Io) => "network",
            _ => "other",
        };
        Self::new(kind, text)
    }

    /// Whether the connection itself may be at fault, so that a new one is worth a try.
    pub(super) fn asks_for_reconnect(&self) -> bool {
        matches!(
            self.kind,
            "timeout" | "dropped" | "network" | "refused" | "read-only" | "auth" | "tls"
        )
    }

    /// Whether the same command may succeed a moment later.
    pub(super) fn passes(&self) -> bool {
        self.asks_for_reconnect()
            || matches!(
                self.kind,
                "loading"
                    | "busy"
                    | "no primary"
                    | "no replicas"
                    | "moving"
                    | "cluster down"
                    | "connecting"
                    | "no sentinel"
            )
    }

    /// Whether the server as a whole does nothing, as far as one can see.
    pub(super) fn is_trouble(&self) -> bool {
        self.passes() && self.kind != "moving"
    }

    /// Whether the server may well do what is no write.
    pub(super) fn is_of_writes(&self) -> bool {
        matches!(self.kind, "read-only" | "no replicas")
    }

    /// The server takes no writes, for want of memory or of a disk. It says so at once, and all the rest goes on.
    pub(super) fn is_full(&self) -> bool {
        matches!(self.kind, "out of memory" | "refuses writes")
    }

    /// The server takes no writes, for it cannot write its disk.
    pub(super) fn is_of_disk(&self) -> bool {
        self.kind == "refuses writes"
    }

    /// The server's user may not do it.
    pub(super) fn is_forbidden(&self) -> bool {
        self.kind == "permission"
    }

    /// What to do about it, for the log.
    pub(super) fn mend(&self) -> &'static str {
        match self.kind {
            "auth" => "check SOJOURN_STORE_USERNAME(_FILE) and SOJOURN_STORE_PASSWORD(_FILE)",
            "permission" => {
                "allow this user the commands and the key prefix in sidecar/protocol/store.md"
            }
            "too old" => "upgrade the store to Redis 6.2, Valkey 7.2 or later",
            "tls" => {
                "check SOJOURN_STORE_CA_FILE, the certificate's names, and that it is not an authority's own (CaUsedAsEndEntity: make it with basicConstraints=CA:FALSE)"
            }
            "refused" | "network" | "timeout" => {
                "check that the store runs and SOJOURN_STORE_URL reaches it"
            }
            "cluster" => "write redis-cluster://host:port into SOJOURN_STORE_URL",
            "no sentinel" => {
                "check that the Sentinels run and SOJOURN_STORE_URL reaches them, and SOJOURN_STORE_SENTINEL_PASSWORD_FILE"
            }
            "no primary" => {
                "none if it is being replaced; else check the name after # in SOJOURN_STORE_URL"
            }
            "no replicas" => {
                "see to the store's replicas: it takes no writes without them (min-replicas-to-write)"
            }
            "cluster down" => {
                "none if a primary is being replaced; else see to the cluster's nodes"
            }
            "read-only" => {
                "none if a primary is being replaced; else lead SOJOURN_STORE_URL to the primary"
            }
            "out of memory" => "raise the store's maxmemory",
            "refuses writes" => {
                "see to the store's disk, which it cannot write its log or snapshot to: make room, or enlarge the volume (a managed store's: spec.store.managed.storage.size)"
            }
            _ => "none: it is tried again",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_not_said_to_go_by_itself() {
        let error =
            redis::make_extension_error("MISCONF".to_owned(), Some("Errors writing".to_owned()));
        assert!(Reason::of(&error).mend().contains("make room"));
    }

    /// Who asks in that moment waits, as for every server that is away.
    #[test]
    fn that_there_is_no_connection_yet_passes() {
        assert!(Reason::connecting().passes());
    }

    /// As the servers send them, before Redis 7 and since.
    #[test]
    fn what_a_command_in_a_script_was_refused_for_is_known_by_whatever_server() {
        let texts = [
            (
                "READONLY You can't write against a read only replica.",
                "read-only",
            ),
            (
                "OOM command not allowed when used memory > 'maxmemory'.",
                "out of memory",
            ),
            (
                "MISCONF Redis is configured to save RDB snapshots.",
                "refuses writes",
            ),
            (
                "NOREPLICAS Not enough good replicas to write.",
                "no replicas",
            ),
        ];
        for (text, kind) in texts {
            for line in [
                format!("{text} script: 6a1, on @user_script:12."),
                format!("ERR Error running script (call to f_6a1): @user_script:12: -{text}"),
                format!("@user_script: 12: -{text}"),
            ] {
                let answer = redis::parse_redis_value(format!("-{line}\r\n").as_bytes());
                let error = answer.and_then(redis::Value::extract_error).unwrap_err();
                assert_eq!(Reason::of(&error).kind, kind, "{line}");
            }
        }
    }
}

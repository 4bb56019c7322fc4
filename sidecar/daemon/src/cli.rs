//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{StringValueParser, TypedValueParser as _};
use clap::{ArgGroup, Parser, Subcommand};

/// Keeps HTTP sessions of this pod, and commits them to a Redis-compatible store.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub what: What,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Serve sessions to the application of this pod.
    Serve {
        /// A TOML file; the environment (SOJOURN_...) wins over it.
        #[arg(long)]
        config: Option<PathBuf>,
    },
    /// Copy the agent and its settings into a directory.
    Install {
        /// Where to.
        directory: PathBuf,
    },
    /// List the cluster's sessions, or end some.
    #[command(group = ArgGroup::new("which").args(["user", "context", "all"]).multiple(true))]
    Sessions {
        /// Those of whoever is logged in by this name.
        #[arg(long)]
        user: Option<String>,
        /// Those of the web application with this context path, / for the root.
        #[arg(long, value_parser = StringValueParser::new().map(|path| context(&path)))]
        context: Option<String>,
        /// All of them, which has to be said to end them.
        #[arg(long)]
        all: bool,
        /// End them, as if nobody had used them for too long: the application's listeners are told.
        #[arg(long, requires = "which")]
        end: bool,
        /// The daemon's socket.
        #[arg(long)]
        socket: Option<PathBuf>,
    },
    /// Tell the daemon of this pod that the pod begins to drain.
    Drain {
        /// The daemon's socket.
        #[arg(long)]
        socket: Option<PathBuf>,
    },
    /// Ask a URL on this machine; the exit code says whether it answered 2xx.
    Probe {
        /// For example `http://127.0.0.1:15900/readyz`
        url: String,
    },
    /// Write Envoy's files from the application's pods, and again whenever they change.
    Edge {
        /// Only until Envoy can start with them.
        #[arg(long)]
        once: bool,
    },
    /// Let Envoy's connections end before its pod does.
    DrainEnvoy {
        /// Envoy's admin address.
        #[arg(long, default_value = "127.0.0.1:9901")]
        admin: String,
        /// How long load balancers in front may take to notice, e.g. 5s.
        #[arg(long, default_value = "5s", value_parser = duration)]
        wait: Duration,
        /// When to stop waiting for connections, e.g. 20s.
        #[arg(long, default_value = "20s", value_parser = duration)]
        deadline: Duration,
    },
}

/// As the container names it: no path ends with a slash, not even the root's, be there a host in front of it or not.
fn context(path: &str) -> String {
    path.trim_end_matches('/').to_owned()
}

fn duration(text: &str) -> Result<Duration, String> {
    crate::config::duration(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_named_as_the_container_names_it() {
        for (said, meant) in [
            ("/", ""),
            ("/shop", "/shop"),
            ("/shop/", "/shop"),
            ("tenant.example/", "tenant.example"),
            ("tenant.example/shop/", "tenant.example/shop"),
        ] {
            let cli = Cli::try_parse_from(["sojournd", "sessions", "--context", said]).unwrap();
            let What::Sessions { context, .. } = cli.what else {
                panic!("{cli:?}");
            };
            assert_eq!(context.as_deref(), Some(meant));
        }
    }
}

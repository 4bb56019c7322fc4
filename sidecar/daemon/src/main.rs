//! `sojournd`: the sidecar and the edge in one binary.

use std::process::ExitCode;

use clap::Parser as _;
use sojournd::cli::{Cli, What};
use sojournd::sessions::Which;
use sojournd::{drain, run};

// A request allocates many times: with the C library's allocator that was a seventh of the daemon's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How the sysexits of BSD call a wrong command line or configuration.
const USAGE: u8 = 64;

// One thread: the daemon mostly waits, and what it computes takes microseconds.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::from(USAGE)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let outcome = match cli.what {
        What::Serve { config } => run::serve(config.as_deref()).await,
        What::Install { directory } => run::install(&directory),
        What::Drain { socket } => match run::socket(socket) {
            Ok(socket) => drain::drain(&socket).await.map_err(run::Error::from),
            Err(error) => Err(error),
        },
        What::Sessions {
            user,
            context,
            end,
            socket,
            ..
        } => run::sessions(socket, &Which { user, context }, end).await,
        What::Probe { url } => run::probe(&url).await,
        What::Edge { once } => run::edge(once).await,
        What::DrainEnvoy {
            admin,
            wait,
            deadline,
        } => run::drain_envoy(&admin, wait, deadline).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(run::Error::Usage(problems)) => {
            eprint!("sojournd: the configuration cannot be used:\n{problems}");
            ExitCode::from(USAGE)
        }
        Err(error) => {
            eprintln!("sojournd: {error}");
            ExitCode::FAILURE
        }
    }
}

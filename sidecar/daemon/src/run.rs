//! The subcommands, from the environment to their end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use tokio::signal::unix::{SignalKind, signal};
use tracing::{info, warn};

use crate::config::{Config, EdgeConfig, InstallConfig, Problems, Sources, log_level};
use crate::sessions::Which;
use crate::{edge, envoy, install as installation, logs, scheduling, serve as serving, sessions};

/// Why a subcommand failed.
#[derive(Debug, Error)]
pub enum Error {
    /// The configuration is wrong.
    #[error("{0}")]
    Usage(#[from] Problems),
    /// `serve` could not start.
    #[error(transparent)]
    Start(#[from] serving::StartError),
    /// The agent could not be installed.
    #[error(transparent)]
    Install(#[from] installation::InstallError),
    /// `edge` could not start.
    #[error(transparent)]
    Edge(#[from] edge::EdgeError),
    /// Something could not be read, written or reached.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A probed page said no.
    #[error("{0}")]
    Refused(String),
}

fn sources(file: Option<&Path>) -> Result<Sources, Error> {
    let environment = std::env::vars()
        .filter(|(key, _)| key.starts_with("SOJOURN_"))
        .collect();
    let file = match file {
        None => None,
        Some(path) => Some(std::fs::read_to_string(path).map_err(|error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?),
    };
    Ok(Sources { environment, file })
}

/// `sojournd serve`
pub async fn serve(file: Option<&Path>) -> Result<(), Error> {
    let sources = sources(file)?;
    let (config, level) = both(Config::read(&sources), log_level(&sources))?;
    logs::start(level);
    tell_unknown(&sources);
    if let Err(error) = scheduling::batch() {
        info!(%error, "scheduled as others are: the application is interrupted for each request where cores are full");
    }
    serving::serve(config, told_to_stop()?).await?;
    Ok(())
}

/// `sojournd install`
pub fn install(directory: &Path) -> Result<(), Error> {
    let config = InstallConfig::read(&sources(None)?)?;
    installation::install(&config, directory)?;
    Ok(())
}

/// The socket that is meant where none is given.
pub fn socket(given: Option<PathBuf>) -> Result<PathBuf, Error> {
    match given {
        Some(socket) => Ok(socket),
        None => Ok(InstallConfig::read(&sources(None)?)?.socket),
    }
}

/// `sojournd sessions`
pub async fn sessions(given: Option<PathBuf>, which: &Which, end: bool) -> Result<(), Error> {
    let socket = socket(given)?;
    let output = &mut std::io::stdout().lock();
    sessions::run(&socket, which, end, output)
        .await
        .map_err(|error| Error::Refused(format!("{}: {error}", socket.display())))
}

/// `sojournd probe`
pub async fn probe(url: &str) -> Result<(), Error> {
    let refused = |error: envoy::AskError| Error::Refused(format!("{url}: {error}"));
    let answer = envoy::ask("GET", url).await.map_err(refused)?;
    if answer.status.is_success() {
        Ok(())
    } else {
        Err(Error::Refused(format!(
            "{url}: {} {}",
            answer.status,
            answer.text.trim_end()
        )))
    }
}

/// `sojournd edge`
pub async fn edge(once: bool) -> Result<(), Error> {
    let sources = sources(None)?;
    let (config, level) = both(EdgeConfig::read(&sources), log_level(&sources))?;
    logs::start(level);
    tell_unknown(&sources);
    edge::run(config, once, told_to_stop()?).await?;
    Ok(())
}

/// `sojournd drain-envoy`
pub async fn drain_envoy(admin: &str, wait: Duration, deadline: Duration) -> Result<(), Error> {
    logs::start(tracing::Level::INFO);
    envoy::drain(admin, wait, deadline)
        .await
        .map_err(|error| Error::Refused(error.to_string()))
}

/// Without their values: one may be a password.
fn tell_unknown(sources: &Sources) {
    for name in sources.unknown() {
        warn!(
            "{name} is set, and is no setting of sojournd: it does nothing; the README lists all"
        );
    }
}

/// Both, or what is wrong with either.
fn both<T, L>(config: Result<T, Problems>, level: Result<L, Problems>) -> Result<(T, L), Problems> {
    match (config, level) {
        (Ok(config), Ok(level)) => Ok((config, level)),
        (Ok(_), Err(problems)) => Err(problems),
        (Err(mut problems), level) => {
            let more = level.err().into_iter().flat_map(|more| more.0);
            let more: Vec<_> = more
                .filter(|problem| !problems.0.contains(problem))
                .collect();
            problems.0.extend(more);
            Err(problems)
        }
    }
}

/// SIGTERM, or Ctrl-C in a terminal.
fn told_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

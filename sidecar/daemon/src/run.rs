//! The subcommands, from the environment to their end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Config, InstallConfig, Problems, Sources, log_level};
use crate::{install as installation, logs, serve as serving};

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
    let (config, level) = match (Config::read(&sources), log_level(&sources)) {
        (Ok(config), Ok(level)) => (config, level),
        (Ok(_), Err(problems)) => return Err(problems.into()),
        (Err(mut problems), level) => {
            problems
                .0
                .extend(level.err().into_iter().flat_map(|more| more.0));
            problems.0.dedup();
            return Err(problems.into());
        }
    };
    logs::start(level);
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

/// `sojournd probe`
pub async fn probe(_url: &str) -> Result<(), Error> {
    Err(Error::Refused("not built in yet".into()))
}

/// `sojournd edge`
pub async fn edge() -> Result<(), Error> {
    Err(Error::Refused("not built in yet".into()))
}

/// `sojournd drain-envoy`
pub async fn drain_envoy(_admin: &str, _wait: Duration, _deadline: Duration) -> Result<(), Error> {
    Err(Error::Refused("not built in yet".into()))
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

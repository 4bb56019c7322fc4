//! Accepts connections and holds the conversation on each.

mod application;
mod client;
mod connection;
mod in_flight;
mod output;
mod replies;
mod subscription;
mod task;
mod under_way;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::watch;
use tracing::{info, warn};

pub use application::Application;

use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::readiness::Readiness;
use crate::service::Service;

/// A buffer that grew past this for one large session is given back; past so much unsent nothing more is read.
const KEEP_BUFFER: usize = 256 << 10;

/// What every connection needs to know.
#[derive(Debug)]
pub struct Context {
    /// What the commands mean.
    pub service: Arc<Service>,
    /// Counters.
    pub metrics: Arc<Metrics>,
    /// The cluster's name, for `HELLO`.
    pub cluster: String,
    /// What a TCP client must know; read when it says `AUTH`, so that it can be replaced.
    pub token_file: Option<PathBuf>,
    /// Whether the pod drains.
    pub draining: watch::Sender<bool>,
    /// Whether an application is connected.
    pub application: Application,
    /// What the agent says of attributes.
    pub notes: Notes,
    /// Whether the pod may have requests.
    pub readiness: Readiness,
    /// Requests that are not answered yet.
    pub in_flight: watch::Sender<usize>,
}

impl Context {
    /// Whether the pod drains.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Waits, bounded, until every request that has arrived is answered.
    pub async fn until_answered(&self, patience: Duration) {
        let mut in_flight = self.in_flight.subscribe();
        let answered = in_flight.wait_for(|in_flight| *in_flight == 0);
        if tokio::time::timeout(patience, answered).await.is_err() {
            warn!(after = ?patience, "requests cut off by the end");
        }
    }

    /// Says so, once, if no application connects within `patience`: nothing else would, and its sessions would stay where
    /// they are.
    pub async fn expect_application(self: Arc<Self>, patience: Duration) {
        let first = self.application.first();
        if tokio::time::timeout(patience, first).await.is_err() {
            warn!(
                after = ?patience,
                mend = "check that the container runs Tomcat on Java 8 or later and passes JAVA_TOOL_OPTIONS on, and its log for \
                        lines that begin with \"sojourn: \"",
                "no application has connected yet: its sessions are not kept"
            );
        }
    }

    /// The pod begins to drain. There is no way back.
    pub fn drain(&self) {
        if !self.draining.send_replace(true) {
            info!("draining");
            self.service.drain();
            self.metrics.draining.set(1);
        }
    }
}

/// Where a connection came in: what is allowed differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Unix,
    Tcp,
}

/// Binds the socket. One that is left over from a daemon that died is removed; one that somebody listens on is not.
pub async fn bind_unix(path: &Path) -> std::io::Result<UnixListener> {
    use std::os::unix::fs::PermissionsExt as _;
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    if path.exists() {
        if UnixStream::connect(path).await.is_ok() {
            let text = format!("{} is in use by another daemon", path.display());
            return Err(std::io::Error::new(std::io::ErrorKind::AddrInUse, text));
        }
        std::fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    // The application's user is unknown; only the containers of this pod see the directory.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666))?;
    Ok(listener)
}

/// Accepts on the Unix socket until the task is dropped.
pub async fn serve_unix(listener: UnixListener, context: Arc<Context>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (reader, writer) = stream.into_split();
                let context = Arc::clone(&context);
                tokio::spawn(connection::talk(reader, writer, Door::Unix, context));
            }
            Err(error) => pause_after(&error).await,
        }
    }
}

/// Accepts on loopback TCP until the task is dropped.
pub async fn serve_tcp(listener: TcpListener, context: Arc<Context>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Requests and replies are small and alternate: waiting for more to send only delays them.
                let _ = stream.set_nodelay(true);
                let (reader, writer) = stream.into_split();
                let context = Arc::clone(&context);
                tokio::spawn(connection::talk(reader, writer, Door::Tcp, context));
            }
            Err(error) => pause_after(&error).await,
        }
    }
}

/// Out of file descriptors, most likely: accepting at once again would only spin.
async fn pause_after(error: &std::io::Error) {
    warn!(%error, "accept failed");
    tokio::time::sleep(Duration::from_millis(50)).await;
}

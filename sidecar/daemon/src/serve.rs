//! `sojournd serve`: binds everything together and runs until it is told to stop.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tracing::{debug, info, warn};

use crate::claims::page::Page;
use crate::config::{BackgroundConfig, Config, InstallConfig};
use crate::http::{self, Pages};
use crate::install::{InstallError, draw_token, install};
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::readiness::Readiness;
use crate::server::{Application, Context, bind_unix, serve_tcp, serve_unix};
use crate::service::Service;
use crate::service::moving;
use crate::service::reaper::Reaper;

/// How long the end waits for what is not in the store yet. The kubelet gives 30 s in all by default.
const FLUSH: Duration = Duration::from_secs(10);

/// How long the end waits for the reaper to give its lease up. It runs out by itself a few seconds later.
const REAPER: Duration = Duration::from_secs(1);

/// How soon a store that refuses is asked again whether a pod may have requests.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How long an application may take from the sidecar's start to its first connection. A JVM that is slower is told of for nothing, once.
const APPLICATION: Duration = Duration::from_mins(1);

/// Why it could not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The agent could not be put in place.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// A socket could not be bound.
    #[error("cannot listen on {0}: {1}")]
    Listen(String, io::Error),
}

impl Pages for Context {
    fn ready(&self) -> (bool, String) {
        let down = self.service.store().down();
        let ready = self.readiness.look();
        let store = match down {
            None if !self.readiness.has_found_store() => {
                "store=up, but no session has reached it yet: see /storez".to_owned()
            }
            None if self.service.is_refilling() => {
                "store=up, and looked through for what it may have lost".to_owned()
            }
            None => "store=up".to_owned(),
            Some(reason) => format!("store=down: {reason}"),
        };
        (ready, format!("listening, {store}\n"))
    }

    fn store(&self) -> Option<String> {
        let health = self.service.store().health();
        serde_json::to_string(&health.on_page(self.application.missed())).ok()
    }

    fn metrics(&self) -> String {
        self.metrics.text()
    }
}

/// Runs until `stop`; then commits that are only held, and ends that the store did not take, are given some time to reach it.
pub async fn serve(mut config: Config, stop: impl Future<Output = ()>) -> Result<(), StartError> {
    let tcp = listen_on_loopback(&mut config.install).await;
    if let Some(directory) = &config.install_agent {
        if tcp.is_some() && config.install.token_file.is_none() {
            config.install.token_file = Some(draw_token(directory)?);
        }
        install(&config.install, directory)?;
    }
    let socket = &config.install.socket;
    let named = |name: String| move |error| StartError::Listen(name, error);
    let unix = bind_unix(socket)
        .await
        .map_err(named(socket.display().to_string()))?;
    let pages = TcpListener::bind(config.http)
        .await
        .map_err(named(config.http.to_string()))?;
    let metrics = Arc::new(Metrics::new());
    // Only now: before, the page of another daemon that lives could be taken for one that was left over.
    let page = socket
        .parent()
        .and_then(|directory| Page::beside(directory, metrics.claims.on_page.clone()));
    let context = Arc::new(Context {
        service: Service::start(&config, Arc::clone(&metrics), page.clone()),
        notes: Notes::new(&metrics),
        metrics,
        cluster: config.cluster.clone(),
        token_file: config.install.token_file.clone(),
        draining: watch::Sender::new(false),
        application: Application::awaited(),
        readiness: Readiness::start(),
        in_flight: watch::Sender::new(0),
    });
    let mut tasks = JoinSet::new();
    if let Some(tcp) = tcp {
        tasks.spawn(serve_tcp(tcp, Arc::clone(&context)));
    }
    tasks.spawn(serve_unix(unix, Arc::clone(&context)));
    tasks.spawn(http::serve(pages, Arc::clone(&context)));
    tasks.spawn(find_store(Arc::clone(&context)));
    let reaper = background(&mut tasks, &context, &config.background);
    if config.install_agent.is_some() {
        // Whoever wants the agent put in place expects it to connect.
        tasks.spawn(Arc::clone(&context).expect_application(APPLICATION));
    }
    info!(socket = %socket.display(), http = %config.http, mode = config.mode.name(), cluster = config.cluster, "listening");
    stop.await;
    context.drain();
    context.until_answered(config.store.patience).await;
    context.service.flush_all(FLUSH).await;
    // It stops with the drain; what it does not get done in time the next one waits for.
    let _ = tokio::join!(context.service.leave(), timeout(REAPER, reaper));
    tasks.shutdown().await;
    if let Some(page) = page {
        page.remove();
    }
    // The next daemon would remove it too; this is for whoever looks in between.
    let _ = std::fs::remove_file(socket);
    info!("stopped");
    Ok(())
}

/// For JVMs without Unix sockets. Another process of the pod may have the port, and no other JVM needs it.
async fn listen_on_loopback(install: &mut InstallConfig) -> Option<TcpListener> {
    let address = install.tcp?;
    match TcpListener::bind(address).await {
        Ok(listener) => Some(listener),
        Err(error) => {
            warn!(%address, %error, "a JVM older than 16, which has no Unix sockets, cannot reach this sidecar: free that port in the pod");
            install.tcp = None;
            None
        }
    }
}

/// Tries until sessions have reached the store once. What it refuses meanwhile is noted as for any request, and says nothing of when it does not any more.
async fn find_store(context: Arc<Context>) {
    while let Err(unavailable) = context.service.store().reach().await {
        debug!(%unavailable, "no session can reach the store yet");
        sleep(TRY_AGAIN).await;
    }
    context.readiness.found_store();
}

/// What the daemon does by itself; the reaper is the only part that has something to finish.
fn background(
    tasks: &mut JoinSet<()>,
    context: &Context,
    config: &BackgroundConfig,
) -> JoinHandle<()> {
    let service = &context.service;
    let reaper = Reaper::new(service, context.draining.subscribe(), config.reap_every);
    tasks.spawn(Arc::clone(service).follow_secret());
    tasks.spawn(Arc::clone(service).watch_store());
    tasks.spawn(Arc::clone(service).refill_store());
    tasks.spawn(Arc::clone(service).end_late());
    tasks.spawn(Arc::clone(service).tell_accesses_when_there_is_room());
    tasks.spawn(moving::take_all(
        Arc::clone(service),
        context.draining.subscribe(),
    ));
    if let Some(file) = &config.limits_file {
        tasks.spawn(Arc::clone(service.pace()).follow(file.clone(), config.limits));
    }
    tokio::spawn(reaper.run())
}

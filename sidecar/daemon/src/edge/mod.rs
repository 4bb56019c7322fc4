//! `sojournd edge`: watches the application's pods and Envoy's `ConfigMap`, and writes the files that Envoy watches.
//!
//! It stands in the Envoy pod, so that neither the operator nor its leader is between a deleted pod and Envoy.

mod drains;
pub mod endpoints;
mod file;
mod metrics;
mod pods;
mod reach;
mod routes;
mod stores;
pub mod watch;

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _, stream};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::runtime::watcher::{Error, Event};
use thiserror::Error as ThisError;
use tokio::net::TcpListener;
use tokio::sync::watch::{self as latest, Receiver, Sender};
use tokio::time::{Instant, sleep_until};
use tracing::{error, info, warn};

use crate::config::{Drain, EdgeConfig};
use crate::http::{self, Pages};
use drains::Drains;
use endpoints::{Endpoints, assignment, degraded, endpoints, serving, takes_away};
use file::WatchedFile;
use metrics::EdgeMetrics;
use pods::Pods;
use reach::{Envoy, Reach};
use routes::Routes;

/// New endpoints may wait this long for others; endpoints that go never wait.
const COALESCE: Duration = Duration::from_millis(20);
/// How soon a file is tried again that could not be written.
const AGAIN: Duration = Duration::from_secs(1);

/// Addresses of pods.
type Addresses = BTreeSet<IpAddr>;

/// Why the edge could not start.
#[derive(Debug, ThisError)]
pub enum EdgeError {
    /// The API server is not configured.
    #[error("cannot find the API server: {0}")]
    Client(String),
    /// The address is taken, or the file's directory cannot be written.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

#[derive(Debug)]
struct Health {
    reach: Arc<Reach>,
    metrics: EdgeMetrics,
}

impl Pages for Health {
    fn ready(&self) -> (bool, String) {
        self.reach.page()
    }

    fn store(&self) -> Option<String> {
        None
    }

    fn metrics(&self) -> String {
        self.metrics.text()
    }
}

/// Runs until `stop`, or only until Envoy can start. The file stays: Envoy goes on with it.
pub async fn run(
    config: EdgeConfig,
    once: bool,
    stop: impl Future<Output = ()>,
) -> Result<(), EdgeError> {
    let named = |what: String| move |error| EdgeError::Io(what, error);
    let listener = TcpListener::bind(config.http)
        .await
        .map_err(named(config.http.to_string()))?;
    let client = watch::client().await?;
    let events = watch::pods(client.clone(), &config.namespace, &config.selector);
    let maps = match &config.config_map {
        Some(name) => watch::config_map(client, &config.namespace, name).right_stream(),
        None => stream::pending().left_stream(),
    };
    let envoy = Envoy::of(&config).filter(|_| !once);
    let reach = Arc::new(Reach::new(envoy.is_some()));
    let health = Arc::new(Health {
        reach: Arc::clone(&reach),
        metrics: EdgeMetrics::new(),
    });
    let (found, without_store) = latest::channel(Addresses::new());
    let mut edge = Edge::new(&config, Arc::clone(&health), without_store);
    if config.config_map.is_some() {
        edge.routes.begin().map_err(named("routes".into()))?;
    }
    if once && edge.file.is_there() {
        info!(out = %config.out.display(), "endpoints of before are there");
        return Ok(());
    }
    if !once {
        edge.file
            .ensure(&edge.render(&Endpoints::new()))
            .map_err(named(config.out.display().to_string()))?;
    }
    let pages = tokio::spawn(http::serve(listener, health));
    if !once {
        tokio::spawn(stores::follow(
            edge.asked.subscribe(),
            config.sidecar_port,
            found,
        ));
    }
    if let Some(envoy) = envoy {
        tokio::spawn(envoy.follow(reach));
    }
    info!(namespace = config.namespace, selector = config.selector, out = %config.out.display(), "watching pods");
    tokio::select! {
        () = edge.follow(events, maps, once) => {}
        () = stop => {}
    }
    pages.abort();
    info!("stopped");
    Ok(())
}

/// Returns then, if ever.
async fn when(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// From events to the file.
struct Edge {
    pods: Pods,
    drains: Drains,
    file: WatchedFile,
    routes: Routes,
    written: Endpoints,
    /// Whose sidecars are asked for their store.
    asked: Sender<Addresses>,
    /// Those of them that have none, while others have.
    without_store: Receiver<Addresses>,
    /// When what has changed must be in the file.
    due: Option<Instant>,
    /// When routes that could not be written are tried again.
    routes_due: Option<Instant>,
    /// When the first endpoint to go was seen.
    drain_seen: Option<Instant>,
    port: u16,
    cluster: String,
    drain: Drain,
    health: Arc<Health>,
}

impl Edge {
    fn new(config: &EdgeConfig, health: Arc<Health>, without_store: Receiver<Addresses>) -> Self {
        Self {
            pods: Pods::default(),
            drains: Drains::default(),
            file: WatchedFile::new(PathBuf::from(&config.out)),
            routes: Routes::new(&config.out, config.routes.clone()),
            written: Endpoints::new(),
            asked: Sender::new(Addresses::new()),
            without_store,
            due: None,
            routes_due: None,
            drain_seen: None,
            port: config.port,
            cluster: config.cluster.clone(),
            drain: config.drain,
            health,
        }
    }

    async fn follow(
        &mut self,
        events: impl Stream<Item = Result<Event<Pod>, Error>>,
        maps: impl Stream<Item = Result<Event<ConfigMap>, Error>>,
        once: bool,
    ) {
        let mut events = std::pin::pin!(events);
        let mut maps = std::pin::pin!(maps);
        while !(once && self.health.reach.is_listed()) {
            let (flush, routes) = (when(self.due), when(self.routes_due));
            let mut without_store = self.without_store.clone();
            tokio::select! {
                // Removals first: a flood of events must not hold back what is due.
                biased;
                () = flush => self.write(),
                event = events.next() => match event {
                    Some(Ok(event)) => self.take(event),
                    Some(Err(error)) => {
                        self.health.metrics.watch_errors.inc();
                        warn!(%error, "watch failed; the endpoints stay as they are");
                    }
                    None => return,
                },
                Some(event) = maps.next() => self.take_routes(event),
                () = routes => {
                    self.routes_due = None;
                    let written = self.routes.write();
                    self.see_routes(written);
                }
                Ok(()) = without_store.changed() => self.take_stores(),
            }
        }
    }

    fn take_routes(&mut self, event: Result<Event<ConfigMap>, Error>) {
        match event {
            Ok(event) => {
                let written = self.routes.take(event);
                self.see_routes(written);
            }
            Err(error) => {
                self.health.metrics.watch_errors.inc();
                warn!(%error, "watch on the ConfigMap failed; the routes stay as they are");
            }
        }
    }

    fn see_routes(&mut self, written: io::Result<bool>) {
        match written {
            Ok(true) => {
                self.health.metrics.routes_written.inc();
                info!("routes written");
            }
            Ok(false) => {}
            Err(error) => {
                self.health.metrics.write_errors.inc();
                error!(%error, "routes not written; Envoy goes on with those it has");
                self.routes_due = Some(Instant::now() + AGAIN);
            }
        }
    }

    fn take(&mut self, event: Event<Pod>) {
        self.health.metrics.count_event(&event);
        let now = Instant::now();
        if !self.pods.take(event) {
            return;
        }
        for (phase, seconds) in self.drains.see(self.pods.current(), now) {
            self.health.metrics.count_drain(phase.name(), seconds);
        }
        self.refresh(now);
    }

    fn take_stores(&mut self) {
        let pods = self.without_store.borrow_and_update().len();
        if pods > 0 {
            warn!(
                pods,
                "pods do not reach the store that others reach; they get nothing while others can take it"
            );
        } else {
            info!("every pod that answers is as far from the store as all others");
        }
        self.refresh(Instant::now());
    }

    fn endpoints(&self) -> Endpoints {
        let endpoints = endpoints(self.pods.current(), self.drain);
        degraded(endpoints, &self.without_store.borrow())
    }

    /// Has what has changed written, at once or soon.
    fn refresh(&mut self, now: Instant) {
        let endpoints = self.endpoints();
        let first = !self.health.reach.is_listed();
        if endpoints == self.written && !first {
            self.due = None;
        } else if first || takes_away(&self.written, &endpoints) {
            self.drain_seen = (!first).then_some(self.drain_seen.unwrap_or(now));
            self.due = Some(now);
            self.write();
        } else {
            self.due = Some(self.due.unwrap_or(now + COALESCE));
        }
    }

    fn write(&mut self) {
        let endpoints = self.endpoints();
        if let Err(error) = self.file.write(&self.render(&endpoints)) {
            // Envoy goes on with the old file; there is nothing better to do than to try again.
            self.health.metrics.write_errors.inc();
            error!(%error, "endpoints not written");
            self.due = Some(Instant::now() + AGAIN);
            return;
        }
        self.due = None;
        if let Some(seen) = self.drain_seen.take() {
            let seconds = seen.elapsed().as_secs_f64();
            self.health.metrics.count_drain("written", seconds);
        }
        self.health.metrics.count_endpoints(&endpoints);
        info!(endpoints = %endpoints::summary(&endpoints), "endpoints written");
        self.asked.send_replace(endpoints.keys().copied().collect());
        self.health.reach.list(serving(&endpoints));
        self.written = endpoints;
    }

    fn render(&self, endpoints: &Endpoints) -> String {
        assignment(endpoints, &self.cluster, self.port, self.drain).to_string()
    }
}

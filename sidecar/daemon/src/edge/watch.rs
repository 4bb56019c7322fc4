//! The watches.

use std::time::Duration;

use futures_util::Stream;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{Config as WatchConfig, Error, Event, watcher};
use kube::{Api, Client, Config};

use super::EdgeError;

/// A watch is begun anew this often, and a connection that is silent for longer is dead: an API server that vanished without
/// a word would otherwise hold back every drain.
const WATCH_SECONDS: u32 = 60;
const SILENCE: Duration = Duration::from_secs(65);

/// A client of the API server of this pod, or of the kubeconfig.
pub async fn client() -> Result<Client, EdgeError> {
    let failed = |error: &dyn std::error::Error| EdgeError::Client(error.to_string());
    let mut config = Config::infer().await.map_err(|error| failed(&error))?;
    config.connect_timeout = Some(Duration::from_secs(5));
    config.read_timeout = Some(SILENCE);
    Client::try_from(config).map_err(|error| failed(&error))
}

/// Events on the pods that match, for ever. Errors come in between, and the watch goes on after a pause.
pub fn pods(
    client: Client,
    namespace: &str,
    selector: &str,
) -> impl Stream<Item = Result<Event<Pod>, Error>> + use<> {
    let pods: Api<Pod> = Api::namespaced(client, namespace);
    let watch = WatchConfig::default().labels(selector);
    watcher(pods, watch.timeout(WATCH_SECONDS)).backoff(Pause::default())
}

/// Events on one `ConfigMap`, in the same way.
pub fn config_map(
    client: Client,
    namespace: &str,
    name: &str,
) -> impl Stream<Item = Result<Event<ConfigMap>, Error>> + use<> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    // The permission is for this name, and holds for requests that name it.
    let watch = WatchConfig::default().fields(&format!("metadata.name={name}"));
    watcher(maps, watch.timeout(WATCH_SECONDS)).backoff(Pause::default())
}

/// Pauses after errors: short at first, for drains wait meanwhile.
#[derive(Debug)]
struct Pause(Duration);

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

impl Default for Pause {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Iterator for Pause {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let pause = self.0;
        self.0 = (2 * pause).min(LONGEST);
        Some(pause.mul_f64(fastrand::f64().midpoint(1.0)))
    }
}

impl Backoff for Pause {
    fn reset(&mut self) {
        self.0 = FIRST;
    }
}

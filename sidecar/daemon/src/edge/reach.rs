//! Whether the Envoy beside reaches the application: one that never has must not take the place of one that does.
//!
//! Envoy knows, by its health checks. Where the path that they ask is wrong, or the port, no pod is ever well for it, and it answers
//! every request 503.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

use super::Addresses;
use crate::config::EdgeConfig;
use crate::envoy::{AskError, ask, ask_as};

const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// A pod is asked for the words of the log only.
const ASK_AGAIN: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(1);

/// What is known, and what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nobody has said yet which pods there are.
    Unlisted,
    /// Envoy has the list. Whether it reaches anybody is not asked.
    Listed,
    /// No pod is ready: a new installation, or an outage, in which an Envoy is as good as another.
    NobodyThere,
    /// Pods are ready, and Envoy has never found one well.
    Unreached,
    /// It has, once: what becomes of the application later takes no Envoy out of its Service.
    Reached,
}

impl Verdict {
    /// `reached` is unknown where the edge knows no Envoy; `serving` are the pods that are ready, once they are known.
    fn of(serving: Option<&Addresses>, reached: Option<bool>) -> Self {
        match (serving, reached) {
            (_, Some(true)) => Self::Reached,
            (None, _) => Self::Unlisted,
            (Some(_), None) => Self::Listed,
            (Some(pods), Some(false)) if pods.is_empty() => Self::NobodyThere,
            (Some(_), Some(false)) => Self::Unreached,
        }
    }

    pub(super) fn is_ready(self) -> bool {
        !matches!(self, Self::Unlisted | Self::Unreached)
    }

    fn text(self) -> &'static str {
        match self {
            Self::Unlisted => "waiting for the first list of pods",
            Self::Listed => "the first list of pods was written",
            Self::NobodyThere => "no pod is ready, and Envoy has found none that is well",
            Self::Unreached => "pods are ready, and Envoy has found none of them well",
            Self::Reached => "Envoy has found a pod that is well",
        }
    }
}

/// What the edge knows of the pods, and its Envoy of them.
#[derive(Debug, Default)]
pub(super) struct Reach {
    serving: Mutex<Option<Addresses>>,
    asks: bool,
    reached: AtomicBool,
    /// What one of the pods answers that Envoy finds unwell.
    answer: Mutex<String>,
}

impl Reach {
    /// `asks`: there is an Envoy to be asked.
    pub(super) fn new(asks: bool) -> Self {
        Self {
            asks,
            ..Self::default()
        }
    }

    /// The pods that are ready now; Envoy has been told of them.
    pub(super) fn list(&self, serving: Addresses) {
        *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = Some(serving);
    }

    pub(super) fn is_listed(&self) -> bool {
        let serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        serving.is_some()
    }

    pub(super) fn verdict(&self) -> Verdict {
        let reached = self.asks.then(|| self.reached.load(Ordering::Relaxed));
        let serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        Verdict::of(serving.as_ref(), reached)
    }

    pub(super) fn page(&self) -> (bool, String) {
        let verdict = self.verdict();
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match verdict {
            Verdict::Unreached if !answer.is_empty() => format!("{}: {answer}\n", verdict.text()),
            _ => format!("{}\n", verdict.text()),
        };
        (verdict.is_ready(), text)
    }

    fn first(&self) -> Option<IpAddr> {
        let serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        serving.as_ref()?.first().copied()
    }

    fn answered(&self, text: String) {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if *answer != text {
            warn!("{}: {text}", Verdict::Unreached.text());
            *answer = text;
        }
    }
}

/// How the Envoy beside is asked, and how it asks the pods.
#[derive(Debug)]
pub(super) struct Envoy {
    admin: SocketAddr,
    /// Envoy's name for the application, and the host that it asks its pods for.
    cluster: String,
    port: u16,
    path: Option<String>,
}

impl Envoy {
    pub(super) fn of(config: &EdgeConfig) -> Option<Self> {
        Some(Self {
            admin: config.admin?,
            cluster: config.cluster.clone(),
            port: config.port,
            path: config.health_check_path.clone(),
        })
    }

    /// Asks until Envoy has found a pod well. It counts for itself: so an edge that starts over beside an Envoy of long ago learns what
    /// that found before.
    pub(super) async fn follow(self, reach: Arc<Reach>) {
        let mut asked: Option<Instant> = None;
        loop {
            if !reach.verdict().is_ready() {
                match self.has_succeeded().await {
                    Ok(true) => break,
                    Ok(false) if asked.is_none_or(|at| at.elapsed() >= ASK_AGAIN) => {
                        asked = Some(Instant::now());
                        if let Some(pod) = reach.first() {
                            reach.answered(self.answer(pod).await);
                        }
                    }
                    Ok(false) => {}
                    Err(error) => {
                        reach.answered(format!("Envoy does not say, at {}: {error}", self.admin));
                    }
                }
            }
            sleep(LOOK_AGAIN).await;
        }
        reach.reached.store(true, Ordering::Relaxed);
        info!("{}", Verdict::Reached.text());
    }

    /// Whether any of its checks has, since it started.
    async fn has_succeeded(&self) -> Result<bool, AskError> {
        let url = format!("http://{}/stats?filter=health_check.success", self.admin);
        let answer = ask("GET", &url).await?;
        if !answer.status.is_success() {
            return Err(AskError::Refused(url, answer.status));
        }
        let success = format!("cluster.{}.health_check.success: ", self.cluster);
        Ok(counts(&answer.text, &success) > 0)
    }

    /// What a pod says to what Envoy asks.
    async fn answer(&self, pod: IpAddr) -> String {
        let address = SocketAddr::new(pod, self.port);
        let Some(path) = &self.path else {
            return match timeout(PATIENCE, TcpStream::connect(address)).await {
                Ok(Ok(_)) => format!("{address} takes connections"),
                Ok(Err(error)) => format!("{address} takes no connection: {error}"),
                Err(_) => format!("{address} takes no connection within {PATIENCE:?}"),
            };
        };
        // As Envoy does: an application may know no other host.
        let host = &self.cluster;
        let url = format!("http://{address}{path}");
        match timeout(PATIENCE, ask_as("GET", &url, Some(host))).await {
            Ok(Ok(answer)) => {
                format!(
                    "{address} answers {} to GET {path} with host {host}",
                    answer.status
                )
            }
            Ok(Err(error)) => format!("{address} does not answer GET {path}: {error}"),
            Err(_) => format!("{address} does not answer GET {path} within {PATIENCE:?}"),
        }
    }
}

fn counts(stats: &str, name: &str) -> u64 {
    let mut counts = stats.lines().filter_map(|line| line.strip_prefix(name));
    counts
        .find_map(|count| count.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envoy_that_never_reached_anybody_is_ready_only_where_nobody_can_be_reached() {
        let none = Addresses::new();
        let some = Addresses::from([IpAddr::from([10, 0, 0, 1])]);
        for (serving, reached, verdict, ready) in [
            (None, None, Verdict::Unlisted, false),
            (Some(&some), None, Verdict::Listed, true),
            (None, Some(false), Verdict::Unlisted, false),
            (Some(&none), Some(false), Verdict::NobodyThere, true),
            (Some(&some), Some(false), Verdict::Unreached, false),
            (Some(&some), Some(true), Verdict::Reached, true),
            (Some(&none), Some(true), Verdict::Reached, true),
            // An edge that starts over while the API server is away: its Envoy serves.
            (None, Some(true), Verdict::Reached, true),
        ] {
            let seen = Verdict::of(serving, reached);
            assert_eq!((seen, seen.is_ready()), (verdict, ready));
        }
    }

    #[test]
    fn of_envoys_words_only_the_clusters_own_count() {
        let name = "cluster.app.health_check.success: ";
        let stats = "cluster.admin.health_check.success: 3\ncluster.app.health_check.success: 7\n";
        assert_eq!(counts(stats, name), 7);
        assert_eq!(counts("cluster.app.health_check.success: 0\n", name), 0);
        assert_eq!(counts("", name), 0);
    }
}

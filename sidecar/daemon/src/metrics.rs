//! What Prometheus may ask.

use std::fmt::Debug;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

use crate::claims::metrics::ClaimMetrics;

use crate::notes::NoteLabel;
use crate::process::ProcessMetrics;

/// The label `script`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ScriptLabel {
    /// The script's name.
    pub script: &'static str,
}

/// The label `command`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CommandLabel {
    /// The command's name.
    pub command: &'static str,
}

/// The label `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct KindLabel {
    /// What kind of failure.
    pub kind: &'static str,
}

/// The metrics of the queue of `Async`.
#[derive(Debug)]
pub struct QueueMetrics {
    /// Bytes that are not in the store yet.
    pub bytes: Gauge,
    /// Commits of sessions that had ended when their turn came.
    pub dropped: Counter,
    /// Commits refused because there was no room for too long.
    pub full: Counter,
}

impl QueueMetrics {
    fn new(r: &mut Registry) -> Self {
        Self {
            bytes: add(r, "queue_bytes", "Bytes committed but not in the store yet"),
            dropped: add(
                r,
                "queue_dropped",
                "Commits of sessions that had ended meanwhile",
            ),
            full: add(
                r,
                "queue_full",
                "Commits refused because the queue had no room for too long",
            ),
        }
    }
}

/// The metrics of sessions that come from another store.
#[derive(Debug)]
pub struct MovingMetrics {
    /// Sessions taken over from the other store.
    pub moved: Counter,
    /// Sessions that the previous store still had when it was last looked through here.
    pub previous: Gauge,
}

impl MovingMetrics {
    fn new(r: &mut Registry) -> Self {
        let previous = "Sessions that the previous store had when it was last looked through here";
        Self {
            moved: add(r, "store_moved", "Sessions taken over from the other store"),
            previous: add(r, "store_previous_sessions", previous),
        }
    }
}

/// The metrics of who ends expired sessions.
#[derive(Debug)]
pub struct ReaperMetrics {
    /// 1 while this daemon does.
    pub on: Gauge,
    /// For how long the one that is due the longest has waited for that, in seconds.
    pub lag: Gauge,
}

impl ReaperMetrics {
    fn new(r: &mut Registry) -> Self {
        let lag = "Time for which the session has been due that waits the longest to be ended";
        Self {
            on: add(r, "reaper", "1 while this daemon ends expired sessions"),
            lag: add(r, "reaper_lag_seconds", lag),
        }
    }
}

/// The metrics of `serve`.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    process: ProcessMetrics,
    /// Commands sent to the store.
    pub store_commands: Family<ScriptLabel, Counter>,
    /// How long they took.
    pub store_seconds: Histogram,
    /// Bytes sent.
    pub store_sent: Counter,
    /// Bytes received.
    pub store_received: Counter,
    /// 1 while the store can be used.
    pub store_up: Gauge,
    /// Failed commands and connects.
    pub store_failures: Family<KindLabel, Counter>,
    /// Writes confirmed though too few replicas held them.
    pub store_unreplicated: Counter,
    /// Sessions in the cache.
    pub cached_sessions: Gauge,
    /// Their bytes.
    pub cached_bytes: Gauge,
    /// Commits in the store.
    pub commits: Counter,
    /// Commits that met another one.
    pub conflicts: Counter,
    /// Requests.
    pub requests: Family<CommandLabel, Counter>,
    /// Requests answered with an error.
    pub request_errors: Family<KindLabel, Counter>,
    /// `Async`: what is held and not in the store yet.
    pub queue: QueueMetrics,
    /// Records and snapshots that could not be read.
    pub unreadable: Counter,
    /// Expired sessions that a subscriber was told of, or was not.
    pub expired: Family<KindLabel, Counter>,
    /// The reaper.
    pub reaper: ReaperMetrics,
    /// What the agent says of attributes.
    pub notes: Family<NoteLabel, Counter>,
    /// What was put back into a store that had lost it.
    pub refilled: Family<KindLabel, Counter>,
    /// Sessions that move.
    pub moving: MovingMetrics,
    /// Claims and locks.
    pub claims: ClaimMetrics,
    /// Open connections.
    pub connections: Gauge,
    /// 1 once the pod drains.
    pub draining: Gauge,
}

/// 100 µs to 1.6 s: a store on the same node answers in the first bucket or two.
fn store_seconds() -> Histogram {
    Histogram::new([
        0.0001, 0.0002, 0.0004, 0.0008, 0.0016, 0.0064, 0.0256, 0.1, 0.4, 1.6,
    ])
}

impl Metrics {
    /// All at zero.
    pub fn new() -> Self {
        let mut registry = Registry::default();
        let process = ProcessMetrics::begin(&mut registry);
        let r = registry.sub_registry_with_prefix("sojourn");
        Self {
            store_commands: add(r, "store_commands", "Commands sent to the store, by script"),
            store_seconds: register(
                r,
                "store_seconds",
                "Time of a command to the store",
                store_seconds(),
            ),
            store_sent: add(r, "store_sent_bytes", "Bytes of commands sent to the store"),
            store_received: add(r, "store_received_bytes", "Bytes of the store's answers"),
            store_up: add(r, "store_up", "1 while the store can be used"),
            store_failures: add(r, "store_failures", "Failed commands and connects, by kind"),
            store_unreplicated: add(
                r,
                "store_unreplicated",
                "Writes confirmed though too few replicas held them",
            ),
            cached_sessions: add(r, "cached_sessions", "Sessions in the cache"),
            cached_bytes: add(r, "cached_bytes", "Bytes of the sessions in the cache"),
            commits: add(r, "commits", "Commits that reached the store"),
            conflicts: add(r, "conflicts", "Commits that met another commit"),
            requests: add(r, "requests", "Requests of the agent, by command"),
            request_errors: add(
                r,
                "request_errors",
                "Requests answered with an error, by kind",
            ),
            queue: QueueMetrics::new(r),
            unreadable: add(
                r,
                "unreadable",
                "Records and snapshots that could not be read",
            ),
            expired: add(
                r,
                "expired",
                "Expired sessions, by whether a listener was told",
            ),
            reaper: ReaperMetrics::new(r),
            notes: add(r, "attribute_notes", "Attributes that do not travel well"),
            refilled: add(
                r,
                "refilled",
                "What was put back into a store that had lost it",
            ),
            moving: MovingMetrics::new(r),
            claims: ClaimMetrics::new(r),
            connections: add(r, "connections", "Open connections of the agent"),
            draining: add(r, "draining", "1 once the pod drains"),
            process,
            registry,
        }
    }

    /// In the text format of `OpenMetrics`.
    pub fn text(&self) -> String {
        self.process.look();
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

pub(crate) fn add<M: Metric + Clone + Default + Debug>(
    registry: &mut Registry,
    name: &str,
    help: &str,
) -> M {
    register(registry, name, help, M::default())
}

pub(crate) fn register<M: Metric + Clone + Debug>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    metric: M,
) -> M {
    registry.register(name, help, metric.clone());
    metric
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_every_metric() {
        let readme = include_str!("../README.md");
        let metrics = Metrics::new();
        // A family says nothing of itself before it has a member.
        let script = ScriptLabel { script: "open" };
        let _ = metrics.store_commands.get_or_create(&script);
        let _ = metrics
            .requests
            .get_or_create(&CommandLabel { command: "open" });
        for family in [
            &metrics.store_failures,
            &metrics.request_errors,
            &metrics.expired,
            &metrics.refilled,
        ] {
            let _ = family.get_or_create(&KindLabel { kind: "any" });
        }
        let text = metrics.text();
        let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        for (name, kind) in types.filter_map(|said| said.split_once(' ')) {
            let end = if kind == "counter" { "_total" } else { "" };
            let written = format!("`{name}{end}`");
            assert!(readme.contains(&written), "{written} is not in README.md");
        }
    }
}

//! The edge's metrics.

use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::Event;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::endpoints::{Endpoints, Health};
use crate::metrics::{KindLabel, add, register};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct HealthLabel {
    health: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PhaseLabel {
    phase: &'static str,
}

/// From a file that is written to an application that takes its time.
fn drain_seconds() -> Histogram {
    Histogram::new([
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0,
    ])
}

#[derive(Debug)]
pub(super) struct EdgeMetrics {
    registry: Registry,
    events: Family<KindLabel, Counter>,
    pub(super) watch_errors: Counter,
    pub(super) write_errors: Counter,
    endpoints: Family<HealthLabel, Gauge>,
    pub(super) routes_written: Counter,
    drain_seconds: Family<PhaseLabel, Histogram, fn() -> Histogram>,
}

impl EdgeMetrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("sojourn_edge");
        let r = &mut registry;
        Self {
            events: add(r, "watch_events", "Events of the watch on pods, by kind"),
            watch_errors: add(r, "watch_errors", "Failures of the watches"),
            write_errors: add(
                r,
                "write_errors",
                "Files for Envoy that could not be written",
            ),
            routes_written: add(r, "routes_written", "New routes and limits for Envoy"),
            endpoints: add(r, "endpoints", "Endpoints, by health"),
            drain_seconds: register(
                r,
                "drain_seconds",
                "From the sight of a pod's deletion to each phase of its end",
                Family::new_with_constructor(drain_seconds as fn() -> Histogram),
            ),
            registry,
        }
    }

    pub(super) fn count_event(&self, event: &Event<Pod>) {
        let kind = match event {
            Event::Apply(_) | Event::InitApply(_) => "apply",
            Event::Delete(_) => "delete",
            Event::Init => "list",
            Event::InitDone => "listed",
        };
        self.events.get_or_create(&KindLabel { kind }).inc();
    }

    pub(super) fn count_drain(&self, phase: &'static str, seconds: f64) {
        self.drain_seconds
            .get_or_create(&PhaseLabel { phase })
            .observe(seconds);
    }

    pub(super) fn count_endpoints(&self, endpoints: &Endpoints) {
        for health in [
            Health::Healthy,
            Health::Draining,
            Health::Degraded,
            Health::Unhealthy,
        ] {
            let count = endpoints.values().filter(|known| **known == health).count();
            let label = HealthLabel {
                health: health.name(),
            };
            self.endpoints
                .get_or_create(&label)
                .set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

//! Pods to endpoints, endpoints to Envoy's words. Pure, and held to `endpoints.json` of the protocol's vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde_json::{Value, json};

use crate::config::Drain;

/// As much of a pod as matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the API server's conditions, each on its own"
)]
pub struct PodView {
    /// Its name.
    pub name: String,
    /// Tells it from another pod of that name.
    pub uid: String,
    /// Its address, once it has one.
    pub ip: Option<IpAddr>,
    /// It has ended, well or not, and never comes back.
    pub over: bool,
    /// The condition `Ready`.
    pub ready: bool,
    /// The application's containers are ready and a sidecar is not: the application serves, from its own memory.
    pub alone: bool,
    /// It has a deletion timestamp.
    pub deleting: bool,
}

/// What Envoy may do with an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Health {
    /// No new requests; in `Sticky`, those of sessions that are there. In `Immediate` Envoy is not told of it any more.
    Draining,
    /// Nothing.
    Unhealthy,
    /// What no healthy endpoint can take: the application goes on while its sidecar, or for it alone the store, is away.
    Degraded,
    /// Everything.
    Healthy,
}

impl Health {
    /// Envoy's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "HEALTHY",
            Self::Draining => "DRAINING",
            Self::Degraded => "DEGRADED",
            Self::Unhealthy => "UNHEALTHY",
        }
    }
}

/// Endpoints by address, in the order of the file.
pub type Endpoints = BTreeMap<IpAddr, Health>;

/// The endpoints of pods.
pub fn endpoints<'a>(pods: impl IntoIterator<Item = &'a PodView>, drain: Drain) -> Endpoints {
    let mut endpoints = Endpoints::new();
    for pod in pods {
        let (Some(ip), false) = (pod.ip, pod.over) else {
            continue;
        };
        let health = health(pod, drain);
        // An address is given to a new pod while the old one's object is still there: the better one is the new one.
        let known = endpoints.entry(ip).or_insert(health);
        *known = health.max(*known);
    }
    endpoints
}

fn health(pod: &PodView, drain: Drain) -> Health {
    match (pod.deleting, pod.ready, drain) {
        (false, true, _) => Health::Healthy,
        (false, false, _) if pod.alone => Health::Degraded,
        // A pod that drains keeps sticky sessions, unless it cannot serve them any more.
        (false, false, _) | (true, false, Drain::Sticky) => Health::Unhealthy,
        (true, _, _) => Health::Draining,
    }
}

/// What they are where some pods do not reach the store that others do: those get what no other can take.
pub fn degraded(mut endpoints: Endpoints, without_store: &BTreeSet<IpAddr>) -> Endpoints {
    for (ip, health) in &mut endpoints {
        if *health == Health::Healthy && without_store.contains(ip) {
            *health = Health::Degraded;
        }
    }
    endpoints
}

/// Those that can take requests, if Envoy reaches them.
pub fn serving(endpoints: &Endpoints) -> BTreeSet<IpAddr> {
    let serves = |health: &Health| matches!(health, Health::Healthy | Health::Degraded);
    let serving = endpoints.iter().filter(|(_, health)| serves(health));
    serving.map(|(ip, _)| *ip).collect()
}

/// Whether an endpoint that took requests takes them no more: that cannot wait.
pub fn takes_away(before: &Endpoints, after: &Endpoints) -> bool {
    before.iter().any(|(ip, health)| {
        *health == Health::Healthy && after.get(ip).is_none_or(|now| *now != Health::Healthy)
    })
}

/// In percent. Envoy's own 140 sends requests to degraded endpoints as soon as fewer than 71 % are healthy; ours are for the
/// case that none is.
const OVERPROVISIONING: u32 = 100_000;

/// The endpoint file: a discovery response with one load assignment.
///
/// Users stick to healthy endpoints only. Where there are none the degraded ones serve everybody, and are called healthy. Those whose users
/// leave at once are left out: Envoy keeps no connection to them, by which their agents see that it has heard.
pub fn assignment(endpoints: &Endpoints, cluster: &str, port: u16, drain: Drain) -> Value {
    let none_healthy = endpoints.values().all(|known| *known != Health::Healthy);
    let told = |health| match health {
        Health::Degraded if none_healthy => Health::Healthy,
        other => other,
    };
    let endpoints: Vec<Value> = endpoints
        .iter()
        .filter(|(_, health)| **health != Health::Draining || drain == Drain::Sticky)
        .map(|(ip, health)| {
            let address =
                json!({"socket_address": {"address": ip.to_string(), "port_value": port}});
            json!({"endpoint": {"address": address}, "health_status": told(*health).name()})
        })
        .collect();
    let resources = json!([{
        "@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
        "cluster_name": cluster,
        "endpoints": [{"lb_endpoints": endpoints}],
        "policy": {"overprovisioning_factor": OVERPROVISIONING},
    }]);
    let version = format!("{:08x}", crc32fast::hash(resources.to_string().as_bytes()));
    json!({"version_info": version, "resources": resources})
}

/// How many there are of each health, for the log.
pub fn summary(endpoints: &Endpoints) -> String {
    let count = |health| endpoints.values().filter(|known| **known == health).count();
    format!(
        "{} healthy, {} draining, {} degraded, {} unhealthy",
        count(Health::Healthy),
        count(Health::Draining),
        count(Health::Degraded),
        count(Health::Unhealthy)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::{read, text_of};

    fn pod_of(pod: &Value) -> PodView {
        let phase = text_of(&pod["phase"]);
        PodView {
            name: text_of(&pod["name"]),
            uid: text_of(&pod["uid"]),
            ip: pod["ip"].as_str().map(|ip| ip.parse().unwrap()),
            over: phase == "Succeeded" || phase == "Failed",
            ready: pod["ready"].as_bool().unwrap(),
            alone: pod["alone"].as_bool().unwrap_or_default(),
            deleting: pod["deleting"].as_bool().unwrap(),
        }
    }

    #[test]
    fn pods_have_the_endpoints_of_the_vectors() {
        for vector in read("endpoints.json") {
            let pods: Vec<PodView> = vector["pods"]
                .as_array()
                .unwrap()
                .iter()
                .map(pod_of)
                .collect();
            let drain = if vector["drain"] == "Sticky" {
                Drain::Sticky
            } else {
                Drain::Immediate
            };
            let port = u16::try_from(vector["port"].as_u64().unwrap()).unwrap();
            let endpoints = endpoints(&pods, drain);
            let file = assignment(&endpoints, &text_of(&vector["cluster"]), port, drain);
            assert_eq!(file["resources"], vector["resources"], "{}", vector["name"]);
            let mut backwards = pods.clone();
            backwards.reverse();
            assert_eq!(
                super::endpoints(&backwards, drain),
                endpoints,
                "the order of pods is nothing"
            );
        }
    }

    #[test]
    fn who_has_no_store_takes_what_nobody_else_can() {
        let ip = |n: u8| IpAddr::from([10, 0, 0, n]);
        let before = Endpoints::from([
            (ip(1), Health::Healthy),
            (ip(2), Health::Healthy),
            (ip(3), Health::Draining),
        ]);
        let mut after = before.clone();
        after.insert(ip(2), Health::Degraded);
        assert_eq!(degraded(before, &[ip(2), ip(3), ip(4)].into()), after);
    }

    #[test]
    fn who_drains_or_is_not_ready_serves_nobody_new() {
        let ip = |n: u8| IpAddr::from([10, 0, 0, n]);
        let all = [
            Health::Healthy,
            Health::Degraded,
            Health::Draining,
            Health::Unhealthy,
        ];
        let endpoints = (1..).map(ip).zip(all).collect();
        assert_eq!(serving(&endpoints), [ip(1), ip(2)].into());
    }

    #[test]
    fn what_takes_requests_away_cannot_wait() {
        let ip = |n: u8| IpAddr::from([10, 0, 0, n]);
        let one = |health| Endpoints::from([(ip(1), health)]);
        assert!(takes_away(&one(Health::Healthy), &one(Health::Draining)));
        assert!(takes_away(&one(Health::Healthy), &Endpoints::new()));
        assert!(!takes_away(&one(Health::Healthy), &one(Health::Healthy)));
        assert!(!takes_away(&one(Health::Unhealthy), &one(Health::Healthy)));
        assert!(!takes_away(&Endpoints::new(), &one(Health::Healthy)));
    }
}

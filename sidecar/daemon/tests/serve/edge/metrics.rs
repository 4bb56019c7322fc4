//! What the edge tells of itself.

use super::api_server::{ApiServer, deleting, pod, tell};
use super::{start, until_endpoints};
use crate::harness::{free_port, get, until};

#[test]
fn how_long_a_drain_takes_is_measured() {
    let pods = [("a", "10.0.0.1"), ("b", "10.0.0.2")].map(|(name, ip)| pod(name, ip, true));
    let server = ApiServer::start(pods.to_vec());
    let directory = tempfile::tempdir().unwrap();
    let (directory, http) = (directory.path(), free_port());
    let _edge = start(&server, directory, http);
    until_endpoints(directory, &["10.0.0.1 HEALTHY", "10.0.0.2 HEALTHY"]);
    let mut watcher = server.watcher();
    let [drains, ended] = [true, false].map(|ready| deleting(pod("a", "10.0.0.1", ready)));
    tell(&mut watcher, "MODIFIED", &drains);
    until_endpoints(directory, &["10.0.0.2 HEALTHY"]);
    tell(&mut watcher, "MODIFIED", &ended);
    tell(&mut watcher, "DELETED", &ended);
    let once = |phase| format!("sojourn_edge_drain_seconds_count{{phase=\"{phase}\"}} 1");
    let metrics = until("the pod is gone", || {
        get(http, "/metrics").filter(|metrics| metrics.contains(&once("gone")))
    });
    for phase in ["written", "ended"] {
        assert!(metrics.contains(&once(phase)), "{metrics}");
    }
    assert!(metrics.contains("sojourn_edge_endpoints{health=\"HEALTHY\"} 1"));
}

//! `sojournd edge`: the endpoints that it writes for Envoy.

mod api_server;
mod metrics;
mod reach;
mod routes;
mod stores;

use std::path::Path;

use api_server::{ApiServer, deleting, pod, tell};
use serde_json::{Value, json};

use crate::harness::{Process, free_port, get, sojournd, until};

fn start(server: &ApiServer, directory: &Path, http: u16) -> Process {
    start_with(&["edge"], &[], server, directory, http)
}

fn start_with(
    arguments: &[&str],
    settings: &[(&str, &str)],
    server: &ApiServer,
    directory: &Path,
    http: u16,
) -> Process {
    let kubeconfig = directory.join("kubeconfig");
    let text = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "test", "cluster": {"server": format!("http://127.0.0.1:{}", server.port)}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "users": [{"name": "test", "user": {}}],
    });
    std::fs::write(&kubeconfig, text.to_string()).unwrap();
    let mut command = sojournd();
    command
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        .env("SOJOURN_EDGE_NAMESPACE", "default")
        .env("SOJOURN_EDGE_SELECTOR", "sojourn.dev/cluster=shop")
        .env("SOJOURN_EDGE_PORT", "8080")
        .env("SOJOURN_EDGE_OUT", directory.join("xds/eds.json"))
        .env("SOJOURN_HTTP", format!("127.0.0.1:{http}"))
        .envs(settings.iter().copied())
        .stderr(std::fs::File::create(directory.join("log")).unwrap());
    Process(command.spawn().unwrap())
}

/// The endpoints in the file, as `address health`.
fn endpoints(directory: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(directory.join("xds/eds.json")).ok()?;
    let file: Value = serde_json::from_str(&text).expect("never half a file");
    let assignment = &file["resources"][0];
    assert_eq!(assignment["cluster_name"], "app");
    let endpoints = assignment["endpoints"][0]["lb_endpoints"]
        .as_array()
        .unwrap()
        .iter();
    let one = |endpoint: &Value| {
        let address = &endpoint["endpoint"]["address"]["socket_address"];
        assert_eq!(address["port_value"], 8080);
        format!(
            "{} {}",
            address["address"].as_str().unwrap(),
            endpoint["health_status"].as_str().unwrap()
        )
    };
    Some(endpoints.map(one).collect())
}

fn until_endpoints(directory: &Path, expected: &[&str]) {
    until(&format!("{expected:?}"), || {
        (endpoints(directory)? == expected).then_some(())
    });
}

#[test]
fn pods_come_drain_and_go() {
    let server = ApiServer::start(vec![
        pod("a", "10.0.0.1", true),
        pod("b", "10.0.0.2", false),
    ]);
    let directory = tempfile::tempdir().unwrap();
    let (directory, http) = (directory.path(), free_port());
    let _edge = start(&server, directory, http);
    until_endpoints(directory, &["10.0.0.1 HEALTHY", "10.0.0.2 UNHEALTHY"]);
    until("readiness", || {
        get(http, "/readyz")?
            .starts_with("the first list")
            .then_some(())
    });
    let mut watcher = server.watcher();
    tell(&mut watcher, "MODIFIED", &pod("b", "10.0.0.2", true));
    until_endpoints(directory, &["10.0.0.1 HEALTHY", "10.0.0.2 HEALTHY"]);
    tell(
        &mut watcher,
        "MODIFIED",
        &deleting(pod("a", "10.0.0.1", true)),
    );
    until_endpoints(directory, &["10.0.0.2 HEALTHY"]);
    tell(
        &mut watcher,
        "MODIFIED",
        &deleting(pod("a", "10.0.0.1", false)),
    );
    tell(
        &mut watcher,
        "DELETED",
        &deleting(pod("a", "10.0.0.1", false)),
    );
    until_endpoints(directory, &["10.0.0.2 HEALTHY"]);
}

#[test]
fn a_watch_that_breaks_takes_nothing_away_and_goes_on() {
    let server = ApiServer::start(vec![pod("a", "10.0.0.1", true)]);
    let directory = tempfile::tempdir().unwrap();
    let (directory, http) = (directory.path(), free_port());
    let _edge = start(&server, directory, http);
    until_endpoints(directory, &["10.0.0.1 HEALTHY"]);
    let mut watcher = server.watcher();
    // Too old a version: the edge has to list again, and sees what it missed.
    server.pods.lock().unwrap().push(pod("b", "10.0.0.2", true));
    let gone = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Expired", "code": 410, "message": "too old"});
    tell(&mut watcher, "ERROR", &gone);
    drop(watcher);
    until_endpoints(directory, &["10.0.0.1 HEALTHY", "10.0.0.2 HEALTHY"]);
    let mut watcher = server.watcher();
    tell(
        &mut watcher,
        "MODIFIED",
        &deleting(pod("b", "10.0.0.2", true)),
    );
    until_endpoints(directory, &["10.0.0.1 HEALTHY"]);
}

#[test]
fn without_an_api_server_the_file_that_is_there_stays() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let nobody = ApiServer::away();
    let http = free_port();
    let edge = start(&nobody, directory, http);
    until_endpoints(directory, &[]);
    assert!(until("the page", || get(http, "/readyz")).starts_with("waiting"));
    until("an error", || {
        (!get(http, "/metrics")?.contains("sojourn_edge_watch_errors_total 0")).then_some(())
    });
    drop(edge);
    let old = std::fs::read_to_string(directory.join("xds/eds.json"))
        .unwrap()
        .replace("[]", "[ ]");
    std::fs::write(directory.join("xds/eds.json"), &old).unwrap();
    let _edge = start(&nobody, directory, http);
    until("an error", || {
        (!get(http, "/metrics")?.contains("sojourn_edge_watch_errors_total 0")).then_some(())
    });
    assert_eq!(
        std::fs::read_to_string(directory.join("xds/eds.json")).unwrap(),
        old
    );
}

#[test]
fn once_it_ends_when_envoy_can_start() {
    let server = ApiServer::start(vec![pod("a", "10.0.0.1", true)]);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let once = |server: &ApiServer| {
        let mut edge = start_with(&["edge", "--once"], &[], server, directory, free_port());
        assert!(edge.0.wait().unwrap().success());
    };
    once(&server);
    assert_eq!(endpoints(directory).unwrap(), ["10.0.0.1 HEALTHY"]);
    // A pod that starts over while the API server is away: what was known before is better than nothing.
    let nobody = ApiServer::away();
    once(&nobody);
    assert_eq!(endpoints(directory).unwrap(), ["10.0.0.1 HEALTHY"]);
}

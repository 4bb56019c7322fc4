//! Envoy's routes, which the edge brings along.

use serde_json::{Value, json};

use super::api_server::{ApiServer, pod, tell};
use super::start_with;
use crate::harness::{free_port, get, until};

fn routes(text: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "shop-proxy", "namespace": "default", "resourceVersion": "7"},
        "data": {"rds.yaml": text},
    })
}

#[test]
fn routes_begin_with_the_mount_and_come_over_the_watch() {
    let server = ApiServer::start(vec![pod("a", "10.0.0.1", true)]);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mounted = directory.join("mounted.yaml");
    std::fs::write(&mounted, "mounted").unwrap();
    let of_map = [
        ("SOJOURN_EDGE_CONFIG_MAP", "shop-proxy"),
        ("SOJOURN_EDGE_ROUTES", mounted.to_str().unwrap()),
    ];
    let http = free_port();
    let _edge = start_with(&["edge"], &of_map, &server, directory, http);
    let until_routes = |expected: &str| {
        until(expected, || {
            let text = std::fs::read_to_string(directory.join("xds/rds.yaml")).ok()?;
            (text == expected).then_some(())
        });
    };
    until_routes("mounted");
    let mut watcher = server.map_watcher();
    tell(&mut watcher, "ADDED", &routes("limited"));
    until_routes("limited");
    // Something is where the draft of the file would be.
    let in_the_way = directory.join("xds/.rds.yaml.tmp");
    std::fs::create_dir(&in_the_way).unwrap();
    tell(&mut watcher, "MODIFIED", &routes("limited again"));
    until("it not to be written", || {
        let page = get(http, "/metrics")?;
        let failed = page
            .lines()
            .find(|line| line.starts_with("sojourn_edge_write_errors_total"))?;
        (!failed.ends_with(" 0")).then_some(())
    });
    std::fs::remove_dir(&in_the_way).unwrap();
    until_routes("limited again");
}

//! Whether Envoy reaches the application, and an edge that says so.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::api_server::{ApiServer, pod, tell};
use super::{start_with, until_endpoints};
use crate::harness::{Process, free_port, get, until};

/// Answers each request by its path and host.
fn answers(
    address: &str,
    answer: impl Fn(&str, &str) -> (&'static str, String) + Send + 'static,
) -> u16 {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream: TcpStream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            // Who gave up before anybody came to it has asked nothing, and is no reason to answer nobody else.
            let Some(first) = head.first() else {
                continue;
            };
            let path = first.split(' ').nth(1).unwrap_or_default();
            let host = head.iter().find_map(|line| line.strip_prefix("host: "));
            let (status, text) = answer(path, host.unwrap_or_default());
            let length = text.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{text}"
            );
        }
    });
    port
}

/// An Envoy whose checks have succeeded so often.
fn envoy(successes: &Arc<AtomicU32>) -> String {
    let successes = Arc::clone(successes);
    let port = answers("127.0.0.1", move |path, _| {
        assert_eq!(path, "/stats?filter=health_check.success");
        let count = successes.load(Ordering::Relaxed);
        let text = format!(
            "cluster.admin.health_check.success: 9\ncluster.app.health_check.success: {count}\n"
        );
        ("200 OK", text)
    });
    format!("127.0.0.1:{port}")
}

/// Before an application at 127.0.0.1 that knows no path, and no host but where it is.
fn edge(server: &ApiServer, admin: &str, directory: &Path, http: u16) -> Process {
    let port = answers("127.0.0.1", |_, host| {
        let status = match host {
            "app" => "404 Not Found",
            _ => "200 OK",
        };
        (status, String::new())
    });
    let settings = [
        ("SOJOURN_EDGE_ADMIN", admin),
        ("SOJOURN_EDGE_HEALTH_CHECK_PATH", "/wrong"),
        ("SOJOURN_EDGE_PORT", &port.to_string()),
    ];
    start_with(&["edge"], &settings, server, directory, http)
}

fn until_ready_says(http: u16, text: &str) {
    until(text, || get(http, "/readyz")?.contains(text).then_some(()));
}

#[test]
fn an_envoy_that_finds_no_ready_pod_well_is_not_ready_until_it_has_found_one() {
    let server = ApiServer::start(vec![pod("a", "127.0.0.1", true)]);
    let directory = tempfile::tempdir().unwrap();
    let (directory, http) = (directory.path(), free_port());
    let successes = Arc::default();
    let admin = envoy(&successes);
    let _edge = edge(&server, &admin, directory, http);
    until_ready_says(http, "found none of them well: 127.0.0.1:");
    until_ready_says(http, "answers 404 Not Found to GET /wrong with host app");
    successes.store(1, Ordering::Relaxed);
    until_ready_says(http, "found a pod that is well");
    // For good: an Envoy that is in its Service stays there.
    successes.store(0, Ordering::Relaxed);
    let mut watcher = server.watcher();
    tell(&mut watcher, "MODIFIED", &pod("b", "127.0.0.2", true));
    until("the other pod", || {
        let text = std::fs::read_to_string(directory.join("xds/eds.json")).ok()?;
        text.contains("127.0.0.2").then_some(())
    });
    assert!(
        get(http, "/readyz")
            .unwrap()
            .contains("found a pod that is well")
    );
}

#[test]
fn where_no_pod_is_ready_an_envoy_waits_for_none() {
    let server = ApiServer::start(vec![pod("a", "127.0.0.1", false)]);
    let directory = tempfile::tempdir().unwrap();
    let (directory, http) = (directory.path(), free_port());
    let admin = envoy(&Arc::default());
    let _edge = edge(&server, &admin, directory, http);
    until_ready_says(http, "no pod is ready");
    let mut watcher = server.watcher();
    tell(&mut watcher, "MODIFIED", &pod("a", "127.0.0.1", true));
    until_ready_says(http, "answers 404 Not Found to GET /wrong with host app");
}

#[test]
fn an_edge_that_starts_over_asks_its_envoy_what_was_before() {
    let directory = tempfile::tempdir().unwrap();
    let (directory, http) = (directory.path(), free_port());
    let successes = Arc::new(AtomicU32::new(7));
    let admin = envoy(&successes);
    let _edge = edge(&ApiServer::away(), &admin, directory, http);
    until_endpoints(directory, &[]);
    until_ready_says(http, "found a pod that is well");
}

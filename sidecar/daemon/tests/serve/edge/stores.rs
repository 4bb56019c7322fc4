//! Pods that lack the store which others have.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use super::api_server::{ApiServer, pod};
use super::{start_with, until_endpoints};
use crate::harness::free_port;

/// A sidecar at this address that says of its store what is in the text.
fn sidecar(address: &str, port: u16, health: &Arc<Mutex<&'static str>>) {
    let listener = TcpListener::bind((address, port)).unwrap();
    let health = Arc::clone(health);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                continue;
            }
            let text = *health.lock().unwrap();
            let known = line.starts_with("GET /storez ");
            let status = if known { "200 OK" } else { "404 Not Found" };
            let length = text.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{text}");
            let _ = stream.write_all(head.as_bytes());
        }
    });
}

#[test]
fn a_pod_without_the_store_that_others_have_gets_what_they_cannot_take() {
    const UP: &str = r#"{"state":"up"}"#;
    const DOWN: &str = r#"{"state":"down","seconds":5,"kind":"timeout"}"#;
    let (a, b, old) = ("127.0.0.11", "127.0.0.12", "127.0.0.13");
    let port = free_port();
    let (of_a, of_b) = (Arc::new(Mutex::new(UP)), Arc::new(Mutex::new(DOWN)));
    sidecar(a, port, &of_a);
    sidecar(b, port, &of_b);
    let pods = [a, b, old].map(|ip| pod(ip, ip, true));
    let server = ApiServer::start(pods.to_vec());
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let settings = [("SOJOURN_EDGE_SIDECAR_PORT", port.to_string())];
    let settings = settings
        .each_ref()
        .map(|(key, value)| (*key, value.as_str()));
    let _edge = start_with(&["edge"], &settings, &server, directory, free_port());
    let healths = |of_a: &str, of_b: &str| {
        let lines = [
            format!("{a} {of_a}"),
            format!("{b} {of_b}"),
            format!("{old} HEALTHY"),
        ];
        until_endpoints(directory, &lines.each_ref().map(String::as_str));
    };
    healths("HEALTHY", "DEGRADED");
    // Nobody has it: all are alike.
    *of_a.lock().unwrap() = DOWN;
    healths("HEALTHY", "HEALTHY");
    *of_b.lock().unwrap() = UP;
    healths("DEGRADED", "HEALTHY");
    *of_a.lock().unwrap() = UP;
    healths("HEALTHY", "HEALTHY");
}

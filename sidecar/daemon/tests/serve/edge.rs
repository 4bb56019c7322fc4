//! `sojournd edge` against an API server that is a few lines of test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Process, free_port, get, sojournd, until};

/// Lists `pods` and then sends what it is given to whoever watches.
struct ApiServer {
    port: u16,
    watchers: Receiver<TcpStream>,
    map_watchers: Receiver<TcpStream>,
    pods: Arc<Mutex<Vec<Value>>>,
}

fn pod(name: &str, ip: &str, ready: bool) -> Value {
    let ready = if ready { "True" } else { "False" };
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": name, "resourceVersion": "7"},
        "status": {"podIP": ip, "phase": "Running", "conditions": [{"type": "Ready", "status": ready}]},
    })
}

fn deleting(mut pod: Value) -> Value {
    pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    pod
}

impl ApiServer {
    fn start(pods: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (pod_sender, watchers) = channel();
        let (map_sender, map_watchers) = channel();
        let pods = Arc::new(Mutex::new(pods));
        let listed = Arc::clone(&pods);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let senders = [pod_sender.clone(), map_sender.clone()];
                let pods = Arc::clone(&listed);
                std::thread::spawn(move || answer(stream.unwrap(), &pods, &senders));
            }
        });
        Self {
            port,
            watchers,
            map_watchers,
            pods,
        }
    }

    fn watcher(&self) -> TcpStream {
        self.watchers
            .recv_timeout(std::time::Duration::from_secs(20))
            .expect("a watch")
    }
}

fn answer(stream: TcpStream, pods: &Mutex<Vec<Value>>, watchers: &[Sender<TcpStream>; 2]) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap_or(0) > 2 {
            line.clear();
        }
        let maps = request.starts_with("GET /api/v1/namespaces/default/configmaps?");
        let (path, selector) = if maps {
            ("configmaps", "fieldSelector=metadata.name%3Dshop-proxy")
        } else {
            ("pods", "labelSelector=sojourn.dev%2Fcluster%3Dshop")
        };
        assert!(
            request.starts_with(&format!("GET /api/v1/namespaces/default/{path}?")),
            "{request}"
        );
        assert!(request.contains(selector), "{request}");
        if request.contains("watch=true") {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
            let _ = watchers[usize::from(maps)].send(stream);
            return;
        }
        let items = if maps {
            Vec::new()
        } else {
            pods.lock().unwrap().clone()
        };
        let kind = if maps { "ConfigMapList" } else { "PodList" };
        let body = json!({"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": items});
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
    }
}

fn tell(watcher: &mut TcpStream, kind: &str, pod: &Value) {
    let event = format!("{}\n", json!({"type": kind, "object": pod}));
    write!(watcher, "{:x}\r\n{event}\r\n", event.len()).unwrap();
}

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
        .envs(settings.iter().copied())
        .env("KUBECONFIG", kubeconfig)
        .env("SOJOURN_EDGE_NAMESPACE", "default")
        .env("SOJOURN_EDGE_SELECTOR", "sojourn.dev/cluster=shop")
        .env("SOJOURN_EDGE_PORT", "8080")
        .env("SOJOURN_EDGE_OUT", directory.join("xds/eds.json"))
        .env("SOJOURN_HTTP", format!("127.0.0.1:{http}"))
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
    until_endpoints(directory, &["10.0.0.1 DRAINING", "10.0.0.2 HEALTHY"]);
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
    let metrics = get(http, "/metrics").unwrap();
    assert!(
        ["written", "ended", "gone"].iter().all(|phase| {
            metrics.contains(&format!(
                "sojourn_edge_drain_seconds_count{{phase=\"{phase}\"}} 1"
            ))
        }),
        "{metrics}"
    );
    assert!(metrics.contains("sojourn_edge_endpoints{health=\"HEALTHY\"} 1"));
    eprintln!(
        "{}",
        metrics
            .lines()
            .filter(|line| line.contains("drain_seconds_sum"))
            .collect::<String>()
    );
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
    until_endpoints(directory, &["10.0.0.1 HEALTHY", "10.0.0.2 DRAINING"]);
}

#[test]
fn without_an_api_server_the_file_that_is_there_stays() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let nobody = ApiServer {
        port: free_port(),
        watchers: channel().1,
        map_watchers: channel().1,
        pods: Arc::default(),
    };
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
    let patience = std::time::Duration::from_secs(20);
    let mut watcher = server.map_watchers.recv_timeout(patience).expect("a watch");
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
    let nobody = ApiServer {
        port: free_port(),
        watchers: channel().1,
        map_watchers: channel().1,
        pods: Arc::default(),
    };
    once(&nobody);
    assert_eq!(endpoints(directory).unwrap(), ["10.0.0.1 HEALTHY"]);
}

/// A sidecar at this address that says of its store what is in the text.
fn sidecar(address: &str, port: u16, health: &Arc<Mutex<&'static str>>) {
    let listener = TcpListener::bind((address, port)).unwrap();
    let health = Arc::clone(health);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            BufReader::new(stream.try_clone().unwrap())
                .read_line(&mut line)
                .unwrap();
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

//! An API server that is a few lines of test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::free_port;

/// Lists `pods` and then sends what it is given to whoever watches.
pub struct ApiServer {
    pub port: u16,
    watchers: Receiver<TcpStream>,
    map_watchers: Receiver<TcpStream>,
    pub pods: Arc<Mutex<Vec<Value>>>,
}

pub fn pod(name: &str, ip: &str, ready: bool) -> Value {
    let ready = if ready { "True" } else { "False" };
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": name, "resourceVersion": "7"},
        "status": {"podIP": ip, "phase": "Running", "conditions": [{"type": "Ready", "status": ready}]},
    })
}

pub fn deleting(mut pod: Value) -> Value {
    pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    pod
}

impl ApiServer {
    pub fn start(pods: Vec<Value>) -> Self {
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

    /// Nobody answers there.
    pub fn away() -> Self {
        Self {
            port: free_port(),
            watchers: channel().1,
            map_watchers: channel().1,
            pods: Arc::default(),
        }
    }

    /// Who watches the pods.
    pub fn watcher(&self) -> TcpStream {
        next(&self.watchers)
    }

    /// Who watches the `ConfigMap`.
    pub fn map_watcher(&self) -> TcpStream {
        next(&self.map_watchers)
    }
}

fn next(watchers: &Receiver<TcpStream>) -> TcpStream {
    let patience = Duration::from_secs(20);
    watchers.recv_timeout(patience).expect("a watch")
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

pub fn tell(watcher: &mut TcpStream, kind: &str, pod: &Value) {
    let event = format!("{}\n", json!({"type": kind, "object": pod}));
    write!(watcher, "{:x}\r\n{event}\r\n", event.len()).unwrap();
}

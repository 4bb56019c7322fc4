//! From the start to the end of the process.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use crate::harness::{Client, Daemon, Process, Store, free_port, get, sojournd, until};

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let output = sojournd()
        .arg("serve")
        .env("SOJOURN_MODE", "Fast")
        .env("SOJOURN_TCP", "0.0.0.0:1")
        .env("SOJOURN_LOG", "loud")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(64));
    let text = String::from_utf8(output.stderr).unwrap();
    for key in [
        "SOJOURN_CLUSTER",
        "SOJOURN_STORE_URL",
        "SOJOURN_MODE",
        "SOJOURN_TCP",
        "SOJOURN_LOG",
    ] {
        assert_eq!(text.matches(key).count(), 1, "{key} in\n{text}");
    }
    assert_eq!(
        sojournd().arg("fly").output().unwrap().status.code(),
        Some(64)
    );
    assert_eq!(
        sojournd().arg("--help").output().unwrap().status.code(),
        Some(0)
    );
}

#[test]
fn a_variable_that_is_no_setting_is_told_of_without_its_value() {
    let settings = [("SOJOURN_STORE_PASS", "hunter2")];
    let daemon = Daemon::with("redis://127.0.0.1:1", &settings);
    let log = daemon.log();
    assert!(log.contains("SOJOURN_STORE_PASS is set"), "{log}");
    assert!(!log.contains("hunter2"), "{log}");
}

#[test]
fn a_file_configures_too() {
    let store = Store::start();
    let directory = tempfile::tempdir().unwrap();
    let (file, http) = (directory.path().join("sojourn.toml"), free_port());
    let socket = directory.path().join("run/s.sock");
    let text = format!(
        "cluster = 'vm.shop'\nsocket = '{}'\nhttp = '127.0.0.1:{http}'\n[store]\nurl = '{}'\n",
        socket.display(),
        store.url()
    );
    std::fs::write(&file, text).unwrap();
    let mut command = sojournd();
    command
        .args(["serve", "--config"])
        .arg(&file)
        .stderr(std::process::Stdio::null());
    let _daemon = Process(command.spawn().unwrap());
    until("the store", || {
        get(http, "/readyz")?.contains("store=up").then_some(())
    });
    assert_eq!(Client::unix(&socket).commit("s", 0, "SET a 1").version(), 1);
}

#[test]
fn it_listens_in_no_time_and_takes_little() {
    let started = Instant::now();
    let daemon = Daemon::with("redis://127.0.0.1:1", &[]);
    until("the page", || {
        daemon
            .page("/readyz")
            .starts_with("listening")
            .then_some(())
    });
    let listens = started.elapsed();
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", daemon.process.0.id())).unwrap();
    let rss = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    eprintln!("listens after {listens:?}, {rss}");
    assert_eq!(daemon.page("/livez"), "alive\n");
    let answers = |path: &str| probe(&daemon.address(path));
    assert_eq!((answers("/livez"), answers("/nothing")), (Some(0), Some(1)));
}

#[test]
fn the_pod_has_no_requests_before_its_store_was_there_once() {
    let mut store = Store::start();
    store.kill();
    let daemon = Daemon::with(&store.url(), &[]);
    daemon.until_store("down");
    assert_eq!(probe(&daemon.address("/readyz")), Some(1));
    store.run();
    until_ready(&daemon);
    store.kill();
    daemon.until_store("down");
    assert_eq!(probe(&daemon.address("/readyz")), Some(0));
}

fn probe(url: &str) -> Option<i32> {
    let mut command = sojournd();
    command
        .args(["probe", url])
        .stderr(std::process::Stdio::null());
    command.status().unwrap().code()
}

#[test]
fn where_ipv6_comes_first_both_families_are_answered() {
    let http = free_port();
    let everywhere = format!("[::]:{http}");
    let _daemon = Daemon::with("redis://127.0.0.1:1", &[("SOJOURN_HTTP", &everywhere)]);
    for host in ["[::1]", "127.0.0.1"] {
        until(host, || {
            (probe(&format!("http://{host}:{http}/livez")) == Some(0)).then_some(())
        });
    }
}

#[test]
fn a_socket_left_behind_is_replaced_and_one_in_use_is_not() {
    let store = Store::start();
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("left.sock");
    drop(UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    let setting = [("SOJOURN_SOCKET", socket.to_str().unwrap())];
    let mut command = sojournd();
    command
        .arg("serve")
        .env("SOJOURN_CLUSTER", "c")
        .env("SOJOURN_STORE_URL", store.url());
    command
        .env("SOJOURN_HTTP", "127.0.0.1:0")
        .envs(setting)
        .stderr(std::process::Stdio::null());
    let mut daemon = Process(command.spawn().unwrap());
    assert_eq!(Client::unix(&socket).say("PING").text(), "PONG");
    assert_eq!(
        std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777,
        0o666
    );
    let second = command
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&second.stderr).contains("in use"));
    assert_eq!(Client::unix(&socket).say("PING").text(), "PONG");
    daemon.signal("TERM");
    assert_eq!(daemon.exit_code(), Some(0));
    assert!(!socket.exists());
}

#[test]
fn the_agent_is_in_place_before_the_socket_is() {
    let directory = tempfile::tempdir().unwrap();
    let jar = directory.path().join("image.jar");
    std::fs::write(&jar, "jar").unwrap();
    let to = directory.path().join("agent");
    let settings = [
        ("SOJOURN_AGENT_JAR", jar.to_str().unwrap()),
        ("SOJOURN_INSTALL_AGENT", to.to_str().unwrap()),
    ];
    let daemon = Daemon::with("redis://127.0.0.1:1", &settings);
    assert_eq!(
        std::fs::read_to_string(to.join("sojourn-agent.jar")).unwrap(),
        "jar"
    );
    let properties = std::fs::read_to_string(to.join("sojourn-agent.properties")).unwrap();
    assert_eq!(
        properties,
        format!("socket={}\n", daemon.socket().display())
    );
    let again = directory.path().join("again");
    let mut install = sojournd();
    install
        .arg("install")
        .arg(&again)
        .env("SOJOURN_AGENT_JAR", &jar)
        .env("SOJOURN_SOCKET", "/x/s.sock");
    assert!(install.status().unwrap().success());
    assert_eq!(
        std::fs::read_to_string(again.join("sojourn-agent.properties")).unwrap(),
        "socket=/x/s.sock\n"
    );
}

#[test]
fn an_old_jvm_is_told_the_way_and_the_token() {
    let directory = tempfile::tempdir().unwrap();
    let jar = directory.path().join("image.jar");
    std::fs::write(&jar, "jar").unwrap();
    let to = directory.path().join("agent");
    let elsewhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free_port();
    let properties = |address: &str| {
        let settings = [
            ("SOJOURN_AGENT_JAR", jar.to_str().unwrap()),
            ("SOJOURN_INSTALL_AGENT", to.to_str().unwrap()),
            ("SOJOURN_TCP", address),
        ];
        let daemon = Daemon::with("redis://127.0.0.1:1", &settings);
        let properties = std::fs::read_to_string(to.join("sojourn-agent.properties")).unwrap();
        (daemon, properties)
    };

    let (daemon, theirs) = properties(&elsewhere.local_addr().unwrap().to_string());
    assert!(!theirs.contains("tcp="), "another one's port: {theirs}");
    drop(daemon);

    let address = format!("127.0.0.1:{port}");
    let (daemon, ours) = properties(&address);
    let token = to.join("token");
    let way = format!("tcp={address}\ntokenFile={}\n", token.display());
    assert!(ours.ends_with(&way), "{ours}");
    let mut client = Client::tcp(port);
    assert!(client.say("PING").text().starts_with("NOAUTH"));
    let drawn = std::fs::read_to_string(&token).unwrap();
    assert_eq!(client.say(&format!("AUTH {drawn}")).text(), "OK");
    assert_eq!(daemon.client().say("PING").text(), "PONG");
}

#[test]
fn a_request_that_has_arrived_is_answered_before_the_end() {
    let store = Store::start();
    let mut daemon = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "20s")]);
    let mut client = daemon.client();
    client.commit("s", 0, "SET a 1");
    store.signal("STOP");
    let waiting = std::thread::spawn(move || client.commit("s", 1, "SET a 2").version());
    until("the request", || {
        (daemon.metric("sojourn_requests_total", "commit") == 2).then_some(())
    });
    daemon.process.signal("TERM");
    until("the end to begin", || {
        (daemon.metric("sojourn_draining", "") == 1).then_some(())
    });
    store.signal("CONT");
    assert_eq!(waiting.join().unwrap(), 2);
    assert_eq!(daemon.process.exit_code(), Some(0));
}

/// An application that starts now would find no session there, whatever connections there are.
#[test]
fn the_pod_has_no_requests_before_a_session_could_reach_its_store() {
    let store = Store::start();
    let nobody = free_port();
    store.client().say(&format!("REPLICAOF 127.0.0.1 {nobody}"));
    let daemon = Daemon::with(&store.url(), &[]);
    until("a connection", || {
        daemon.page("/storez").contains("read-only").then_some(())
    });
    assert_eq!(probe(&daemon.address("/readyz")), Some(1));
    store.client().say("REPLICAOF NO ONE");
    until_ready(&daemon);
}

/// What it has refused is spoken of for longer than that.
#[test]
fn the_pod_has_requests_as_soon_as_its_store_does_not_refuse_any_more() {
    let store = Store::start();
    store.client().say("CONFIG SET min-replicas-to-write 1");
    let daemon = Daemon::with(&store.url(), &[("SOJOURN_STORE_PATIENCE", "500ms")]);
    until("the refusal", || {
        daemon.page("/storez").contains("refusing").then_some(())
    });
    assert_eq!(probe(&daemon.address("/readyz")), Some(1));
    store.client().say("CONFIG SET min-replicas-to-write 0");
    until_ready(&daemon);
}

fn until_ready(daemon: &Daemon) {
    until("readiness", || {
        (probe(&daemon.address("/readyz")) == Some(0)).then_some(())
    });
}

/// What scrapes it may be gone without a word, and anybody in the network may connect.
#[test]
fn who_connects_and_asks_for_no_page_is_left() {
    let daemon = Daemon::with("redis://127.0.0.1:1", &[]);
    until("the page", || get(daemon.http, "/livez"));
    let mut silent = TcpStream::connect(("127.0.0.1", daemon.http)).unwrap();
    let mut asks_once = TcpStream::connect(("127.0.0.1", daemon.http)).unwrap();
    asks_once
        .write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    for connection in [&mut silent, &mut asks_once] {
        connection
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("its end");
    }
}

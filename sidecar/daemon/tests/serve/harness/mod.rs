//! A real store, real daemons, and clients that speak the protocol. Whatever is started here is killed when it is dropped.

mod client;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

#[allow(
    unused_imports,
    reason = "not every suite speaks on the wire by itself"
)]
pub use client::{Client, Reply, wire};

/// However long one look takes: where all stood still nobody had the time to come to it.
const LOOK: Duration = Duration::from_millis(500);

/// Polls a condition; a test never sleeps and hopes.
pub fn until<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    until_within(Duration::from_secs(20), what, condition)
}

/// The same, of what may take longer.
pub fn until_within<T>(longest: Duration, what: &str, condition: impl FnMut() -> Option<T>) -> T {
    within(longest, condition).unwrap_or_else(|| panic!("waited in vain: {what}"))
}

/// The same, of what need not come.
pub fn within<T>(longest: Duration, mut condition: impl FnMut() -> Option<T>) -> Option<T> {
    let (mut left, mut at) = (longest, Instant::now());
    loop {
        let value = condition();
        left = left.saturating_sub(at.elapsed().min(LOOK));
        if value.is_some() || left.is_zero() {
            return value;
        }
        at = Instant::now();
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Asks until the store answers in time, which it need not do for a patience that is short while the daemon only just connects to it.
pub fn surely(mut ask: impl FnMut() -> Reply) -> Reply {
    until("an answer", || {
        Some(ask()).filter(|reply| !matches!(reply, Reply::Error(_)))
    })
}

/// A port that nobody listens on, and that no other test is given: below those that the kernel gives to whoever connects.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 10_000).unwrap();
    loop {
        let port = 20_000 + (start + NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A process that ends with its owner.
pub struct Process(pub Child);

impl Process {
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.0.id().to_string())
            .status();
        assert!(status.unwrap().success());
    }

    pub fn exit_code(&mut self) -> Option<i32> {
        until("the process to end", || self.0.try_wait().unwrap()).code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A real store on loopback.
pub struct Store {
    pub port: u16,
    pub directory: TempDir,
    arguments: Vec<String>,
    process: Option<Process>,
}

impl Store {
    pub fn start() -> Self {
        Self::with(&[])
    }

    pub fn with(arguments: &[&str]) -> Self {
        let arguments = arguments
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect();
        let mut store = Self {
            port: free_port(),
            directory: tempfile::tempdir().unwrap(),
            arguments,
            process: None,
        };
        store.run();
        store
    }

    pub fn run(&mut self) {
        let server = ["valkey-server", "redis-server"]
            .into_iter()
            .find(|name| {
                Command::new(name)
                    .arg("--version")
                    .stdout(Stdio::null())
                    .status()
                    .is_ok()
            })
            .expect("valkey-server or redis-server on the PATH");
        let port = self.port.to_string();
        let directory = self.directory.path().display().to_string();
        let mut command = Command::new(server);
        command.args(["--port", &port, "--bind", "127.0.0.1", "--dir", &directory]);
        // What is killed comes back as it was: every acknowledged write the system has. One that waits for a disk stands still for longer than daemons trust
        // their claims.
        command.args(["--save", "", "--appendonly", "yes", "--appendfsync", "no"]);
        command.args(&self.arguments).stdout(Stdio::null());
        self.process = Some(Process(command.spawn().unwrap()));
        let mut client = Client::tcp(self.port);
        // Whoever has a password set answers NOAUTH, and runs.
        until("the store", || {
            let reply = client.say("PING").text();
            (reply == "PONG" || reply.starts_with("NOAUTH")).then_some(())
        });
    }

    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Everything that it has written so far, for a store that takes its place: a replica that lags.
    pub fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        let from = self.directory.path().join("appendonlydir");
        let to = copy.path().join("appendonlydir");
        std::fs::create_dir(&to).unwrap();
        for file in std::fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
        copy
    }

    /// Dies, and an older copy comes up in its place.
    pub fn fail_over(&mut self, copy: TempDir) {
        self.kill();
        self.directory = copy;
        self.run();
    }

    /// Dies, and comes back empty.
    pub fn lose_everything(&mut self) {
        self.fail_over(tempfile::tempdir().unwrap());
    }

    pub fn signal(&self, name: &str) {
        self.process.as_ref().unwrap().signal(name);
    }

    pub fn client(&self) -> Client {
        Client::tcp(self.port)
    }

    pub fn keys(&self) -> Vec<String> {
        self.client()
            .say("KEYS *")
            .items()
            .iter()
            .map(Reply::text)
            .collect()
    }

    /// The keys of sessions and tombstones.
    pub fn sessions(&self) -> Vec<String> {
        let mut keys = self.keys();
        keys.retain(|key| key.rsplit(':').next().unwrap().len() == 40);
        keys
    }

    pub fn assert_every_key_has_a_ttl(&self) {
        for key in self.keys() {
            let ttl = self.client().call(&[b"PTTL", key.as_bytes()]).int();
            // -2: gone since it was listed.
            assert!(
                ttl == -2 || (0..=30 * 86_400_000).contains(&ttl),
                "{key} has TTL {ttl}"
            );
        }
    }

    /// How many bytes it was sent in all, by whomever.
    pub fn received_bytes(&self) -> i64 {
        let info = self.client().say("INFO stats").text();
        let mut lines = info.lines();
        let bytes = lines.find_map(|line| line.strip_prefix("total_net_input_bytes:"));
        bytes.unwrap().trim().parse().unwrap()
    }

    /// How many scripts ran.
    pub fn scripts_run(&self) -> i64 {
        let info = self.client().say("INFO commandstats").text();
        let calls = |name: &str| {
            let line = info
                .lines()
                .find(|line| line.starts_with(&format!("cmdstat_{name}:calls=")));
            let calls = line.and_then(|line| line.split(['=', ',']).nth(1)?.parse::<i64>().ok());
            calls.unwrap_or(0)
        };
        calls("evalsha") + calls("eval")
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

/// The binary under test.
pub fn sojournd() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sojournd"));
    command.env_clear();
    command
}

/// A daemon of its own directory.
pub struct Daemon {
    pub process: Process,
    pub directory: TempDir,
    pub http: u16,
}

impl Daemon {
    pub fn of(store: &Store) -> Self {
        Self::with(&store.url(), &[])
    }

    pub fn with(url: &str, settings: &[(&str, &str)]) -> Self {
        Self::run(sojournd(), url, settings)
    }

    /// `command`: a sojournd, perhaps of another version.
    pub fn run(mut command: Command, url: &str, settings: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let http = free_port();
        command
            .arg("serve")
            .env("SOJOURN_CLUSTER", "test.shop")
            .env("SOJOURN_STORE_URL", url)
            .env("SOJOURN_SOCKET", directory.path().join("s.sock"))
            .env("SOJOURN_HTTP", format!("127.0.0.1:{http}"))
            .envs(settings.iter().copied())
            .stderr(std::fs::File::create(directory.path().join("log")).unwrap());
        let process = Process(command.spawn().unwrap());
        let daemon = Self {
            process,
            directory,
            http,
        };
        until("the daemon", || UnixStream::connect(daemon.socket()).ok());
        daemon
    }

    pub fn socket(&self) -> PathBuf {
        self.directory.path().join("s.sock")
    }

    pub fn client(&self) -> Client {
        Client::unix(&self.socket())
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("log")).unwrap()
    }

    /// The URL of a page.
    pub fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.http)
    }

    pub fn page(&self, path: &str) -> String {
        get(self.http, path).unwrap_or_default()
    }

    pub fn status(&self, path: &str) -> Option<u16> {
        let (status, _) = answer(self.http, path)?;
        status.split(' ').nth(1)?.parse().ok()
    }

    /// The sum of a metric over its labels that contain `label`.
    pub fn metric(&self, name: &str, label: &str) -> i64 {
        // A page that could not be had would say 0 of everything.
        let page = until("the metrics", || get(self.http, "/metrics"));
        let lines = page
            .lines()
            .filter(|line| line.starts_with(name) && line.contains(label));
        lines
            .filter_map(|line| line.rsplit(' ').next()?.parse::<i64>().ok())
            .sum()
    }

    pub fn until_store(&self, state: &str) {
        let expected = format!("store={state}");
        until(&expected, || {
            self.page("/readyz").contains(&expected).then_some(())
        });
    }

    pub fn until_looked_through(&self) {
        until("it to have looked through what it holds", || {
            self.has_looked_through().then_some(())
        });
    }

    /// It has seen that the store is there, and looked for what that may have lost.
    pub fn has_looked_through(&self) -> bool {
        self.page("/readyz").trim_end().ends_with("store=up")
    }
}

/// The body of a page, if it could be had.
pub fn get(port: u16, path: &str) -> Option<String> {
    answer(port, path).map(|(_, body)| body)
}

/// The status line with the headers, and the body.
fn answer(port: u16, path: &str) -> Option<(String, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.to_owned(), body.to_owned()))
}

pub fn random(length: usize) -> Vec<u8> {
    std::iter::repeat_with(|| fastrand::u8(..))
        .take(length)
        .collect()
}

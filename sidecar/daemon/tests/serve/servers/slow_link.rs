//! What lies between a daemon and its store, and takes its time.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::Store;

/// Passes all bytes on, each way as late as it is told. It ends with the test's process.
pub struct SlowLink {
    port: u16,
    delay: Arc<AtomicU64>,
}

impl SlowLink {
    pub fn to(store: &Store) -> Self {
        Self::to_port(store.port)
    }

    pub fn to_port(port: u16) -> Self {
        let entrance = TcpListener::bind("127.0.0.1:0").unwrap();
        let link = Self {
            port: entrance.local_addr().unwrap().port(),
            delay: Arc::default(),
        };
        let delay = Arc::clone(&link.delay);
        thread::spawn(move || {
            for client in entrance.incoming() {
                let client = client.unwrap();
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
                    continue;
                };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let delay = Arc::clone(&delay);
                    thread::spawn(move || pass(from, to, &delay));
                }
            }
        });
        link
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Of what comes from now on.
    pub fn delay(&self, each_way: Duration) {
        let millis = u64::try_from(each_way.as_millis()).unwrap();
        self.delay.store(millis, Ordering::Relaxed);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, delay: &AtomicU64) {
    let (due, arrived) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        for (at, bytes) in arrived {
            while let Some(left) = at.checked_duration_since(Instant::now()) {
                thread::park_timeout(left);
            }
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let at = Instant::now() + Duration::from_millis(delay.load(Ordering::Relaxed));
        if due.send((at, buffer[..read].to_vec())).is_err() {
            break;
        }
    }
}

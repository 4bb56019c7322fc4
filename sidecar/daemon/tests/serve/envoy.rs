//! `sojournd drain-envoy` against an admin interface that is a few lines of test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::harness::{free_port, sojournd};

const FAIL: &str = "POST /healthcheck/fail";
const CLOSE: &str = "POST /drain_listeners";

/// How Envoy's admin interface answers. All of it is counted down, look by look.
#[derive(Clone, Default)]
struct Admin {
    /// Questions that get no answer, by their number.
    unanswered: Range<usize>,
    /// Looks between each two of which somebody has come.
    arrivals: u32,
    /// Connections that are open once it was told to close its listeners.
    connections: u32,
}

/// Returns its port, and what it is asked.
fn admin(mut admin: Admin) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut request = String::new();
            if reader.read_line(&mut request).unwrap_or(0) == 0 {
                continue;
            }
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap_or(0) > 2 {
                line.clear();
            }
            if admin.unanswered.contains(&number) {
                held.push(stream);
                continue;
            }
            let page = request.split(' ').take(2).collect::<Vec<_>>().join(" ");
            let mut seen = seen.lock().unwrap();
            let body = if page.starts_with("GET /stats") {
                let body = admin.stats();
                if seen.iter().any(|asked| asked == CLOSE) {
                    admin.connections = admin.connections.saturating_sub(1);
                }
                admin.arrivals = admin.arrivals.saturating_sub(1);
                body
            } else {
                "OK\n".to_owned()
            };
            seen.push(page);
            drop(seen);
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"
            );
        }
    });
    (port, asked)
}

impl Admin {
    fn stats(&self) -> String {
        let Self {
            arrivals,
            connections,
            ..
        } = self;
        let total = 1_000 - arrivals;
        format!(
            "http.admin.downstream_cx_active: 1\nhttp.admin.downstream_cx_total: {connections}\n\
             http.ingress.downstream_cx_active: {connections}\nhttp.ingress.downstream_cx_total: {total}\n"
        )
    }
}

/// How often it was asked for its connections before it was told to close its listeners, and after.
fn looks(asked: &[String]) -> (usize, usize) {
    assert_eq!(asked[0], FAIL);
    let close = asked.iter().position(|page| page == CLOSE).unwrap();
    let (before, after) = (&asked[1..close], &asked[close + 1..]);
    for page in before.iter().chain(after) {
        assert!(page.starts_with("GET /stats"), "{asked:?}");
    }
    (before.len(), after.len())
}

fn drain(port: u16, deadline: &str) -> Option<i32> {
    let mut drain = sojournd();
    drain.args(["drain-envoy", "--admin", &format!("127.0.0.1:{port}")]);
    drain
        .args(["--wait", "10ms", "--deadline", deadline])
        .stderr(std::process::Stdio::null());
    drain.status().unwrap().code()
}

#[test]
fn it_fails_the_check_first_and_waits_for_the_last_connection() {
    let connections = 2;
    let (port, asked) = admin(Admin {
        connections,
        ..Admin::default()
    });
    assert_eq!(drain(port, "20s"), Some(0));
    let (before, after) = looks(&asked.lock().unwrap());
    assert!(before > 1, "it looks whether somebody comes");
    assert_eq!(after, 3);
}

#[test]
fn its_listeners_stay_open_as_long_as_somebody_comes() {
    let quiet = {
        let (port, asked) = admin(Admin::default());
        assert_eq!(drain(port, "60s"), Some(0));
        looks(&asked.lock().unwrap()).0
    };
    let arrivals = 20;
    let (port, asked) = admin(Admin {
        arrivals,
        ..Admin::default()
    });
    assert_eq!(drain(port, "60s"), Some(0));
    let (before, _) = looks(&asked.lock().unwrap());
    assert!(
        before > arrivals as usize && before > quiet,
        "{before} looks, {quiet} where nobody comes"
    );
}

#[test]
fn one_that_is_too_busy_to_answer_is_told_again() {
    let (port, asked) = admin(Admin {
        unanswered: 0..2,
        connections: 1,
        ..Admin::default()
    });
    assert_eq!(drain(port, "20s"), Some(0));
    assert_eq!(looks(&asked.lock().unwrap()).1, 2);
}

#[test]
fn one_that_is_too_busy_as_its_listeners_are_to_close_is_not_given_up() {
    let (port, asked) = admin(Admin {
        // From before half of the time to after it.
        unanswered: 8..10,
        arrivals: 1_000,
        ..Admin::default()
    });
    assert_eq!(drain(port, "6s"), Some(0));
    assert!(asked.lock().unwrap().iter().any(|page| page == CLOSE));
}

#[test]
fn who_comes_or_stays_does_not_hold_it_past_the_deadline() {
    for (arrivals, connections) in [(1_000, 0), (0, 1_000_000)] {
        let (port, asked) = admin(Admin {
            arrivals,
            connections,
            ..Admin::default()
        });
        assert_eq!(drain(port, "300ms"), Some(0));
        assert!(asked.lock().unwrap().len() < 10);
    }
    assert_eq!(drain(free_port(), "300ms"), Some(1), "nobody to tell");
}

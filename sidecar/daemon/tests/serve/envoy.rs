//! `sojournd drain-envoy` against an admin interface that is a few lines of test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::harness::{free_port, sojournd};

/// Counts connections down by one each time it is asked, and remembers what it was asked.
fn admin(connections: u32) -> (u16, Arc<Mutex<Vec<String>>>) {
    busy_admin(0, connections)
}

/// The same, once it has left the first questions without an answer.
fn busy_admin(unanswered: usize, mut connections: u32) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut request = String::new();
            reader.read_line(&mut request).unwrap();
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap_or(0) > 2 {
                line.clear();
            }
            if number < unanswered {
                continue;
            }
            let page = request.split(' ').take(2).collect::<Vec<_>>().join(" ");
            let body = if page.starts_with("GET /stats") {
                let body = format!(
                    "http.admin.downstream_cx_active: 1\nhttp.ingress.downstream_cx_active: {connections}\n"
                );
                connections = connections.saturating_sub(1);
                body
            } else {
                "OK\n".to_owned()
            };
            seen.lock().unwrap().push(page);
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"
            );
        }
    });
    (port, asked)
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
    let (port, asked) = admin(2);
    assert_eq!(drain(port, "20s"), Some(0));
    let asked = asked.lock().unwrap();
    assert_eq!(asked[0], "POST /healthcheck/fail");
    assert_eq!(asked[1], "POST /drain_listeners?graceful");
    assert_eq!(asked[2..].len(), 3, "{asked:?}");
}

#[test]
fn one_that_is_too_busy_to_answer_is_told_again() {
    let (port, asked) = busy_admin(2, 1);
    assert_eq!(drain(port, "20s"), Some(0));
    let asked = asked.lock().unwrap();
    assert_eq!(asked[0], "POST /healthcheck/fail");
    assert_eq!(asked[1], "POST /drain_listeners?graceful");
    assert_eq!(asked[2..].len(), 2, "{asked:?}");
}

#[test]
fn connections_that_stay_do_not_hold_it_past_the_deadline() {
    let (port, asked) = admin(1_000_000);
    assert_eq!(drain(port, "300ms"), Some(0));
    assert!(asked.lock().unwrap().len() < 10);
    assert_eq!(drain(free_port(), "300ms"), Some(1), "nobody to tell");
}

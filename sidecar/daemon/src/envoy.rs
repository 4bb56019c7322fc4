//! `sojournd drain-envoy`: lets Envoy's connections end before its pod does; and a small HTTP client for it.
//!
//! SIGTERM alone drops Envoy's connections. `/healthcheck/fail` makes it answer with `Connection: close` or GOAWAY and fail the
//! checks of load balancers in front; once those have noticed, the listeners close too
//! (<https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/operations/draining>).

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::{info, warn};

const PATIENCE: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// Far more than any page asked for here has.
const MAX_PAGE: usize = 1 << 20;

/// Why a page could not be had.
#[derive(Debug, Error)]
pub enum AskError {
    /// The URL is not one that can be asked here.
    #[error("not a URL like http://127.0.0.1:15900/readyz")]
    Url,
    /// No answer in time.
    #[error("no answer within {PATIENCE:?}")]
    Late,
    /// Nobody is there, or the connection broke.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The answer is no HTTP.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The answer is too long or broke off.
    #[error("the answer is too long or broke off")]
    Body,
    /// The answer is not what it must be.
    #[error("{0}: {1}")]
    Refused(String, StatusCode),
}

/// A page.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its text.
    pub text: String,
}

/// Asks a page, bounded in time.
pub async fn ask(method: &str, url: &str) -> Result<Answer, AskError> {
    timeout(PATIENCE, ask_unbounded(method, url))
        .await
        .map_err(|_| AskError::Late)?
}

async fn ask_unbounded(method: &str, url: &str) -> Result<Answer, AskError> {
    let url: Uri = url.parse().map_err(|_| AskError::Url)?;
    let (Some("http"), Some(authority)) = (url.scheme_str(), url.authority()) else {
        return Err(AskError::Url);
    };
    let address = (
        authority.host().trim_matches(['[', ']']),
        authority.port_u16().unwrap_or(80),
    );
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", authority.as_str());
    let request = request
        .body(Empty::<Bytes>::new())
        .map_err(|_| AskError::Url)?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    let body = Limited::new(response.into_body(), MAX_PAGE).collect().await;
    connection.abort();
    let body = body.map_err(|_| AskError::Body)?.to_bytes();
    Ok(Answer {
        status,
        text: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Drains Envoy: until no connection is active, or the deadline.
pub async fn drain(admin: &str, wait: Duration, deadline: Duration) -> Result<(), AskError> {
    let deadline = Instant::now() + deadline;
    post(admin, "/healthcheck/fail", deadline).await?;
    info!(?wait, "health check fails from now on");
    let _ = timeout_at(deadline, sleep(wait)).await;
    post(admin, "/drain_listeners?graceful", deadline).await?;
    loop {
        match active_connections(admin).await {
            Ok(0) => {
                info!("no connection is left");
                return Ok(());
            }
            Ok(active) if Instant::now() >= deadline => {
                warn!(active, "connections are left at the deadline");
                return Ok(());
            }
            // It was told to drain and is gone: drained.
            Err(AskError::Io(_)) => return Ok(()),
            Err(error) if Instant::now() >= deadline => return Err(error),
            Ok(_) | Err(_) => sleep(LOOK_AGAIN).await,
        }
    }
}

/// Has Envoy do something. One that is there and too busy to answer is told again: who gives up has its connections dropped.
async fn post(admin: &str, path: &str, deadline: Instant) -> Result<(), AskError> {
    loop {
        match ask("POST", &format!("http://{admin}{path}")).await {
            Ok(answer) if answer.status.is_success() => return Ok(()),
            Ok(answer) => return Err(AskError::Refused(path.into(), answer.status)),
            Err(AskError::Late | AskError::Http(_) | AskError::Body)
                if Instant::now() < deadline =>
            {
                sleep(LOOK_AGAIN).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The connections that clients have open: those of HTTP listeners, without this one and those of kubelet and Prometheus.
async fn active_connections(admin: &str) -> Result<u64, AskError> {
    let url = format!("http://{admin}/stats?filter=%5Ehttp%5C..*%5C.downstream_cx_active%24");
    let answer = ask("GET", &url).await?;
    if !answer.status.is_success() {
        return Err(AskError::Refused(url, answer.status));
    }
    Ok(sum_of_connections(&answer.text))
}

fn sum_of_connections(stats: &str) -> u64 {
    let counts = stats.lines().filter_map(|line| line.split_once(": "));
    let counts = counts.filter(|(name, _)| {
        !["http.admin.", "http.ready."]
            .iter()
            .any(|own| name.starts_with(own))
    });
    counts
        .filter_map(|(_, count)| count.trim().parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_ask_how_envoy_is_do_not_count() {
        let stats = "http.admin.downstream_cx_active: 1\nhttp.http.downstream_cx_active: 2\n\
                     http.https.downstream_cx_active: 3\nhttp.ready.downstream_cx_active: 4\n";
        assert_eq!(sum_of_connections(stats), 5);
        assert_eq!(
            sum_of_connections("http.admin.downstream_cx_active: 1\n"),
            0
        );
    }

    #[tokio::test]
    async fn what_is_no_url_is_told_so() {
        for url in ["readyz", "https://127.0.0.1/", "http:///x"] {
            assert!(matches!(ask("GET", url).await, Err(AskError::Url)), "{url}");
        }
    }
}

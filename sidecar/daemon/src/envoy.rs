//! `sojournd drain-envoy`: lets Envoy's connections end before its pod does; and a small HTTP client for it.
//!
//! SIGTERM alone drops Envoy's connections. `/healthcheck/fail` makes it answer with `Connection: close` or GOAWAY and fail the
//! checks of load balancers in front; once those have noticed, and nobody comes any more, the listeners close too
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
/// Who comes no more for so long has noticed. Less than what lies between two checks of a load balancer.
const QUIET: Duration = Duration::from_secs(1);
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
    ask_as(method, url, None).await
}

/// The same by another name of the host than where it is.
pub async fn ask_as(method: &str, url: &str, host: Option<&str>) -> Result<Answer, AskError> {
    timeout(PATIENCE, ask_unbounded(method, url, host))
        .await
        .map_err(|_| AskError::Late)?
}

async fn ask_unbounded(method: &str, url: &str, host: Option<&str>) -> Result<Answer, AskError> {
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
        .header("host", host.unwrap_or(authority.as_str()));
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

/// Drains Envoy: until nobody comes any more and no connection is active, or the deadline.
pub async fn drain(admin: &str, wait: Duration, deadline: Duration) -> Result<(), AskError> {
    // Who does not notice as long as Envoy listens leaves those half of the time that are at work then.
    let listening = wait + deadline.saturating_sub(wait) / 2;
    let (listening, deadline) = (Instant::now() + listening, Instant::now() + deadline);
    post(admin, "/healthcheck/fail", deadline).await?;
    info!(?wait, "health check fails from now on");
    let _ = timeout_at(deadline, sleep(wait)).await;
    if !until_nobody_comes(admin, listening, deadline).await? {
        return Ok(());
    }
    post(admin, "/drain_listeners", deadline).await?;
    loop {
        match look(admin, deadline).await? {
            Look::Gone => return Ok(()),
            Look::Connections(Connections { active: 0, .. }) => {
                info!("no connection is left");
                return Ok(());
            }
            Look::Connections(Connections { active, .. }) if Instant::now() >= deadline => {
                warn!(active, "connections are left at the deadline");
                return Ok(());
            }
            Look::Connections(_) | Look::Busy => sleep(LOOK_AGAIN).await,
        }
    }
}

/// Whoever leads connections here has noticed when none has come for a while. A look that finds none active does not say so: each is
/// closed after one request, and the next may be shaking hands. Not past `until`. Whether Envoy is there still.
async fn until_nobody_comes(
    admin: &str,
    until: Instant,
    deadline: Instant,
) -> Result<bool, AskError> {
    let mut arrivals = Arrivals::default();
    while Instant::now() < until {
        match look(admin, deadline).await? {
            Look::Gone => return Ok(false),
            Look::Busy => arrivals = Arrivals::default(),
            Look::Connections(Connections { total, .. }) => {
                if arrivals.quiet_for(total, Instant::now()) >= QUIET {
                    return Ok(true);
                }
            }
        }
        sleep(LOOK_AGAIN).await;
    }
    warn!("connections still come, and are refused from now on");
    Ok(true)
}

/// How many had come at the last look, and for how long it has been as many.
#[derive(Default)]
struct Arrivals {
    last: Option<(u64, Instant)>,
    quiet: Duration,
}

impl Arrivals {
    /// Where the machine stood still, clients did too: a look counts for little more than lies between two.
    fn quiet_for(&mut self, total: u64, now: Instant) -> Duration {
        self.quiet = match self.last {
            Some((before, looked)) if before == total => {
                self.quiet + now.duration_since(looked).min(LOOK_AGAIN * 2)
            }
            _ => Duration::ZERO,
        };
        self.last = Some((total, now));
        self.quiet
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

/// The connections of clients, to HTTP listeners: without this one and those of kubelet and Prometheus.
#[derive(Debug, Default, PartialEq, Eq)]
struct Connections {
    active: u64,
    /// All that there ever were.
    total: u64,
}

enum Look {
    Connections(Connections),
    /// Too busy to answer.
    Busy,
    /// It was told to drain and is gone: drained.
    Gone,
}

/// An error that lasts is one at the deadline.
async fn look(admin: &str, deadline: Instant) -> Result<Look, AskError> {
    match connections(admin).await {
        Ok(connections) => Ok(Look::Connections(connections)),
        Err(AskError::Io(_)) => Ok(Look::Gone),
        Err(error) if Instant::now() >= deadline => Err(error),
        Err(_) => Ok(Look::Busy),
    }
}

async fn connections(admin: &str) -> Result<Connections, AskError> {
    let url =
        format!("http://{admin}/stats?filter=%5Ehttp%5C..*%5C.downstream_cx_(active%7Ctotal)%24");
    let answer = ask("GET", &url).await?;
    if !answer.status.is_success() {
        return Err(AskError::Refused(url, answer.status));
    }
    Ok(counted(&answer.text))
}

fn counted(stats: &str) -> Connections {
    let mut counted = Connections::default();
    for (name, count) in stats.lines().filter_map(|line| line.split_once(": ")) {
        if ["http.admin.", "http.ready."]
            .iter()
            .any(|own| name.starts_with(own))
        {
            continue;
        }
        let count = count.trim().parse().unwrap_or(0);
        if name.ends_with(".downstream_cx_active") {
            counted.active += count;
        } else if name.ends_with(".downstream_cx_total") {
            counted.total += count;
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_ask_how_envoy_is_do_not_count() {
        let stats = "http.admin.downstream_cx_active: 1\nhttp.admin.downstream_cx_total: 70\n\
                     http.http.downstream_cx_active: 2\nhttp.http.downstream_cx_total: 20\n\
                     http.https.downstream_cx_active: 3\nhttp.https.downstream_cx_total: 30\n\
                     http.ready.downstream_cx_active: 4\nhttp.ready.downstream_cx_total: 80\n";
        let (active, total) = (5, 50);
        assert_eq!(counted(stats), Connections { active, total });
        assert_eq!(
            counted("http.admin.downstream_cx_active: 1\n"),
            Connections::default()
        );
    }

    #[test]
    fn it_is_quiet_when_as_many_have_come_as_before() {
        let mut arrivals = Arrivals::default();
        let mut now = Instant::now();
        let mut quiet_for = |total, after| {
            now += after;
            arrivals.quiet_for(total, now)
        };
        assert_eq!(quiet_for(7, LOOK_AGAIN), Duration::ZERO);
        assert_eq!(quiet_for(7, LOOK_AGAIN), LOOK_AGAIN);
        assert_eq!(
            quiet_for(7, QUIET * 10),
            LOOK_AGAIN * 3,
            "the machine stood still"
        );
        assert_eq!(quiet_for(8, LOOK_AGAIN), Duration::ZERO, "one has come");
        assert_eq!(quiet_for(8, LOOK_AGAIN), LOOK_AGAIN);
    }

    #[tokio::test]
    async fn what_is_no_url_is_told_so() {
        for url in ["readyz", "https://127.0.0.1/", "http:///x"] {
            assert!(matches!(ask("GET", url).await, Err(AskError::Url)), "{url}");
        }
    }
}

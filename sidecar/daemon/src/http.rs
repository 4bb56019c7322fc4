//! Health and metrics over HTTP.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What there is to tell.
pub trait Pages: Send + Sync + 'static {
    /// Whether requests can be taken, and a line on why or why not.
    fn ready(&self) -> (bool, String);
    /// Whether sessions reach the store, in JSON; nothing where no store is spoken to.
    fn store(&self) -> Option<String>;
    /// In the format of Prometheus.
    fn metrics(&self) -> String;
}

/// Who says nothing for so long may be gone without a word, and its connection would be there for ever. No interval at which pages are scraped: they
/// would come just when it ends.
const SILENCE: Duration = Duration::from_secs(12);

/// Of a request: nobody has to say much to ask for a page. The least that hyper takes.
const MAX_HEADER: usize = 8192;
/// Anybody in the cluster may connect, and memory is what a sidecar has little of: with some thousand connections it would be killed, and what it holds lost.
const MAX_CONNECTIONS: usize = 512;

/// The connections of now, in the order in which they came. For one too many the oldest goes: a probe is answered within milliseconds, and were it refused for
/// those who say nothing, whoever has so many would have the pod restarted.
#[derive(Debug, Default)]
struct Connections(VecDeque<JoinHandle<()>>);

impl Connections {
    fn add(&mut self, connection: JoinHandle<()>) {
        let Self(open) = self;
        if open.len() >= MAX_CONNECTIONS {
            open.retain(|connection| !connection.is_finished());
        }
        if open.len() >= MAX_CONNECTIONS
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        open.push_back(connection);
    }
}

/// Answers until the task is dropped.
pub async fn serve(listener: TcpListener, pages: Arc<impl Pages>) {
    let mut connections = Connections::default();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let pages = Arc::clone(&pages);
        connections.add(tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let response = answer(&request, pages.as_ref());
                async move { Ok::<_, Infallible>(response) }
            });
            // A probe that hangs up early is none of our concern.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(SILENCE)
                .max_buf_size(MAX_HEADER)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        }));
    }
}

fn answer(request: &Request<Incoming>, pages: &impl Pages) -> Response<Full<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return page(
            StatusCode::METHOD_NOT_ALLOWED,
            "text/plain",
            "only GET\n".into(),
        );
    }
    match request.uri().path() {
        "/livez" => page(StatusCode::OK, "text/plain", "alive\n".into()),
        "/readyz" => {
            let (ready, text) = pages.ready();
            let status = if ready {
                StatusCode::OK
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            };
            page(status, "text/plain", text)
        }
        "/metrics" => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            page(StatusCode::OK, kind, pages.metrics())
        }
        "/storez" if let Some(store) = pages.store() => {
            page(StatusCode::OK, "application/json", store)
        }
        _ => page(
            StatusCode::NOT_FOUND,
            "text/plain",
            "try /livez, /readyz or /metrics; of a sidecar /storez too\n".into(),
        ),
    }
}

fn page(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let kind = hyper::header::HeaderValue::from_static(kind);
    response
        .headers_mut()
        .insert(hyper::header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    struct NoPages;

    impl Pages for NoPages {
        fn ready(&self) -> (bool, String) {
            (true, String::new())
        }

        fn store(&self) -> Option<String> {
            None
        }

        fn metrics(&self) -> String {
            String::new()
        }
    }

    const REQUEST: &[u8] = b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

    /// Of a connection whose request has begun with `said` bytes.
    async fn ask_the_rest(connection: &mut TcpStream, said: usize) -> String {
        let mut answer = String::new();
        let rest = REQUEST.get(said..).unwrap();
        if connection.write_all(rest).await.is_ok() {
            // One that was closed is reset.
            let _ = connection.read_to_string(&mut answer).await;
        }
        answer
    }

    #[tokio::test]
    async fn a_probe_is_answered_whoever_else_has_connections_and_the_oldest_of_too_many_goes() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(serve(listener, Arc::new(NoPages)));
        let mut silent = VecDeque::new();
        for _ in 0..MAX_CONNECTIONS {
            let mut connection = TcpStream::connect(address).await.unwrap();
            connection
                .write_all(REQUEST.get(..9).unwrap())
                .await
                .unwrap();
            silent.push_back(connection);
        }
        let mut probe = TcpStream::connect(address).await.unwrap();
        let answer = ask_the_rest(&mut probe, 0).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let mut first = silent.pop_front().unwrap();
        let mut newest = silent.pop_back().unwrap();
        assert_eq!(ask_the_rest(&mut first, 9).await, "");
        let answer = ask_the_rest(&mut newest, 9).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        server.abort();
    }

    #[tokio::test]
    async fn a_header_that_is_too_long_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(serve(listener, Arc::new(NoPages)));
        let mut connection = TcpStream::connect(address).await.unwrap();
        let header = vec![b'x'; 2 * MAX_HEADER];
        let request = [b"GET /livez HTTP/1.1\r\nx: ", &header[..], b"\r\n\r\n"].concat();
        // Whoever is not read to the end may be reset before all is written, and before the answer is read.
        let _ = connection.write_all(&request).await;
        let mut answer = String::new();
        let _ = connection.read_to_string(&mut answer).await;
        assert!(!answer.starts_with("HTTP/1.1 200"), "{answer}");
        server.abort();
    }
}

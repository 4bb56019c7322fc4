//! Health and metrics over HTTP.

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

/// Answers until the task is dropped.
pub async fn serve(listener: TcpListener, pages: Arc<impl Pages>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let pages = Arc::clone(&pages);
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let response = answer(&request, pages.as_ref());
                async move { Ok::<_, Infallible>(response) }
            });
            // A probe that hangs up early is none of our concern.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(SILENCE)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
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

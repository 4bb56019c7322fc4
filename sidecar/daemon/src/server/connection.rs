//! One connection: requests in, replies out in their order, messages in between once it subscribed.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tracing::debug;

use super::subscription::Subscribed;
use super::{Context, Door, replies};
use crate::command::{CHANNEL, Command};
use crate::metrics::{CommandLabel, KindLabel};
use crate::resp::{Decoder, Reply, Request};
use crate::service::Service;

const READ_BUFFER: usize = 16 << 10;
/// A buffer that grew past this for one large session is given back.
const KEEP_BUFFER: usize = 256 << 10;

static IDS: AtomicI64 = AtomicI64::new(1);

struct Connection {
    context: Arc<Context>,
    door: Door,
    id: i64,
    authenticated: bool,
    /// Set while subscribed.
    subscribed: Option<Subscribed>,
    over: bool,
}

/// Counts what has arrived and is not answered yet.
struct InFlight(Arc<Context>);

impl InFlight {
    fn begin(context: &Arc<Context>) -> Self {
        context.in_flight.send_modify(|in_flight| *in_flight += 1);
        Self(Arc::clone(context))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.send_modify(|in_flight| *in_flight -= 1);
    }
}

/// Talks until the client leaves, sends something broken, or says `QUIT`.
pub(super) async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    door: Door,
    context: Arc<Context>,
) {
    context.metrics.connections.inc();
    context
        .connected
        .send_if_modified(|connected| !std::mem::replace(connected, true));
    let (metrics, service) = (Arc::clone(&context.metrics), Arc::clone(&context.service));
    let mut connection = Connection {
        door,
        id: IDS.fetch_add(1, Ordering::Relaxed),
        authenticated: door == Door::Unix || context.token_file.is_none(),
        subscribed: None,
        over: false,
        context,
    };
    if let Err(error) = connection.run(stream).await {
        debug!(%error, "connection lost");
    }
    service.unlock_connection(connection.id);
    metrics.connections.dec();
}

impl Connection {
    async fn run(
        &mut self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
    ) -> std::io::Result<()> {
        let mut decoder = Decoder::default();
        let mut input = BytesMut::with_capacity(READ_BUFFER);
        let mut output = BytesMut::new();
        while !self.over {
            if !(input.is_empty() && output.is_empty()) {
                let _in_flight = InFlight::begin(&self.context);
                let all = self.answer_all(&mut decoder, &mut input, &mut output).await;
                stream.write_all(&output).await?;
                output.clear();
                if !all {
                    continue;
                }
            }
            if self.over {
                break;
            }
            if output.capacity() > KEEP_BUFFER {
                output = BytesMut::new();
            }
            if input.is_empty() && input.capacity() > KEEP_BUFFER {
                input = BytesMut::with_capacity(READ_BUFFER);
            }
            input.reserve(READ_BUFFER / 4);
            tokio::select! {
                read = stream.read_buf(&mut input) => if read? == 0 { break },
                payload = Subscribed::next(&mut self.subscribed) => message(payload).encode(&mut output),
            }
        }
        stream.shutdown().await
    }

    /// Answers the whole requests that have arrived; `false` if the answers have to leave first. A client that asks a lot
    /// and reads nothing fills its socket, not our memory.
    async fn answer_all(
        &mut self,
        decoder: &mut Decoder,
        input: &mut BytesMut,
        output: &mut BytesMut,
    ) -> bool {
        while !self.over && output.len() < KEEP_BUFFER {
            match decoder.decode(input) {
                Ok(Some(request)) => self.answer(request, output).await,
                Ok(None) => return true,
                Err(broken) => {
                    self.count_error("protocol");
                    Reply::error("ERR", broken.to_string()).encode(output);
                    self.over = true;
                }
            }
        }
        self.over
    }

    async fn answer(&mut self, request: Request, output: &mut BytesMut) {
        let reply = match Command::parse(request) {
            Ok(command) => {
                let command_label = CommandLabel {
                    command: command.name(),
                };
                self.context
                    .metrics
                    .requests
                    .get_or_create(&command_label)
                    .inc();
                self.reply(command).await
            }
            Err(wrong) => Reply::error("ERR", wrong.to_string()),
        };
        if let Reply::Error(text) = &reply {
            self.count_error(replies::kind(text));
        }
        reply.encode(output);
    }

    async fn reply(&mut self, command: Command) -> Reply {
        let service = Arc::clone(self.service());
        match command {
            Command::Auth { token } => self.authenticate(&token),
            Command::Hello { protocol, token } => self.hello(protocol, token.as_ref()),
            Command::Quit => {
                self.over = true;
                Reply::OK
            }
            _ if !self.authenticated => {
                Reply::error("NOAUTH", "authentication required: send AUTH")
            }
            Command::Open {
                session,
                held,
                exclusive: true,
                ..
            } => {
                let opened = service.open_exclusive(&session, held, self.id).await;
                replies::opened_exclusive(opened)
            }
            Command::Open {
                session,
                held,
                patch,
                ..
            } => replies::opened(service.open(&session, held, patch).await),
            Command::Commit { commit, lock } => {
                replies::committed(service.commit(commit, lock).await)
            }
            Command::Unlock { session, lock } => {
                Reply::Integer(i64::from(service.unlock(&session, lock)))
            }
            Command::Touch { session } => {
                service.touch(&session);
                Reply::OK
            }
            Command::End { session } => replies::ended(service.end(&session).await),
            Command::Rename {
                session,
                new_session,
                base,
            } => replies::renamed(service.rename(&session, &new_session, base).await),
            Command::Reap { session } => replies::opened(service.expired(&session).await),
            other => self.control(other),
        }
    }

    /// What is about the connection or the daemon, not about a session.
    fn control(&mut self, command: Command) -> Reply {
        match command {
            Command::Note(note) => {
                self.context.notes.take(&note);
                Reply::OK
            }
            Command::Drain if self.door == Door::Tcp => {
                Reply::error("ERR", "SJ.DRAIN is for the Unix socket")
            }
            Command::Drain => {
                self.context.drain();
                Reply::OK
            }
            Command::Subscribe => self.subscribe(),
            Command::Unsubscribe => {
                self.subscribed = None;
                subscription("unsubscribe", 0)
            }
            Command::Ping(None) => Reply::Simple("PONG"),
            Command::Ping(Some(text)) => Reply::Bulk(text),
            Command::Info => replies::info(&self.context),
            Command::CommandList => Reply::Array(Vec::new()),
            Command::ClientSet | Command::Select => Reply::OK,
            Command::ClientId => Reply::Integer(self.id),
            Command::ClientName => Reply::NullBulk,
            // Answered before it came here.
            other => Reply::error("ERR", format!("'{}' is not for here", other.name())),
        }
    }

    fn service(&self) -> &Arc<Service> {
        &self.context.service
    }

    fn authenticate(&mut self, token: &[u8]) -> Reply {
        let expected = match (self.door, &self.context.token_file) {
            (Door::Unix, _) | (_, None) => return Reply::OK,
            (Door::Tcp, Some(file)) => std::fs::read(file).unwrap_or_default(),
        };
        let expected = expected.trim_ascii_end();
        if !expected.is_empty() && same(expected, token) {
            self.authenticated = true;
            Reply::OK
        } else {
            Reply::error("NOAUTH", "the token is wrong")
        }
    }

    fn hello(&mut self, protocol: Option<u64>, token: Option<&Bytes>) -> Reply {
        if protocol.is_some_and(|protocol| protocol != 2) {
            return Reply::error("NOPROTO", "only protocol version 2 is spoken here");
        }
        if let Some(token) = token {
            let reply = self.authenticate(token);
            if reply != Reply::OK {
                return reply;
            }
        }
        if self.authenticated {
            replies::hello(&self.context)
        } else {
            Reply::error("NOAUTH", "authentication required: send AUTH")
        }
    }

    fn subscribe(&mut self) -> Reply {
        self.subscribed = Some(Subscribed::to(&self.context));
        subscription("subscribe", 1)
    }

    fn count_error(&self, kind: &'static str) {
        self.context
            .metrics
            .request_errors
            .get_or_create(&KindLabel { kind })
            .inc();
    }
}

pub(super) fn message(payload: Bytes) -> Reply {
    Reply::Array(vec![
        Reply::text("message"),
        Reply::text(CHANNEL),
        Reply::Bulk(payload),
    ])
}

pub(super) fn subscription(what: &str, count: i64) -> Reply {
    Reply::Array(vec![
        Reply::text(what),
        Reply::text(CHANNEL),
        Reply::Integer(count),
    ])
}

/// Takes as long for a nearly right token as for a wrong one.
fn same(expected: &[u8], given: &[u8]) -> bool {
    let differs = expected
        .iter()
        .zip(given)
        .fold(0, |differs, (a, b)| differs | (a ^ b));
    expected.len() == given.len() && differs == 0
}

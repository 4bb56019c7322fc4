//! One connection: requests in, replies out, those to requests without a tag in their order; messages in between once it
//! subscribed.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, sleep};
use tracing::debug;

use super::client::Client;
use super::in_flight::InFlight;
use super::output::Output;
use super::subscription::Subscribed;
use super::task::{Answer, Task, answer};
use super::under_way::UnderWay;
use super::{Context, Door, replies};
use crate::command::{Asked, Command, Wrong};
use crate::metrics::{CommandLabel, KindLabel};
use crate::readers::{Reading, Tidings};
use crate::resp::{Decoder, MAX_REQUEST, Reply};
use crate::service::Admitted;

const READ_BUFFER: usize = 16 << 10;
/// Past so many requests without a reply no more are read.
const MAX_UNDER_WAY: usize = 1024;
/// And past so many bytes of them: as much as one request may have.
const MAX_BYTES: usize = MAX_REQUEST;

/// News of sessions wait for so long for a reply to leave with.
const NEWS_WAIT: Duration = Duration::from_millis(1);

static IDS: AtomicI64 = AtomicI64::new(1);

/// A request that waits for room beside those that are under way, of whichever connections.
struct HeldBack {
    asked: Asked,
    room: Pin<Box<dyn Future<Output = Option<Admitted>> + Send>>,
}

struct Connection<F: Future<Output = Answer>> {
    client: Client,
    decoder: Decoder,
    input: BytesMut,
    under_way: UnderWay<Task, F>,
    /// What the requests under way take.
    bytes: usize,
    /// One without a tag is under way.
    is_untagged_under_way: bool,
    /// The one without a tag that comes after it.
    next: Option<Asked>,
    held_back: Option<HeldBack>,
    output: Output,
    reading: Reading,
    in_flight: InFlight,
    /// Nothing more is taken from the client.
    is_over: bool,
    /// What it is told when everything else is answered.
    last: Option<Reply>,
}

/// Talks until the client leaves, sends something broken, or says `QUIT`, and everything that it asked for is done.
pub(super) async fn talk(
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    door: Door,
    context: Arc<Context>,
) {
    context.metrics.connections.inc();
    context.application.comes();
    let id = IDS.fetch_add(1, Ordering::Relaxed);
    let mut connection = Connection {
        client: Client::new(Arc::clone(&context), door, id),
        decoder: Decoder::default(),
        input: BytesMut::with_capacity(READ_BUFFER),
        under_way: UnderWay::new(answer),
        bytes: 0,
        is_untagged_under_way: false,
        next: None,
        held_back: None,
        output: Output::default(),
        reading: context.service.readers().join(id),
        in_flight: InFlight::none(Arc::clone(&context)),
        is_over: false,
        last: None,
    };
    if let Err(error) = connection.run(reader, writer).await {
        debug!(%error, "connection lost");
    }
    // Not before the last request is done: it may have got a lock.
    context.service.unlock_connection(id);
    context.metrics.connections.dec();
    context.application.goes();
}

impl<F: Future<Output = Answer>> Connection<F> {
    /// Nothing that is waited for here loses anything when something else comes first.
    async fn run(
        &mut self,
        mut reader: impl AsyncRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut outcome = Ok(());
        let mut news_wait = pin!(sleep(NEWS_WAIT));
        loop {
            let wants_more = self.begin_all();
            self.in_flight.set(self.in_flight());
            if self.is_over && self.under_way.is_empty() && self.output.is_empty() {
                break;
            }
            // In this order, so that what is answered together, and what is answered at once, leaves in one write.
            tokio::select! {
                biased;
                () = self.under_way.drive(), if self.under_way.is_waiting() => {}
                room = next_room(&mut self.held_back), if self.held_back.is_some() => self.go_on(room),
                read = reader.read_buf(&mut self.input), if wants_more => match read {
                    Ok(0) => self.stop(),
                    Ok(_) => {}
                    Err(error) => {
                        outcome = Err(error);
                        self.stop();
                    }
                },
                payload = Subscribed::next(&mut self.client.subscribed), if self.output.has_room() => {
                    self.output.say(None, &replies::message(payload));
                }
                tidings = self.reading.next(), if self.output.has_room() => {
                    if !self.output.is_waiting() {
                        news_wait.as_mut().reset(Instant::now() + NEWS_WAIT);
                    }
                    self.tell(tidings);
                }
                () = &mut news_wait, if self.output.is_waiting() => self.output.hurry(),
                written = writer.write_buf(&mut self.output.bytes), if self.output.is_due() => {
                    match written {
                        Ok(_) => self.output.sent(),
                        Err(error) => {
                            outcome = Err(error);
                            self.client.subscribed = None;
                            self.output.close();
                        }
                    }
                }
            }
        }
        outcome?;
        writer.shutdown().await
    }

    /// Begins the whole requests that have arrived, as long as there is room; whether more should be read.
    fn begin_all(&mut self) -> bool {
        loop {
            self.say_answers();
            if self.is_over || self.held_back.is_some() || !self.has_room() {
                return false;
            }
            let asked = match self.next.take() {
                Some(asked) => asked,
                None => match self.decoder.decode(&mut self.input) {
                    Ok(Some(request)) => Asked::parse(request),
                    Ok(None) => break,
                    Err(broken) => {
                        self.count_error("protocol");
                        self.end_with(Reply::error("ERR", broken.to_string()));
                        continue;
                    }
                },
            };
            if asked.tag.is_none() && self.is_untagged_under_way {
                self.next = Some(asked);
                return false;
            }
            match self.room_of(&asked) {
                Some(room) => self.begin(asked, room),
                None => self.hold_back(asked),
            }
        }
        if !self.decoder.reads_alone() {
            if self.input.capacity() == 0 {
                self.input = BytesMut::with_capacity(READ_BUFFER);
            }
            self.input.reserve(READ_BUFFER / 4);
        }
        true
    }

    /// All that has become of the client's sessions leaves together, and with the next reply if one is to be expected.
    fn tell(&mut self, first: Tidings) {
        let mut next = Some(first);
        while let Some(tidings) = next {
            self.output.tell(&replies::news(tidings));
            next = self
                .output
                .has_room()
                .then(|| self.reading.at_hand())
                .flatten();
        }
        if self.under_way.is_empty() {
            self.output.hurry();
        }
    }

    fn has_room(&self) -> bool {
        self.output.has_room() && self.under_way.len() < MAX_UNDER_WAY && self.bytes < MAX_BYTES
    }

    /// The room that a request takes, where there is enough.
    fn room_of(&self, asked: &Asked) -> Option<Admitted> {
        let waits = asked.command.as_ref().is_ok_and(Command::may_wait);
        let bytes = if waits && self.client.is_authenticated {
            asked.bytes
        } else {
            0
        };
        self.client.context.service.admission().try_take(bytes)
    }

    /// Nothing more is read until there is room for it, for a moment at the longest.
    fn hold_back(&mut self, asked: Asked) {
        let (service, bytes) = (Arc::clone(&self.client.context.service), asked.bytes);
        let room = Box::pin(async move { service.admission().take(bytes).await });
        self.held_back = Some(HeldBack { asked, room });
    }

    fn go_on(&mut self, room: Option<Admitted>) {
        let Some(HeldBack { asked, .. }) = self.held_back.take() else {
            return;
        };
        let asked = match room {
            Some(_) => asked,
            None => Asked {
                command: Err(Wrong::NoRoom),
                ..asked
            },
        };
        self.begin(asked, room.unwrap_or_default());
    }

    fn in_flight(&self) -> usize {
        self.under_way.len() + self.output.replies() + usize::from(self.held_back.is_some())
    }

    fn begin(&mut self, asked: Asked, room: Admitted) {
        let Asked {
            tag,
            command,
            bytes,
        } = asked;
        self.is_untagged_under_way |= tag.is_none();
        self.bytes += bytes;
        let reply = match command {
            Err(wrong) => Reply::error(wrong.prefix(), wrong.to_string()),
            Ok(command) => {
                self.count(&command);
                match command {
                    Command::Quit => return self.end_with(Reply::OK),
                    command if self.client.is_authenticated && command.may_wait() => {
                        if room.is_some() {
                            self.client.context.service.give_way();
                        }
                        self.under_way.begin(Task {
                            service: Arc::clone(&self.client.context.service),
                            connection: self.client.id,
                            tag,
                            bytes,
                            room,
                            command,
                        });
                        return;
                    }
                    command => self.client.reply(command),
                }
            }
        };
        self.under_way.answer(Answer { tag, bytes, reply });
    }

    /// Gives the client what is answered, as long as there is room; after everything else its last reply.
    fn say_answers(&mut self) {
        while self.output.has_room() {
            let Some(answer) = self.under_way.take() else {
                break;
            };
            if let Reply::Error(text) = &answer.reply {
                self.count_error(replies::kind(text));
            }
            self.bytes -= answer.bytes;
            self.is_untagged_under_way &= answer.tag.is_some();
            self.output.say(answer.tag, &answer.reply);
        }
        if self.under_way.is_empty()
            && let Some(last) = self.last.take()
        {
            self.output.say(None, &last);
        }
    }

    fn end_with(&mut self, last: Reply) {
        self.last = Some(last);
        self.stop();
    }

    /// Takes nothing more from the client. Messages go to those who stay.
    fn stop(&mut self) {
        self.is_over = true;
        self.client.subscribed = None;
    }

    fn count(&self, command: &Command) {
        let label = CommandLabel {
            command: command.name(),
        };
        let requests = &self.client.context.metrics.requests;
        requests.get_or_create(&label).inc();
    }

    fn count_error(&self, kind: &'static str) {
        let errors = &self.client.context.metrics.request_errors;
        errors.get_or_create(&KindLabel { kind }).inc();
    }
}

async fn next_room(held_back: &mut Option<HeldBack>) -> Option<Admitted> {
    match held_back {
        Some(held_back) => held_back.room.as_mut().await,
        None => None,
    }
}

//! What is known of the client of a connection, and what it is answered at once.

use std::sync::Arc;

use bytes::Bytes;

use super::subscription::Subscribed;
use super::{Context, Door, replies};
use crate::command::Command;
use crate::resp::Reply;

pub(super) struct Client {
    pub(super) context: Arc<Context>,
    /// The connection's.
    pub(super) id: i64,
    pub(super) is_authenticated: bool,
    /// Set while subscribed.
    pub(super) subscribed: Option<Subscribed>,
    door: Door,
}

impl Client {
    pub(super) fn new(context: Arc<Context>, door: Door, id: i64) -> Self {
        Self {
            id,
            is_authenticated: door == Door::Unix || context.token_file.is_none(),
            subscribed: None,
            door,
            context,
        }
    }

    /// The reply to what need not wait, and to whoever has to say first who it is.
    pub(super) fn reply(&mut self, command: Command) -> Reply {
        match command {
            Command::Auth { token } => self.authenticate(&token),
            Command::Hello { protocol, token } => self.hello(protocol, token.as_ref()),
            _ if !self.is_authenticated => {
                Reply::error("NOAUTH", "authentication required: send AUTH")
            }
            Command::Unlock { session, lock } => {
                let unlocked = self.context.service.unlock(&session, lock);
                Reply::Integer(i64::from(unlocked))
            }
            Command::Touch { session } => {
                self.context.service.touch(&session);
                Reply::OK
            }
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
                replies::subscription("unsubscribe", 0)
            }
            Command::Ping(None) => Reply::Simple("PONG"),
            Command::Ping(Some(text)) => Reply::Bulk(text),
            Command::Info => replies::info(&self.context),
            Command::CommandList => Reply::Array(Vec::new()),
            Command::ClientSet | Command::Select => Reply::OK,
            Command::ClientId => Reply::Integer(self.id),
            Command::ClientName => Reply::NullBulk,
            // Answered before it came here.
            other => replies::not_here(&other),
        }
    }

    fn authenticate(&mut self, token: &[u8]) -> Reply {
        let expected = match (self.door, &self.context.token_file) {
            (Door::Unix, _) | (_, None) => return Reply::OK,
            (Door::Tcp, Some(file)) => std::fs::read(file).unwrap_or_default(),
        };
        let expected = expected.trim_ascii_end();
        if !expected.is_empty() && same(expected, token) {
            self.is_authenticated = true;
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
        if self.is_authenticated {
            replies::hello(&self.context)
        } else {
            Reply::error("NOAUTH", "authentication required: send AUTH")
        }
    }

    fn subscribe(&mut self) -> Reply {
        self.subscribed = Some(Subscribed::to(&self.context));
        replies::subscription("subscribe", 1)
    }
}

/// Takes as long for a nearly right token as for a wrong one.
fn same(expected: &[u8], given: &[u8]) -> bool {
    let differs = expected
        .iter()
        .zip(given)
        .fold(0, |differs, (a, b)| differs | (a ^ b));
    expected.len() == given.len() && differs == 0
}

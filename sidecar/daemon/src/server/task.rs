//! Requests that may have to wait, each on its own.

use std::sync::Arc;

use super::replies;
use crate::command::Command;
use crate::resp::Reply;
use crate::service::{Admitted, Ask, Service};

/// A request with everything that it needs, wherever its connection is by then.
pub(super) struct Task {
    pub(super) service: Arc<Service>,
    /// Locks belong to it.
    pub(super) connection: i64,
    pub(super) tag: Option<u64>,
    /// What the request takes until it is answered.
    pub(super) bytes: usize,
    /// The room that it takes until then.
    pub(super) room: Admitted,
    pub(super) command: Command,
}

/// What came of a request.
pub(super) struct Answer {
    pub(super) tag: Option<u64>,
    pub(super) bytes: usize,
    pub(super) reply: Reply,
}

/// Does what is asked for.
pub(super) async fn answer(task: Task) -> Answer {
    let reply = reply(&task.service, task.connection, task.command).await;
    drop(task.room);
    Answer {
        tag: task.tag,
        bytes: task.bytes,
        reply,
    }
}

async fn reply(service: &Arc<Service>, connection: i64, command: Command) -> Reply {
    match command {
        Command::Open {
            session,
            held,
            exclusive: true,
            passive,
            ..
        } => {
            let ask = Ask {
                held,
                passive,
                patience: service.patience_of_request(),
            };
            let opened = service.open_exclusive(&session, ask, connection).await;
            replies::opened_exclusive(opened)
        }
        Command::Open {
            session,
            held,
            patch,
            ticket,
            passive,
            ..
        } => {
            let ask = Ask {
                held,
                passive,
                patience: service.patience_of_request(),
            };
            let reader = ticket.then_some(connection);
            replies::opened(service.open(&session, ask, patch, reader).await)
        }
        Command::Commit { commit, lock } => replies::committed(service.commit(commit, lock).await),
        Command::End { session, follow } => replies::ended(service.end(&session, follow).await),
        Command::Rename {
            session,
            new_session,
            base,
        } => replies::renamed(service.rename(&session, &new_session, base).await),
        Command::Reap { session } => replies::opened(service.expired(&session).await),
        Command::Sessions { shard } => replies::sessions(service.sessions(shard).await),
        Command::Expire { id } => replies::ended(service.expire(id).await),
        other => replies::not_here(&other),
    }
}

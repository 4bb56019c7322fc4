//! The clients that hold sessions of the page of claims, so that each can be told of what becomes of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use crate::service::Opened;

/// Tidings that wait for one client. One that does not read gets no more: it asks for what it lacks.
const WAITING: usize = 4096;

/// What became of a session: what a client lacks that holds the version before.
#[derive(Debug)]
pub struct Tidings {
    /// That version.
    pub before: u64,
    /// As it would be answered to.
    pub opened: Opened,
}

/// All clients, by their connections.
#[derive(Debug, Default)]
pub struct Readers(Mutex<HashMap<i64, mpsc::Sender<Tidings>>>);

/// One client's end; it is told nothing more when this is dropped.
#[derive(Debug)]
pub struct Reading {
    connection: i64,
    tidings: mpsc::Receiver<Tidings>,
    all: Arc<Readers>,
}

impl Readers {
    /// One more.
    pub fn join(self: &Arc<Self>, connection: i64) -> Reading {
        let (sender, tidings) = mpsc::channel(WAITING);
        self.all().insert(connection, sender);
        Reading {
            connection,
            tidings,
            all: Arc::clone(self),
        }
    }

    /// Tells one, if it is there and reads.
    pub fn tell(&self, connection: i64, tidings: Tidings) {
        if let Some(sender) = self.all().get(&connection) {
            let _ = sender.try_send(tidings);
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<i64, mpsc::Sender<Tidings>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reading {
    /// The next. Nothing is lost when it is dropped.
    pub async fn next(&mut self) -> Tidings {
        match self.tidings.recv().await {
            Some(tidings) => tidings,
            // The sender is there for as long as we are.
            None => std::future::pending().await,
        }
    }

    /// The next, if it is there already.
    pub fn at_hand(&mut self) -> Option<Tidings> {
        self.tidings.try_recv().ok()
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.all.all().remove(&self.connection);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Lack;

    fn tidings(before: u64) -> Tidings {
        let opened = Opened {
            version: before + 1,
            created: 1,
            accessed: 1,
            idle: 60,
            lack: Lack::nothing(),
            ticket: Some(7),
        };
        Tidings { before, opened }
    }

    #[tokio::test]
    async fn each_is_told_what_is_for_it_until_it_leaves() {
        let all = Arc::<Readers>::default();
        let (mut one, mut other) = (all.join(1), all.join(2));
        all.tell(1, tidings(3));
        all.tell(2, tidings(4));
        all.tell(2, tidings(5));
        assert_eq!(one.next().await.before, 3);
        assert_eq!(other.next().await.before, 4);
        assert_eq!(other.at_hand().map(|tidings| tidings.before), Some(5));
        assert!(one.at_hand().is_none());
        drop(one);
        all.tell(1, tidings(6));
        assert_eq!(all.all().len(), 1);
    }

    #[test]
    fn who_does_not_read_gets_no_more() {
        let all = Arc::<Readers>::default();
        let mut deaf = all.join(1);
        for before in 0..2 * WAITING as u64 {
            all.tell(1, tidings(before));
        }
        let got = std::iter::from_fn(|| deaf.at_hand());
        assert_eq!(got.count(), WAITING);
    }
}

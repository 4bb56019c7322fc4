//! Who listens on the channel, so that something can be told to one of them, or to all.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc, watch};
use tracing::debug;

/// Messages that wait for one subscriber. One that does not read gets no more; what it is not told is told again later.
const WAITING: usize = 64;

/// Messages to all that wait for one subscriber; then it misses the oldest. As many sessions may end at once.
const WAITING_FOR_ALL: usize = 4096;

/// Sessions may have ended of which nobody has told.
pub const MISSED: &[u8] = b"missed";

/// All subscribers.
#[derive(Debug)]
pub struct Subscribers {
    list: Mutex<List>,
    count: watch::Sender<usize>,
    to_all: broadcast::Sender<Bytes>,
}

#[derive(Debug, Default)]
struct List {
    last: u64,
    /// Who was told last is at the end.
    senders: VecDeque<(u64, mpsc::Sender<Bytes>)>,
}

/// One subscriber's end; it leaves when this is dropped.
#[derive(Debug)]
pub struct Subscription {
    id: u64,
    messages: mpsc::Receiver<Bytes>,
    to_all: broadcast::Receiver<Bytes>,
    all: Arc<Subscribers>,
}

impl Subscribers {
    /// Nobody yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            list: Mutex::default(),
            count: watch::Sender::new(0),
            to_all: broadcast::Sender::new(WAITING_FOR_ALL),
        })
    }

    /// One more.
    pub fn join(self: &Arc<Self>) -> Subscription {
        let (sender, messages) = mpsc::channel(WAITING);
        let mut list = self.list();
        list.last += 1;
        let id = list.last;
        list.senders.push_back((id, sender));
        self.count.send_replace(list.senders.len());
        let to_all = self.to_all.subscribe();
        let all = Arc::clone(self);
        Subscription {
            id,
            messages,
            to_all,
            all,
        }
    }

    /// Tells all of them.
    pub fn tell_all(&self, message: Bytes) {
        // Nobody may be there.
        let _ = self.to_all.send(message);
    }

    /// Tells one of them, each in turn; whether there was one to tell.
    pub fn tell_one(&self, message: &Bytes) -> bool {
        let mut list = self.list();
        for _ in 0..list.senders.len() {
            let told = list
                .senders
                .front()
                .is_some_and(|(_, sender)| sender.try_send(message.clone()).is_ok());
            list.senders.rotate_left(1);
            if told {
                return true;
            }
        }
        false
    }

    /// How many there are, now and later.
    pub fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    /// The next message. It is lost with the one who asked.
    pub async fn next(&mut self) -> Bytes {
        // Both senders live for as long as we do.
        loop {
            tokio::select! {
                Some(message) = self.messages.recv() => return message,
                message = self.to_all.recv() => match message {
                    Ok(message) => return message,
                    Err(RecvError::Lagged(missed)) => {
                        debug!(missed, "a subscriber does not read");
                        return Bytes::from_static(MISSED);
                    }
                    Err(RecvError::Closed) => std::future::pending().await,
                },
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut list = self.all.list();
        list.senders.retain(|(id, _)| *id != self.id);
        self.all.count.send_replace(list.senders.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_message_goes_to_one_in_turn() {
        let all = Subscribers::new();
        assert!(!all.tell_one(&Bytes::from_static(b"0")));
        let (mut one, mut other) = (all.join(), all.join());
        assert_eq!(*all.count().borrow(), 2);
        for message in [&b"1"[..], b"2", b"3"] {
            assert!(all.tell_one(&Bytes::from_static(message)));
        }
        assert_eq!(
            (one.next().await, one.next().await),
            ("1".into(), "3".into())
        );
        assert_eq!(other.next().await, "2");
        drop(one);
        assert!(all.tell_one(&Bytes::from_static(b"4")));
        assert_eq!(other.next().await, "4");
        assert_eq!(*all.count().borrow(), 1);
    }

    #[tokio::test]
    async fn who_does_not_read_misses_the_oldest_of_what_all_are_told() {
        let all = Subscribers::new();
        let (mut one, mut other) = (all.join(), all.join());
        let said = |n: usize| Bytes::from(n.to_string());
        for n in 0..=WAITING_FOR_ALL {
            all.tell_all(said(n));
            assert_eq!(one.next().await, said(n));
        }
        assert_eq!(other.next().await, MISSED, "and is told so");
        assert_eq!(other.next().await, said(1));
    }

    #[test]
    fn who_does_not_read_is_passed_over() {
        let all = Subscribers::new();
        let _deaf = all.join();
        let told = (0..2 * WAITING).filter(|_| all.tell_one(&Bytes::new()));
        assert_eq!(told.count(), WAITING);
        let _other = all.join();
        assert!(all.tell_one(&Bytes::new()));
    }
}

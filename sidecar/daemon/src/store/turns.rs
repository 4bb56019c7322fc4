//! Large commands take turns on a connection: until it is answered each is there as a command, as bytes to send, and in the connection's buffer.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// So many bytes of commands are on their way at once; a larger one is alone on its way.
const MOST: usize = 4 << 20;
/// Smaller ones are not counted: there are few of them at once.
const SMALL: usize = 4 << 10;
/// Turns are counted in so many bytes.
const PLACE: usize = 1 << 10;

/// Those of one connection.
///
/// Who has one waits for the server and for nothing else, and not for long. Whatever else a commit has to wait for, such as another daemon's claim, may in its
/// turn wait for somebody who has none yet.
#[derive(Debug, Clone)]
pub(super) struct Turns(Arc<Semaphore>);

/// Whether a command of so many bytes needs a turn.
pub(super) fn is_large(bytes: usize) -> bool {
    bytes > SMALL
}

/// It is given back when it is dropped; small commands need none.
pub(super) type Turn = Option<OwnedSemaphorePermit>;

impl Turns {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST / PLACE)))
    }

    /// Waits for the turn of a large command of so many bytes. In the order in which they are asked for.
    pub(super) async fn take(&self, bytes: usize) -> Turn {
        let places = u32::try_from(bytes.min(MOST) / PLACE).unwrap_or(u32::MAX);
        // Nobody closes it.
        Arc::clone(&self.0).acquire_many_owned(places).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn large_ones_take_turns() {
        let turns = Turns::new();
        let half = turns.take(MOST / 2).now_or_never().unwrap();
        let other_half = turns.take(MOST / 2).now_or_never().unwrap();
        assert!(turns.take(SMALL + PLACE).now_or_never().is_none());
        drop(half);
        assert!(turns.take(4 * MOST).now_or_never().is_none());
        drop(other_half);
        let alone = turns.take(4 * MOST).now_or_never().unwrap();
        assert!(turns.take(MOST / 2).now_or_never().is_none());
        drop(alone);
        assert!(turns.take(MOST / 2).now_or_never().is_some());
    }
}

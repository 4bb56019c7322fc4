//! Whether an application is there, which nobody but this daemon knows: a container without Java is as ready as any other.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// Counts connections, and knows since when there has been none.
#[derive(Debug)]
pub struct Application(watch::Sender<Presence>);

#[derive(Debug)]
struct Presence {
    connections: usize,
    has_come: bool,
    missed_since: Instant,
}

impl Application {
    /// None yet.
    pub fn awaited() -> Self {
        Self(watch::Sender::new(Presence {
            connections: 0,
            has_come: false,
            missed_since: Instant::now(),
        }))
    }

    pub(super) fn comes(&self) {
        self.0.send_modify(|presence| {
            presence.connections += 1;
            presence.has_come = true;
        });
    }

    pub(super) fn goes(&self) {
        self.0.send_modify(|presence| {
            presence.connections -= 1;
            presence.missed_since = Instant::now();
        });
    }

    /// Waits for the first connection; one that ends at once counts.
    pub(super) async fn first(&self) {
        // It never fails: the sender is here.
        let _ = self
            .0
            .subscribe()
            .wait_for(|presence| presence.has_come)
            .await;
    }

    /// For how long it has not been connected; nothing while it is.
    pub fn missed(&self) -> Option<Duration> {
        let presence = self.0.borrow();
        (presence.connections == 0).then(|| presence.missed_since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_missed_from_the_start_and_from_its_last_connection_on() {
        let application = Application::awaited();
        advance(Duration::from_secs(7)).await;
        assert_eq!(application.missed(), Some(Duration::from_secs(7)));
        application.comes();
        application.comes();
        application.goes();
        advance(Duration::from_secs(7)).await;
        assert_eq!(application.missed(), None);
        application.goes();
        advance(Duration::from_secs(3)).await;
        assert_eq!(application.missed(), Some(Duration::from_secs(3)));
        application.first().await;
    }
}

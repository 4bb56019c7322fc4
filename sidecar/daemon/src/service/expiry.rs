//! What a session's listeners are told, what they ask for, and its name.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::sleep;

use super::{Failure, Opened, Service};
use crate::key::Digest;
use crate::metrics::KindLabel;
use crate::subscribers::MISSED;

/// How often the secret that seals names is read. Until then a rotated one is only known to daemons that started later.
const ROTATION: Duration = Duration::from_secs(10);

/// Listeners may take as long, one after the other, before another pod is asked to tell them.
const TELLING: Duration = Duration::from_mins(5);

/// Who has had a session takes it up within this time. Then any other pod is told of it.
pub(super) const SOON: Duration = Duration::from_secs(2);

impl Service {
    /// A session has expired: the listeners of the pod where it was in use know it, and what only that JVM has of it.
    pub(super) fn tell_if_known(&self, id: Digest) {
        // A pod that drains may be gone before it has told its listeners.
        let stays = !self.store.claims().is_draining();
        let name = self.cache().name(id).filter(|_| stays);
        if name.is_some_and(|name| self.tell_one(&name)) {
            self.count_expired("told");
        }
    }

    /// Tells all subscribers that a session has ended, or goes on under another name: what they have of it, such as an open socket, may be of a session
    /// that this daemon has forgotten long ago. So they are told its digest.
    pub(super) fn tell_ended(&self, id: Digest, forward: Option<Digest>) {
        let forward = forward.map_or_else(String::new, |forward| format!(" {}", forward.hex()));
        let message = format!("ended {}{forward}", id.hex());
        self.subscribers.tell_all(message.into());
    }

    /// Tells all subscribers that sessions may have ended of which this daemon has not heard.
    pub(super) fn tell_missed(&self) {
        self.subscribers.tell_all(Bytes::from_static(MISSED));
    }

    /// Tells a subscriber that a session has expired; whether there is one.
    pub(super) fn tell_one(&self, name: &[u8]) -> bool {
        let message = Bytes::from([b"expired ", name].concat());
        self.subscribers.tell_one(&message)
    }

    pub(super) fn count_expired(&self, kind: &'static str) {
        let label = KindLabel { kind };
        self.metrics.expired.get_or_create(&label).inc();
    }

    /// A session's name, fit for the store; empty for one that we do not know under this digest.
    pub(super) fn sealed(&self, id: Digest, name: &[u8]) -> Vec<u8> {
        if Digest::of(name) == id {
            self.sealer.seal(id, name)
        } else {
            Vec::new()
        }
    }

    /// Takes a rotated secret, until the task is dropped.
    pub async fn follow_secret(self: Arc<Self>) {
        loop {
            sleep(ROTATION).await;
            self.sealer.read_secret();
            if let Some(other) = self.store.other() {
                other.read_secret();
            }
        }
    }

    /// `SJ.REAP`: a session that has expired and waits for its listeners.
    pub async fn expired(&self, session: &[u8]) -> Result<Option<Opened>, Failure> {
        let id = Digest::of(session);
        let Some(listing) = self.store.expired(id, TELLING).await? else {
            return Ok(None);
        };
        let accessed = listing.accessed;
        let mut expired = None;
        self.load(id, listing, &mut expired);
        Ok(expired.map(|session| Opened {
            version: session.version,
            created: session.created,
            accessed,
            idle: session.idle,
            lack: session.lack(0, &BTreeSet::new()),
            ticket: None,
        }))
    }
}

//! What an expired session's listeners ask for, and its name.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::{Failure, Opened, Service};
use crate::key::Digest;

/// How often the secret that seals names is read. Until then a rotated one is only known to daemons that started later.
const ROTATION: Duration = Duration::from_secs(10);

/// Listeners may take as long, one after the other, before another pod is asked to tell them.
const TELLING: Duration = Duration::from_mins(5);

impl Service {
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

//! The second store, while sessions move between two.

use std::sync::Arc;

use tokio::sync::OnceCell;
use tokio::time::sleep;

use super::{Heard, Store};
use crate::claims::message::Message;
use crate::claims::trust::BEAT;
use crate::config::{Config, OtherStore};
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::seal::Sealer;

/// The store that sessions come from, and perhaps go to.
#[derive(Debug)]
pub struct Other {
    pub(super) store: Arc<Store>,
    /// What its names are sealed with.
    sealer: Sealer,
    /// What names are sealed with here.
    ours: Arc<Sealer>,
    is_previous: bool,
    /// It is this one, by another address.
    pub(super) is_same: OnceCell<bool>,
}

impl Other {
    /// Begins to connect.
    pub fn start(config: &Config, other: &OtherStore, ours: Arc<Sealer>) -> Self {
        // Of its own: what is counted of the store is about the one that sessions are in.
        let metrics = Arc::new(Metrics::new());
        let (store, mut messages) =
            Store::start(&config.cluster, &other.config, metrics, None, None);
        let store = Arc::new(store);
        let listening = Arc::clone(&store);
        tokio::spawn(async move {
            while let Some(heard) = messages.recv().await {
                // Nothing is claimed there, so there is nothing to be told but who has let go.
                if let Heard::Said(Message::Free { id }) = heard {
                    listening.claims.releases().free(id);
                }
            }
        });
        let beating = Arc::clone(&store);
        tokio::spawn(async move {
            loop {
                // A channel on which nothing is heard is taken for broken.
                let beat = Message::Beat { number: 0 };
                beating.tell(beating.claims.node(), &beat).await;
                sleep(BEAT).await;
            }
        });
        Self {
            store,
            sealer: Sealer::new(config, &other.config),
            ours,
            is_previous: other.is_previous,
            is_same: OnceCell::new(),
        }
    }

    /// Takes a rotated secret.
    pub fn read_secret(&self) {
        self.sealer.read_secret();
    }

    /// The store itself.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Whether all of its sessions are to be taken over.
    pub fn is_previous(&self) -> bool {
        self.is_previous
    }

    /// A name as it is sealed here.
    pub(super) fn seal_anew(&self, id: Digest, sealed: Vec<u8>) -> Vec<u8> {
        match self.sealer.open(id, &sealed) {
            Some(name) => self.ours.seal(id, &name),
            None => sealed,
        }
    }
}

//! Which connection leads to who has a shard.

use std::sync::Arc;

use redis::{RedisError, RedisResult, Value};
use tokio::sync::watch;
use tokio::sync::watch::error::RecvError;

use super::cluster::Cluster;
use super::link::{Connection, Link, State};
use super::map::Map;
use super::reason::Reason;
use super::sentinel::Primary;
use super::target::Target;
use crate::config::{StoreConfig, StoreUrl};
use crate::metrics::Metrics;

/// Which connection leads to who has a shard.
#[derive(Debug)]
pub(super) struct Route {
    /// Of the store as a whole; where there is no cluster, that is all there is.
    pub(super) state: watch::Receiver<State>,
    cluster: Option<Arc<Cluster>>,
    /// Where channels can be listened to.
    pub(super) target: Target,
}

impl Route {
    /// Begins to connect.
    pub(super) fn start(config: &StoreConfig, metrics: &Arc<Metrics>) -> Self {
        let link = |target: Target| {
            let (config, metrics) = (config.clone(), Arc::clone(metrics));
            Link::start(config, target, metrics, Arc::default())
        };
        let (state, cluster, target) = match &config.url {
            StoreUrl::Server(url) => {
                let target = Target::Url(url.clone());
                (link(target.clone()), None, target)
            }
            StoreUrl::Sentinel {
                sentinels, name, ..
            } => {
                let primary = Primary::start(config.clone(), sentinels.clone(), name.clone());
                let target = Target::Primary(primary);
                (link(target.clone()), None, target)
            }
            StoreUrl::Cluster { nodes, .. } => {
                let (config, metrics) = (config.clone(), Arc::clone(metrics));
                let (cluster, state) = Cluster::start(config, metrics, nodes.clone());
                let target = cluster.any_node();
                (state, Some(cluster), target)
            }
        };
        Self {
            state,
            cluster,
            target,
        }
    }

    /// One shard of each server that has any.
    pub(super) fn shards(&self) -> Vec<u8> {
        let cluster = self.cluster.as_ref();
        cluster.map_or_else(|| vec![0], |cluster| cluster.shards())
    }

    /// Of those the one that is of the server that has this.
    pub(super) fn first_of(&self, shard: u8) -> Option<u8> {
        let Some(cluster) = &self.cluster else {
            return Some(0);
        };
        cluster.map().borrow().first_of(shard)
    }

    /// All that the server of this one has.
    pub(super) fn all_of(&self, shard: u8) -> Vec<u8> {
        match &self.cluster {
            Some(cluster) => cluster.map().borrow().all_of(shard),
            None => (0..=u8::MAX).collect(),
        }
    }

    /// Whether there is a connection to who has a shard, and, in a cluster, who has it.
    pub(super) fn way(&self, shard: u8) -> (watch::Receiver<State>, Option<watch::Receiver<Map>>) {
        match &self.cluster {
            None => (self.state.clone(), None),
            Some(cluster) => {
                let map = cluster.map();
                let state = map.borrow().state(shard);
                (state, Some(map))
            }
        }
    }

    /// The node to ask for this once, if the answer says so.
    pub(super) async fn asked(&self, answer: &RedisResult<Value>) -> Option<Connection> {
        let (Some(cluster), Err(error)) = (&self.cluster, answer) else {
            return None;
        };
        cluster.asked(error).await
    }

    pub(super) fn has_moved(&self, error: &RedisError) -> bool {
        let cluster = self.cluster.as_ref();
        cluster.is_some_and(|cluster| cluster.has_moved(error))
    }

    /// Why there is no answer; takes note of it if somebody else has the slot.
    pub(super) fn reason(&self, error: &RedisError) -> Reason {
        self.has_moved(error);
        match Reason::of(error) {
            reason if reason.kind == "cluster" && self.cluster.is_some() => Reason::moving(&reason),
            reason => reason,
        }
    }
}

/// Returns once there is another state, or perhaps somebody else who has the shard.
pub(super) async fn changed(
    mut state: watch::Receiver<State>,
    map: Option<watch::Receiver<Map>>,
) -> Result<(), RecvError> {
    let Some(mut map) = map else {
        return state.changed().await;
    };
    tokio::select! {
        changed = state.changed() => changed,
        changed = map.changed() => changed,
    }
}

//! A cluster: one connection to each primary, and which of them has a shard.

mod asking;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{RedisError, ServerErrorKind, Value};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};
use tracing::{debug, info};

use super::conduct::Conduct;
use super::link::{Connection, Link, State};
use super::map::{Map, Member};
use super::reason::Reason;
use super::slots::{self, Node, Slots};
use super::target::Target;
use crate::config::{Address, StoreConfig};
use crate::metrics::Metrics;

/// A node that a command is sent to for once has to be there by then.
const AT_ONCE: Duration = Duration::from_millis(250);
/// How often the nodes are asked who has what, where nothing hints at news.
const EVERY: Duration = Duration::from_secs(2);
/// How often while a primary is away.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Cluster {
    config: StoreConfig,
    metrics: Arc<Metrics>,
    slots: Slots,
    map: watch::Sender<Map>,
    /// All nodes that are known.
    nodes: watch::Sender<Vec<Address>>,
    nobody: watch::Sender<State>,
    /// The state of the store as a whole.
    whole: watch::Sender<State>,
    /// Those that it had when that was last looked at.
    connections: AtomicU64,
    /// A connection came or went.
    changed: Arc<Notify>,
    /// Somebody was sent elsewhere.
    moved: Notify,
    /// To whom, the last time, until he has been asked.
    named: Mutex<Option<Address>>,
    /// A node that takes longer to say who has what than they are given by now is left for the next. They are given longer where none is in time.
    conduct: Conduct,
}

impl Cluster {
    /// Begins to look for the nodes. What comes along is the state of the store as a whole.
    pub(super) fn start(
        config: StoreConfig,
        metrics: Arc<Metrics>,
        seeds: Vec<Address>,
    ) -> (Arc<Self>, watch::Receiver<State>) {
        let (nobody, unknown) = watch::channel(State::connecting());
        let (whole, state) = watch::channel(State::connecting());
        let cluster = Arc::new(Self {
            config,
            metrics,
            slots: Slots::new(),
            map: watch::Sender::new(Map::new(unknown)),
            nodes: watch::Sender::new(seeds.clone()),
            nobody,
            whole,
            connections: AtomicU64::new(0),
            changed: Arc::default(),
            moved: Notify::new(),
            named: Mutex::default(),
            conduct: Conduct::new(),
        });
        tokio::spawn(Arc::clone(&cluster).run(seeds));
        (cluster, state)
    }

    /// To follow who has what.
    pub(super) fn map(&self) -> watch::Receiver<Map> {
        self.map.subscribe()
    }

    /// Where channels can be listened to.
    pub(super) fn any_node(&self) -> Target {
        Target::AnyNode(self.nodes.subscribe())
    }

    /// One shard of each primary.
    pub(super) fn shards(&self) -> Vec<u8> {
        let map = self.map.borrow();
        map.primaries()
            .into_iter()
            .map(|(shard, _)| shard)
            .collect()
    }

    /// Takes note of it if an error says that somebody else has a slot; whether it does.
    pub(super) fn has_moved(&self, error: &RedisError) -> bool {
        let Some((address, slot)) = redirected(error, ServerErrorKind::Moved) else {
            return false;
        };
        let is_named = !matches!(address.host.as_str(), "" | "?");
        *self.named() = is_named.then(|| address.clone());
        self.moved.notify_one();
        if !is_named {
            // It does not know by what name: whoever is asked tells.
            return false;
        }
        self.map.send_modify(|map| {
            let known = map.find(&address).cloned();
            let owner = known.unwrap_or_else(|| self.member(Node(vec![address]), None));
            map.move_slot(&self.slots, slot, &owner);
        });
        // Before there can be an answer from another server: until then claims are trusted.
        self.is_up();
        true
    }

    /// The node that an error says to ask, for this once.
    pub(super) async fn asked(&self, error: &RedisError) -> Option<Connection> {
        let (address, _) = redirected(error, ServerErrorKind::Ask)?;
        let mut state = None;
        self.map.send_if_modified(|map| {
            let known = map.find(&address).cloned();
            let member = known.unwrap_or_else(|| self.member(Node(vec![address]), None));
            state = Some(member.state.clone());
            map.welcome(member);
            // No shard has another owner.
            false
        });
        let mut state = state?;
        let up = state.wait_for(|state| matches!(state, State::Up(_)));
        // Who sent us there is asked again otherwise.
        match &*timeout(AT_ONCE, up).await.ok()?.ok()? {
            State::Up(connection) => Some(connection.clone()),
            State::Down { .. } => None,
        }
    }

    fn member(&self, node: Node, known: Option<watch::Receiver<State>>) -> Arc<Member> {
        let state = known.unwrap_or_else(|| {
            let address = node.0.first().cloned();
            let target = address.map_or_else(|| self.any_node(), Target::Node);
            let (config, metrics) = (self.config.clone(), Arc::clone(&self.metrics));
            Link::start(config, target, metrics, Arc::clone(&self.changed))
        });
        Arc::new(Member { node, state })
    }

    /// Follows the cluster, for as long as somebody looks at the state of the whole.
    async fn run(self: Arc<Self>, seeds: Vec<Address>) {
        let mut pause = FIRST_PAUSE;
        while !self.whole.is_closed() {
            if let Err(reason) = self.ask(&seeds).await {
                debug!(%reason, "no node says who has what");
                self.unknown(reason);
            }
            if self.is_up() {
                pause = FIRST_PAUSE;
                self.until_news().await;
            } else {
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
            // A slot moves many times while nodes are added: they are not asked for each command that was sent elsewhere.
            let pause = sleep(pause);
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    () = self.changed.notified() => self.is_up(),
                };
            }
        }
    }

    /// Returns when it is worth while to ask the nodes.
    async fn until_news(&self) {
        let next = sleep(EVERY);
        tokio::pin!(next);
        loop {
            tokio::select! {
                () = &mut next => return,
                () = self.moved.notified() => return,
                () = self.changed.notified() => if !self.is_up() { return },
            }
        }
    }

    /// Whether the whole is up, and says so.
    fn is_up(&self) -> bool {
        let (now, connections) = {
            let map = self.map.borrow();
            (map.summary(), map.connections())
        };
        let up = matches!(now, State::Up(_));
        self.whole.send_if_modified(|before| {
            // While a part is away each attempt to reach it may fail for another reason: the claims that are known elsewhere are as good as before.
            let other = self.connections.swap(connections, Ordering::Relaxed) != connections;
            let news = other || up != matches!(before, State::Up(_));
            *before = now;
            news
        });
        up
    }

    fn named(&self) -> MutexGuard<'_, Option<Address>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an answer for the truth; whether it is an answer.
    fn learn(&self, answer: Value, asked: &Address, seeds: &[Address]) -> bool {
        let ranges = slots::read(answer, asked).unwrap_or_default();
        let mut nodes: Vec<&Node> = Vec::new();
        for node in ranges.iter().flat_map(|range| &range.nodes) {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        if nodes.is_empty() {
            return false;
        }
        let known = nodes.iter().filter_map(|node| node.0.first());
        let mut known: Vec<Address> = known.chain(seeds).cloned().collect();
        known.sort_by(|a, b| (&a.host, a.port).cmp(&(&b.host, b.port)));
        known.dedup();
        self.nodes.send_replace(known);
        self.map.send_modify(|map| {
            map.learn(&self.slots, &ranges, |node, known| {
                if known.is_none() {
                    info!(server = ?node.0.first(), "primary of the cluster");
                }
                self.member(node.clone(), known)
            });
        });
        true
    }

    /// Says why nobody is known who has a shard.
    fn unknown(&self, reason: Reason) {
        self.nobody.send_modify(|state| {
            if let State::Down { reason: known, .. } = state {
                *known = reason;
            }
        });
    }
}

/// The address and the slot in an error of this kind.
fn redirected(error: &RedisError, kind: ServerErrorKind) -> Option<(Address, u16)> {
    if error.kind() != redis::ErrorKind::Server(kind) {
        return None;
    }
    let (address, slot) = error.redirect_node()?;
    // An IPv6 address has no brackets there.
    let (host, port) = address.rsplit_once(':')?;
    let (host, port) = (host.to_owned(), port.parse().ok()?);
    Some((Address { host, port }, slot))
}

#[cfg(test)]
mod tests;

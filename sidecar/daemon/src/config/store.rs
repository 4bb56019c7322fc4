//! Where the store is, how it is logged in to, and how long it is waited for.

use std::path::PathBuf;
use std::time::Duration;

use super::reader::Reader;
use super::store_url::{StoreUrl, store_url};
use super::{Mode, units};
use crate::session::packing::Packing;

/// What a request meets whose session cannot be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// What its client holds, if it holds anything: right where users come back to the same pod.
    Serve,
    /// A refusal: without stickiness what the client holds may be old.
    Refuse,
}

impl Outage {
    /// As it is written in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serve => "Serve",
            Self::Refuse => "Refuse",
        }
    }
}

/// Where the store is and how we prove who we are.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// Where it is.
    pub url: StoreUrl,
    /// Read at each connect, so that a rotated credential works. A file that is not there counts as not set.
    pub username_file: Option<PathBuf>,
    /// As above.
    pub password_file: Option<PathBuf>,
    /// Whom to trust, and nobody else; not set: the public authorities. Read at each connect too.
    pub ca_file: Option<PathBuf>,
    /// As the store's, for Sentinels: without it they are asked without a login.
    pub sentinel_username_file: Option<PathBuf>,
    /// As above.
    pub sentinel_password_file: Option<PathBuf>,
    /// Used where no file says otherwise.
    pub username: Option<String>,
    /// Used where no file says otherwise.
    pub password: Option<String>,
    /// How many replicas must hold a write before it is confirmed.
    pub replicas_ack: usize,
    /// Commits may be answered before it has them: lives that run out while it takes no writes do not void them.
    pub answered_early: bool,
    /// How long a request waits for a store that is away.
    pub patience: Duration,
    /// What it meets after that.
    pub outage: Outage,
    /// Daemons of this cluster have reached it before: it may have the session of whoever comes, though this daemon never reached it.
    pub in_use: bool,
    /// How long daemons give each other, after a loss, to put tombstones back.
    pub settle: Duration,
    /// What is compressed in it.
    pub packing: Packing,
    /// Another one, while sessions move.
    pub other: Option<Box<OtherStore>>,
}

/// The store that sessions move to, or come from. What is in neither place of it is as for the main one.
#[derive(Debug, Clone)]
pub struct OtherStore {
    /// Where it is.
    pub config: StoreConfig,
    /// The main one takes all of its sessions over; otherwise only what is asked for.
    pub is_previous: bool,
}

pub(super) fn store(reader: &mut Reader, mode: Mode) -> StoreConfig {
    let main = StoreConfig {
        // 15 s: a pod of the store that is replaced on a busy node is back within it. A request that gives up earlier, for a
        // session that its own pod does not hold, is a logout.
        patience: reader.with_default("store.patience", units::some_time, Duration::from_secs(15)),
        outage: reader.with_default("store.outage", units::outage, Outage::Serve),
        in_use: reader.with_default("store.in_use", units::switch, false),
        packing: reader.with_default("compress_above", units::packing, Packing(Some(16 << 10))),
        // Twice what a daemon may take to notice.
        settle: reader.with_default("store.settle", units::some_time, Duration::from_secs(5)),
        ..access(reader, "store", mode)
    };
    let other = other(reader, mode, &main);
    StoreConfig { other, ..main }
}

/// Where a store is and how it is logged in to; all else is for the caller to say.
fn access(reader: &mut Reader, at: &str, mode: Mode) -> StoreConfig {
    let key = |name: &str| format!("{at}.{name}");
    let replicas = reader.with_default(&key("replicas_ack"), units::count, 0);
    StoreConfig {
        url: reader.required(&key("url"), store_url),
        username_file: reader.optional(&key("username_file"), units::path),
        password_file: reader.optional(&key("password_file"), units::path),
        ca_file: reader.optional(&key("ca_file"), units::path),
        sentinel_username_file: reader.optional(&key("sentinel_username_file"), units::path),
        sentinel_password_file: reader.optional(&key("sentinel_password_file"), units::path),
        username: reader.optional(&key("username"), units::text),
        password: reader.optional(&key("password"), units::text),
        // What is answered before the store has it promises nothing of replicas.
        replicas_ack: if mode == Mode::Sync { replicas } else { 0 },
        answered_early: mode == Mode::Async,
        patience: Duration::ZERO,
        outage: Outage::Serve,
        in_use: false,
        settle: Duration::ZERO,
        packing: Packing(None),
        other: None,
    }
}

fn other(reader: &mut Reader, mode: Mode, main: &StoreConfig) -> Option<Box<OtherStore>> {
    let (next, previous) = (
        reader.has_any("store.next."),
        reader.has_any("store.previous."),
    );
    if next && previous {
        let text = "store.next and store.previous are both set: sessions move in one direction at a time, remove one of them";
        reader.problem(text.into());
    }
    if !next && !previous {
        return None;
    }
    let at = if previous {
        "store.previous"
    } else {
        "store.next"
    };
    let other = access(reader, at, mode);
    let config = StoreConfig {
        patience: main.patience,
        outage: main.outage,
        in_use: main.in_use,
        settle: main.settle,
        packing: main.packing,
        ..other
    };
    Some(Box::new(OtherStore {
        config,
        is_previous: previous,
    }))
}

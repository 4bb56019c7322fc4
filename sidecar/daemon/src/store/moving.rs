//! Two stores, while the sessions of one move to the other: whoever asks for a session that is in the other one takes it over first.
//!
//! A session lives in one of them at a time. It is taken ([`Store::take`]): ended where it was, but for what it takes to write it elsewhere. Then it is
//! written here. Each move has a number, one higher than the last, and what was taken for a move is written only where no later one has been: so a
//! daemon that was stopped in between brings nothing old back, and one that died is followed by whoever asks next.

use std::sync::Arc;
use std::time::Duration;

use redis::Value;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};
use tracing::error;

use super::answer::{Answer, Listing, bytes, integer};
use super::claims::Call;
use super::{Patience, Refill, Store, Unavailable};
use crate::claims::message::Message;
use crate::claims::trust::BEAT;
use crate::config::{Config, OtherStore};
use crate::key::Digest;
use crate::metrics::Metrics;
use crate::seal::Sealer;
use crate::session::confirmed::Moment;

/// How long what was taken may be written. Later somebody may have ended it, or taken it further, and nothing tell of that any more.
const FRESH: Duration = Duration::from_mins(4);
/// How soon a store that is away is asked again.
const AGAIN: Duration = Duration::from_millis(250);
/// What becomes of a session that is being written to the other store takes a round trip or two.
const UNDER_WAY: Duration = Duration::from_millis(40);

/// The store that sessions come from, and perhaps go to.
#[derive(Debug)]
pub struct Other {
    store: Arc<Store>,
    /// What its names are sealed with.
    sealer: Sealer,
    /// What names are sealed with here.
    ours: Arc<Sealer>,
    is_previous: bool,
    /// It is this one, by another address.
    is_same: OnceCell<bool>,
}

/// What came of looking for a session in the other store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brought {
    /// It may be here now.
    Here,
    /// There is none.
    Nothing,
    /// It has ended there, and perhaps goes on under another digest.
    Ended(Option<Digest>),
}

/// A session that was taken.
#[derive(Debug)]
struct Taken {
    /// When it was asked for.
    at: Moment,
    name: Vec<u8>,
    moves: u64,
    ago: Duration,
    listing: Listing,
}

/// What there is to take.
#[derive(Debug)]
enum Take {
    Taken(Box<Taken>),
    /// It has gone to the other one.
    Gone,
    /// It lives, and was not to be taken.
    Lives,
    Nothing,
    Ended(Option<Digest>),
}

/// What became of a session that was taken.
#[derive(Debug, Clone, Copy)]
enum Put {
    Here,
    Ended(Option<Digest>),
    /// It has moved since, and that was its so many-th move: what was taken is old.
    Moved(u64),
}

impl Brought {
    pub(super) fn is_here(self) -> bool {
        self == Self::Here
    }
}

impl Take {
    fn read(value: Value, at: Moment) -> Option<Self> {
        let Value::Array(items) = value else {
            return None;
        };
        let mut items = items.into_iter();
        Some(match integer(&items.next()?)? {
            0 => Self::Nothing,
            2 => Self::Gone,
            3 => Self::Lives,
            -1 => {
                let forward = items.next().and_then(bytes);
                Self::Ended(forward.and_then(|hex| Digest::from_hex(&hex)))
            }
            _ => Self::Taken(Box::new(Taken {
                at,
                name: bytes(items.next()?)?,
                moves: u64::try_from(integer(&items.next()?)?).ok()?,
                ago: Duration::from_millis(
                    u64::try_from(integer(&items.next()?)?).unwrap_or_default(),
                ),
                listing: match Answer::read(items.next()?)? {
                    Answer::Listing(listing) => listing,
                    _ => return None,
                },
            })),
        })
    }
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
            while let Some(message) = messages.recv().await {
                // Nothing is claimed there, so there is nothing to be told but who has let go.
                if let Message::Free { id } = message {
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
    fn seal_anew(&self, id: Digest, sealed: Vec<u8>) -> Vec<u8> {
        match self.sealer.open(id, &sealed) {
            Some(name) => self.ours.seal(id, &name),
            None => sealed,
        }
    }
}

impl Store {
    /// The other one, while sessions move.
    pub fn other(&self) -> Option<&Other> {
        self.other.as_deref()
    }

    /// Takes a session over that nobody has asked for; whether there was one.
    pub async fn take_over(&self, id: Digest) -> Result<bool, Unavailable> {
        Ok(self.bring(id, 0, Patience::Bounded).await?.is_here())
    }

    /// Takes a session over from the other store, if it is there. `moves`: how often it has moved, as far as this store says.
    pub(super) async fn bring(
        &self,
        id: Digest,
        moves: u64,
        patience: Patience,
    ) -> Result<Brought, Unavailable> {
        let Some(other) = &self.other else {
            return Ok(Brought::Nothing);
        };
        loop {
            // Each step in bounded time, whatever the patience: what was taken is not to be written hours later.
            match self.bring_from(other, id, moves).await {
                Err(_) if patience == Patience::Endless => sleep(AGAIN).await,
                brought => return brought,
            }
        }
    }

    async fn bring_from(
        &self,
        other: &Other,
        id: Digest,
        moves: u64,
    ) -> Result<Brought, Unavailable> {
        if self.is_same(other).await? {
            return Ok(Brought::Nothing);
        }
        let deadline = self.deadline(Patience::Bounded);
        let (mut floor, mut was_gone) = (moves, false);
        loop {
            let is_gone = match other.store.take(id, floor, true).await? {
                Take::Ended(forward) => return Ok(Brought::Ended(forward)),
                Take::Taken(taken) => {
                    match self.put_taken(id, *taken, other).await? {
                        Put::Here => return Ok(Brought::Here),
                        Put::Ended(forward) => return Ok(Brought::Ended(forward)),
                        Put::Moved(later) => floor = later,
                    }
                    self.check(deadline)?;
                    continue;
                }
                Take::Gone => true,
                Take::Lives | Take::Nothing => false,
            };
            match self.take(id, 0, false).await? {
                Take::Taken(taken) => {
                    if self.take_back(id, *taken, other).await? {
                        return Ok(Brought::Here);
                    }
                }
                // Since it was asked for here it has come.
                Take::Lives => return Ok(Brought::Here),
                Take::Ended(forward) => return Ok(Brought::Ended(forward)),
                // It went there since it was looked for there: or, where that was seen before, it is over.
                Take::Gone if is_gone || !was_gone => was_gone = true,
                Take::Gone | Take::Nothing => return Ok(Brought::Nothing),
            }
            self.check(deadline)?;
            sleep(UNDER_WAY.mul_f64(fastrand::f64())).await;
        }
    }

    /// Whether the other store is this one by another address: nothing can be taken from it then. What no daemon can have in common with another store is
    /// its epoch, except where one was copied to the other.
    async fn is_same(&self, other: &Other) -> Result<bool, Unavailable> {
        let deadline = self.deadline(Patience::Bounded);
        let look = async || {
            let (ours, theirs) = (self.epoch(0).await?, other.store.epoch(0).await?);
            if ours == theirs {
                error!(
                    mend = "let store.next or store.previous name another store",
                    "both stores are one, or one is a copy of the other: no session is taken over"
                );
            }
            Ok(ours == theirs)
        };
        loop {
            match other.is_same.get_or_try_init(look).await {
                Ok(is_same) => return Ok(*is_same),
                Err(unavailable) if deadline.is_some_and(|deadline| deadline <= Instant::now()) => {
                    return Err(unavailable);
                }
                Err(_) => sleep(UNDER_WAY).await,
            }
        }
    }

    /// Writes what was taken; whether it is here now.
    async fn put_taken(&self, id: Digest, taken: Taken, other: &Other) -> Result<Put, Unavailable> {
        let Taken {
            at,
            name,
            moves,
            ago,
            listing,
        } = taken;
        let Some(loaded) = listing.load(None) else {
            error!(
                session = id.hex(),
                "session unreadable: it is not taken along"
            );
            self.metrics.unreadable.inc();
            return Ok(Put::Ended(None));
        };
        if at.elapsed() > FRESH {
            return Ok(Put::Moved(moves - 1));
        }
        let refill = Refill {
            session: &loaded.session,
            name: &other.seal_anew(id, name),
            ago,
            instead: None,
            moves: Some(moves),
        };
        let put = match self.put(id, &refill, Patience::Bounded).await? {
            Answer::Done(_) => {
                self.metrics.moving.moved.inc();
                Put::Here
            }
            // Somebody else was first, and has perhaps gone on from it.
            Answer::Listing(_) => Put::Here,
            Answer::Moved(later) => return Ok(Put::Moved(later)),
            Answer::Ended { forward, .. } => Put::Ended(forward),
            _ => Put::Ended(None),
        };
        other.store.leave_word(id, moves).await?;
        Ok(put)
    }

    /// Has a session live here again that was taken from here, and is not in the other store: whoever took it died, or is about to write it there. Whether
    /// it does.
    async fn take_back(
        &self,
        id: Digest,
        taken: Taken,
        other: &Other,
    ) -> Result<bool, Unavailable> {
        sleep(UNDER_WAY.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
        let taken = Taken {
            moves: taken.moves + 1,
            ..taken
        };
        // From now on nobody writes it there.
        if !other.store.leave_word(id, taken.moves).await? {
            return Ok(false);
        }
        let put = self.put_taken(id, taken, other).await?;
        Ok(matches!(put, Put::Here))
    }

    /// Ends a session here for the other store, if it is there; with `living` false only one is answered that was taken before.
    async fn take(&self, id: Digest, floor: u64, living: bool) -> Result<Take, Unavailable> {
        let script = &self.scripts.take;
        let floor = floor.to_string();
        let living: &[u8] = if living { b"1" } else { b"" };
        let arguments = [floor.as_bytes(), living];
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        let at = Moment::now();
        let value = self.run(call, Patience::Bounded).await?;
        Take::read(value, at).ok_or_else(|| self.caller.nonsense(script, &Value::Nil))
    }

    /// Leaves word that a session is elsewhere; false where it is here, or has moved since.
    async fn leave_word(&self, id: Digest, moves: u64) -> Result<bool, Unavailable> {
        let script = &self.scripts.moved;
        let moves = moves.to_string();
        let arguments = [moves.as_bytes()];
        let call = Call {
            indexed: true,
            ..Call::of(script, id, &arguments)
        };
        Ok(self.run(call, Patience::Bounded).await? == Value::Int(1))
    }
}

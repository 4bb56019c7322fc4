//! Two stores, while the sessions of one move to the other: whoever asks for a session that is in the other one takes it over first.
//!
//! A session lives in one of them at a time. It is taken ([`Store::take`]): ended where it was, but for what it takes to write it elsewhere. Then it is
//! written here. Each move has a number, one higher than the last, and what was taken for a move is written only where no later one has been: so a
//! daemon that was stopped in between brings nothing old back, and one that died is followed by whoever asks next.

use std::time::Duration;

use redis::Value;
use tokio::time::{Instant, sleep};
use tracing::error;

use super::answer::Answer;
use super::claims::Call;
use super::other::Other;
use super::take::{Take, Taken};
use super::{Patience, Refill, Store, Unavailable};
use crate::key::Digest;

/// How long what was taken may be written. Later somebody may have ended it, or taken it further, and nothing tell of that any more.
const FRESH: Duration = Duration::from_mins(4);
/// How soon a store that is away is asked again.
const AGAIN: Duration = Duration::from_millis(250);
/// What becomes of a session that is being written to the other store takes a round trip or two.
const UNDER_WAY: Duration = Duration::from_millis(40);

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

impl Store {
    /// The other one, while sessions move.
    pub fn other(&self) -> Option<&Other> {
        self.other.as_deref()
    }

    /// Takes a session over that nobody has asked for; whether there was one.
    pub async fn take_over(&self, id: Digest) -> Result<bool, Unavailable> {
        Ok(self.bring(id, 0, Patience::Bounded).await?.is_here())
    }

    /// Runs a script wherever the session is: where `not_there` says of an answer that there is none here, it is looked for in the other store, told how often it
    /// has moved. What came of that, where it is in neither.
    pub(super) async fn wherever<T>(
        &self,
        call: Call<'_>,
        patience: Patience,
        read: impl Fn(Value) -> Option<T>,
        not_there: impl Fn(&T) -> Option<u64>,
    ) -> Result<Result<T, Brought>, Unavailable> {
        let deadline = self.deadline(patience);
        loop {
            let answer = read(self.run(call, patience).await?);
            let Some(answer) = answer else {
                // Only a store that is none of ours answers anything else.
                return Err(self.caller.nonsense(call.script, &Value::Nil));
            };
            let Some(moves) = not_there(&answer) else {
                return Ok(Ok(answer));
            };
            // Rarely: it need not take room in each request that waits.
            match Box::pin(self.bring(call.id, moves, patience)).await? {
                // Others may ask for it there as fast as we do here.
                Brought::Here => self.check(deadline)?,
                nowhere => return Ok(Err(nowhere)),
            }
        }
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
            Ok::<_, Unavailable>(ours == theirs)
        };
        loop {
            match other.is_same.get_or_try_init(look).await {
                Ok(is_same) => return Ok(*is_same),
                // Nobody waits for what does not pass by itself, or anew for what has kept others waiting.
                Err(unavailable)
                    if other
                        .store
                        .caller
                        .says_refused("epoch", unavailable.reason())
                        || other.store.caller.is_long_away()
                        || deadline.is_some_and(|deadline| deadline <= Instant::now()) =>
                {
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
}

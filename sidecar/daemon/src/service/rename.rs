//! `SJ.RENAME`: two keys, no transaction over both.
//!
//! The new key is written whole first; then the old one becomes a tombstone with a forward, but only at the version that was
//! copied. Whoever commits in between makes that fail, and the copy is brought up to date, from then on with the session claimed:
//! he waits for that instead of coming in between again.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::time::Instant as Deadline;
use tracing::warn;

use super::commit::Step;
use super::open::Refreshed;
use super::reached::{Known, Reached};
use super::rightful::whole_in_store;
use super::{Ask, Failure, Service};
use crate::cache::Slot;
use crate::claims::Kind;
use crate::claims::id::Claim;
use crate::command::Commit;
use crate::key::Digest;
use crate::session::{Change, Session, Token};
use crate::store::answer::Answer;
use crate::store::{Patience, Terms};

/// What a client is told who may ask again: the session lives, under its old name.
const OVERTAKEN: &str =
    "others have committed to the session all the while: it has not left its old name";

struct Ids {
    old: Digest,
    new: Digest,
    new_name: Bytes,
    /// The session is claimed, or locked: so it is to be under its new name.
    want: Option<Claim>,
    patience: Patience,
}

/// A session under its new name.
struct Renamed {
    version: u64,
    /// The claim that was made of it.
    made: Option<Claim>,
}

impl Service {
    /// The session's version under its new name.
    pub async fn rename(
        self: &Arc<Self>,
        session: &Bytes,
        new_session: &Bytes,
        base: u64,
    ) -> Result<u64, Failure> {
        let (old_id, new_id) = (Digest::of(session), Digest::of(new_session));
        if old_id == new_id {
            let ask = Ask {
                held: base,
                passive: false,
                patience: self.patience_of_request(),
            };
            let opened = self.open(session, ask, false, None).await?;
            return opened.map(|opened| opened.version).ok_or(Failure::Gone);
        }
        let patience = self.patience_of_request();
        let (old, new) = {
            let mut cache = self.cache();
            (cache.slot(old_id), cache.slot(new_id))
        };
        let kind = match self.lock_of(old_id) {
            Some(_) => Some(Kind::Sole),
            None => self.trusted_claim(&old.state()).map(Claim::kind),
        };
        let want = kind.and_then(|kind| self.store.claims().next_even_draining(kind));
        new.state().ask(want);
        let ids = Ids {
            old: old_id,
            new: new_id,
            new_name: new_session.clone(),
            want,
            patience,
        };
        let renamed = self.rename_slots(&ids, &old, &new, base).await;
        self.settle(ids.old, old);
        self.settle(ids.new, new);
        if renamed.is_ok() {
            self.announce_end(ids.old, Some(ids.new));
        }
        renamed
    }

    async fn rename_slots(
        &self,
        ids: &Ids,
        old: &Slot,
        new: &Arc<Slot>,
        base: u64,
    ) -> Result<u64, Failure> {
        // Always in the same order, or two renames across each other would wait for ever.
        let (first, second) = if ids.old < ids.new {
            ((ids.old, old), (ids.new, &**new))
        } else {
            ((ids.new, &**new), (ids.old, old))
        };
        let _first_turn = self.turn(first.0, first.1).await;
        let _second_turn = self.turn(second.0, second.1).await;
        self.wait_until_flushed(old).await?;
        self.wait_until_flushed(new).await?;
        let mut from = old.state().held.take();
        // What we hold under the new name, if anything, is of another life of that name.
        let mut to = None;
        let sent = Instant::now();
        let renamed = self.rename_held(ids, &mut from, &mut to, base).await;
        let standing = {
            let mut state = old.state();
            state.held = from;
            state.set_claim(None);
            state.standing
        };
        {
            let mut state = new.state();
            (state.held, state.standing) = (to, standing);
            state.set_claim(None);
        }
        let renamed = renamed?;
        let made = renamed.made;
        self.reached(ids.new, new, Known::Told(sent), Reached::Created { made });
        self.move_lock(ids.old, ids.new, new, made);
        Ok(renamed.version)
    }

    async fn rename_held(
        &self,
        ids: &Ids,
        from: &mut Option<Session>,
        to: &mut Option<Session>,
        base: u64,
    ) -> Result<Renamed, Failure> {
        let renamed = self.copy_and_end(ids, from, to, base).await;
        if matches!(renamed, Err(Failure::Gone)) {
            *from = None;
            // Somebody ended it: so ends the copy. Not where nobody can say that: the client goes on with the copy then.
            if to.take().is_some() {
                self.end_copy(ids.new, ids.patience).await;
            }
        }
        renamed
    }

    /// With the copy left as it is where that fails.
    async fn copy_and_end(
        &self,
        ids: &Ids,
        from: &mut Option<Session>,
        to: &mut Option<Session>,
        base: u64,
    ) -> Result<Renamed, Failure> {
        let mut made = None;
        let mut looking = Terms::new(ids.patience);
        let deadline = ids.patience.deadline(self.patience);
        loop {
            self.await_refill(ids.old, from, looking.patience).await?;
            let refreshed = self.refresh(ids.old, from, &looking).await?;
            let source = match (refreshed, from.as_ref()) {
                (Refreshed::Accessed { .. }, Some(source)) => source,
                // The answer to this rename was lost on the way, and the client asks again.
                (Refreshed::Ended(Some(forward)), _) if forward == ids.new => {
                    self.refresh(ids.new, to, &looking).await?;
                    let session = to.as_ref().ok_or(Failure::Gone)?;
                    self.cache().doubt(ids.new, session.version);
                    let version = session.version;
                    return Ok(Renamed { version, made });
                }
                _ => return Err(Failure::Gone),
            };
            made = self.copy(ids, source, to).await?.or(made);
            let copied = to.as_ref().ok_or(Failure::Gone)?;
            let (token, left) = (Token::random(), Some((ids.new, source.version)));
            let ended = self.store.end(ids.old, token, left, ids.patience);
            match ended.await? {
                1 => {
                    self.ends.hear(ids.old, Some(ids.new));
                    let lacks = self.cache().take_doubt(ids.old, base) || source.version != base;
                    if lacks {
                        // Of what others did, and the reply has no room to tell.
                        self.cache().doubt(ids.new, copied.version);
                    }
                    *from = None;
                    let version = copied.version;
                    return Ok(Renamed { version, made });
                }
                // Somebody committed: the copy is not up to date. He lets go once, and cannot do it again before we are done.
                2 if deadline.is_none_or(|deadline| Deadline::now() < deadline) => {
                    looking.want = self.store.claims().next_even_draining(Kind::Sole);
                }
                2 => return Err(Failure::Held(OVERTAKEN.into())),
                // Somebody ended it, or gave it this very name: the next look says which.
                _ if deadline.is_none_or(|deadline| Deadline::now() < deadline) => {}
                _ => return Err(Failure::Gone),
            }
        }
    }

    /// What was copied has ended: at once, or when the store takes it.
    async fn end_copy(&self, new: Digest, patience: Patience) {
        let begun = self.ends.begin(new);
        let ended = self.store.end(new, begun.token, None, patience).await;
        if begun.done() || ended.is_err() {
            self.ends.owe(new, false);
        }
    }

    /// Makes the session under the new name the same as `source`; the claim that was made of it.
    async fn copy(
        &self,
        ids: &Ids,
        source: &Session,
        to: &mut Option<Session>,
    ) -> Result<Option<Claim>, Failure> {
        let terms = Terms {
            want: ids.want,
            ..Terms::new(ids.patience)
        };
        if to.is_none() {
            let mut copy = source.clone();
            copy.version += 1;
            copy.token = Token::random();
            let name = self.sealed(ids.new, &ids.new_name);
            match self.store.create(ids.new, &copy, &name, &terms).await? {
                Answer::Done(_) => {
                    copy.name = ids.new_name.clone();
                    whole_in_store(&mut copy);
                    *to = Some(copy);
                    return Ok(ids.want);
                }
                Answer::Listing(listing) => {
                    self.load(ids.new, listing, to);
                }
                _ => {
                    warn!(
                        session = ids.new.hex(),
                        "session renamed to a name that has ended"
                    );
                    return Err(Failure::Gone);
                }
            }
        }
        let Some(target) = to.as_ref() else {
            return Err(Failure::Gone);
        };
        let commit = Commit {
            session: Bytes::new(),
            base: target.version,
            idle: source.idle,
            created: source.created,
            changes: differences(source, target),
            patches: Vec::new(),
            passive: false,
        };
        match self.commit_at(ids.new, to, &commit, &terms).await? {
            // One beside that of another daemon would be taken for the only one.
            Step::Done(done) => Ok(done.claims.made.filter(|_| !done.claims.others.any)),
            Step::Forward(_) | Step::Gone | Step::Fenced => Err(Failure::Gone),
        }
    }
}

/// The changes that make `target` the same as `source`.
fn differences(source: &Session, target: &Session) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, attribute) in source.attributes() {
        if target.value(name) != attribute.value.as_ref() {
            changes.push(Change::whole(name.clone(), attribute.value.clone()));
        }
    }
    for name in target.attributes().keys() {
        if source.value(name).is_none() && target.value(name).is_some() {
            changes.push(Change::whole(name.clone(), None));
        }
    }
    changes
}

//! Commits that carry deltas of what the client holds become commits of whole values.

use super::{Failure, Opened, Service};
use crate::cache::Slot;
use crate::command::{Commit, Patch};
use crate::key::Digest;
use crate::session::{Change, Session};

/// Applies the deltas to the values that they were made from, which this daemon handed out or was given.
pub(super) async fn resolve(
    service: &Service,
    id: Digest,
    slot: &Slot,
    commit: &mut Commit,
) -> Result<(), Failure> {
    if commit.patches.is_empty() {
        return Ok(());
    }
    let _turn = service.turn(id, slot).await;
    let state = slot.state();
    let session = state.view.as_ref().or(state.held.as_ref());
    for patch in std::mem::take(&mut commit.patches) {
        let name = patch.name.clone();
        let change = session.and_then(|session| applied(session, commit.base, patch));
        let missing = || Failure::Missing(String::from_utf8_lossy(&name).into_owned());
        commit.changes.push(change.ok_or_else(missing)?);
    }
    Ok(())
}

/// What a client lacks that can apply deltas to what it holds.
pub(super) fn shorten(slot: &Slot, held: u64, opened: Opened) -> Opened {
    let state = slot.state();
    let session = state.view.as_ref().or(state.held.as_ref());
    match session.filter(|session| session.version == opened.version) {
        Some(session) => Opened {
            lack: session.as_steps(held, opened.lack),
            ..opened
        },
        None => opened,
    }
}

/// The delta carries a checksum of what comes out: applied to anything else it gives nothing.
fn applied(session: &Session, base: u64, patch: Patch) -> Option<Change> {
    let attribute = session.attributes().get(&patch.name)?;
    let old = attribute
        .value
        .as_ref()
        .filter(|_| attribute.changed <= base)?;
    Change::by(patch.name, old.clone(), patch.delta)
}

//! Commits that come late: the session goes on under another name.

use super::commit::{LOST, Sent, Step};
use super::{Committed, Failure, Service};
use crate::cache::Slot;
use crate::command::Commit;
use crate::key::Digest;
use crate::store::Terms;

/// Renames that a late commit follows. More in one request's time is a loop.
pub(super) const MAX_FORWARDS: usize = 8;

impl Service {
    /// What a client is told of a commit; perhaps it has to be made under another digest.
    pub(super) async fn follow(
        &self,
        step: Step,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Committed, Failure> {
        match step {
            Step::Done(done) => Ok(done.committed),
            Step::Forward(to) => {
                let terms = Terms {
                    fence: terms.fence,
                    ..Terms::new(terms.patience)
                };
                Box::pin(self.commit_forwarded(to, commit, &terms)).await
            }
            Step::Gone => Err(Failure::Gone),
            Step::Fenced => Err(Failure::Busy(LOST.into())),
        }
    }

    /// A commit to a session that was renamed meanwhile.
    pub(super) async fn commit_forwarded(
        &self,
        mut id: Digest,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Committed, Failure> {
        for _ in 0..MAX_FORWARDS {
            let slot = self.cache().slot(id);
            let step = self.commit_under_new_name(id, &slot, commit, terms).await;
            self.settle(id, slot);
            match step? {
                Step::Done(done) => return Ok(done.committed),
                Step::Forward(to) => id = to,
                Step::Gone => break,
                Step::Fenced => return Err(Failure::Busy(LOST.into())),
            }
        }
        Err(Failure::Gone)
    }

    async fn commit_under_new_name(
        &self,
        id: Digest,
        slot: &Slot,
        commit: &Commit,
        terms: &Terms,
    ) -> Result<Step, Failure> {
        let _turn = self.turn(id, slot).await;
        self.wait_until_flushed(slot).await?;
        // Under the old name there was nothing to measure it by. One that its client was told of is not to be lost for its size.
        if !terms.told {
            self.check_size(slot.state().held.as_ref(), commit)?;
        }
        let mut held = slot.state().held.take();
        let sent = Sent::now(commit, None);
        let step = self.commit_at(id, &mut held, commit, terms).await;
        slot.state().hold(held, step.is_err());
        let step = step?;
        self.committed_at(id, slot, &sent, &step);
        Ok(step)
    }
}

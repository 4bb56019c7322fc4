//! What somebody relies on is held by replicas, if they are to hold it.

use super::{Caller, Run};
use crate::key::shard_of;
use crate::store::link::Connection;
use crate::store::reason::Reason;

impl Caller {
    /// Waits until replicas hold what somebody relies on, if they are to; not for long. `asked` leads to who had the shard, `wrote` to who has written it.
    pub(super) async fn hold(
        &self,
        run: Run<'_>,
        asked: &Connection,
        wrote: &Connection,
    ) -> Result<(), Reason> {
        if !run.script.is_relied_on {
            return Ok(());
        }
        if let Some(replicas) = wrote.replicas()
            && !replicas.hold(run.key()).await?
        {
            if !self.still_leads(run, asked) {
                // It may be a replica by now, or be about to become one: then what it alone holds is lost.
                return Err(Reason::replaced());
            }
            self.metrics.store_unreplicated.inc();
        }
        Ok(())
    }

    /// Whether a connection still is the one to who has the shard.
    fn still_leads(&self, run: Run<'_>, connection: &Connection) -> bool {
        self.connection_to(shard_of(run.key())) == Some(connection.id())
    }
}

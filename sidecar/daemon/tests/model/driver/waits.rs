//! How long to wait until something that went wrong is noticed, and over.

use std::collections::BTreeSet;

use super::{ASYNC, Driver, Pod};
use crate::harness::{Reply, until};
use crate::reference::DaemonLife;

impl Driver {
    pub(super) fn until_all_down(&self) {
        self.pods
            .iter()
            .for_each(|pod| pod.daemon.until_store("down"));
    }

    pub(super) fn until_all_answer(&self) {
        for pod in &self.pods {
            pod.daemon.until_store("up");
            until("an answer", || {
                let reply = pod.daemon.client().open("nothing", 0);
                (!matches!(reply, Reply::Error(_))).then_some(())
            });
        }
    }

    /// Until the daemon that answers early does not trust its claims any more.
    pub(super) fn until_claims_are_void(&mut self) {
        self.step("until claims are void".into());
        let daemon = &self.pods[ASYNC].daemon;
        until("the claims to be void", || {
            (daemon.metric("sojourn_claims_trusted", "") == 0).then_some(())
        });
    }

    /// Until another daemon has a session that the one that answers early had claimed.
    pub(super) fn until_taken_over(&mut self) {
        let queued = self
            .sessions
            .iter()
            .position(|session| session.any_queued() && !session.over);
        let Some(index) = queued else { return };
        until("the claim to be taken over", || {
            self.open(0, index).then_some(())
        });
    }

    /// What a living daemon holds comes back; of the rest nobody can say.
    pub(super) fn after_a_loss(&mut self) {
        until("the daemons to look through what they hold", || {
            let done = |pod: &Pod| pod.daemon.has_looked_through();
            self.pods.iter().all(done).then_some(())
        });
        self.step("all put back".into());
        self.until_flushed();
        self.only_what_survives();
    }

    pub(super) fn only_what_survives(&mut self) {
        let living: BTreeSet<DaemonLife> = self.pods.iter().map(|pod| pod.life).collect();
        for index in (0..self.sessions.len()).rev() {
            self.sessions[index].forget_versions();
            if !self.sessions[index].survives_a_loss(&living) {
                self.lose_sight(index);
            }
        }
    }

    pub(super) fn lose_sight(&mut self, index: usize) {
        let session = self.sessions.swap_remove(index);
        self.step(format!("{}: unknowable", session.name));
        self.unknowable += 1;
    }

    /// How often each daemon has found the store empty.
    pub(super) fn emptied(&self) -> Vec<usize> {
        let emptied = |pod: &Pod| {
            pod.daemon
                .log()
                .matches("store has lost everything")
                .count()
        };
        self.pods.iter().map(emptied).collect()
    }
}

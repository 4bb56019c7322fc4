//! What goes wrong: the store, a daemon; and how long to wait until it is over.

use std::collections::BTreeSet;

use super::{ASYNC, DAEMONS, Driver, Pod, daemon};
use crate::harness::{Reply, until};
use crate::reference::DaemonLife;

impl Driver {
    pub(super) fn restart_store(&mut self) {
        self.wait_for_queue();
        self.step("store killed".into());
        self.store.kill();
        self.until_all_down();
        // The one that answers before the store has it would have to be waited for.
        for _ in 0..self.random.usize(..3) {
            self.request_at_a_sync_pod();
        }
        self.step("store back".into());
        self.store.run();
        self.until_all_answer();
    }

    pub(super) fn pause_store(&mut self) {
        self.wait_for_queue();
        self.step("store paused".into());
        self.store.signal("STOP");
        for _ in 0..self.random.usize(1..3) {
            self.request_at_a_sync_pod();
        }
        self.store.signal("CONT");
        self.step("store goes on".into());
        self.until_all_answer();
    }

    pub(super) fn request_at_a_sync_pod(&mut self) {
        if self.sessions.is_empty() {
            return;
        }
        let pod = self.random.usize(..ASYNC);
        let index = self.random.usize(..self.sessions.len());
        if self.random.bool() {
            self.open(pod, index);
        } else {
            self.commit(pod, index);
        }
    }

    pub(super) fn flush_store(&mut self) {
        self.wait_for_queue();
        self.step("store flushed".into());
        let before = self.emptied();
        self.store.client().say("FLUSHALL");
        self.only_what_survives();
        // Nobody may be told of what another daemon has newer, and puts back later.
        for _ in 0..self.random.usize(..4) {
            self.request_at_a_sync_pod();
        }
        until("the daemons to notice", || {
            let now = self.emptied();
            let mut both = now.iter().zip(&before);
            both.all(|(now, before)| now > before).then_some(())
        });
        self.after_a_loss();
    }

    pub(super) fn fail_over(&mut self) {
        self.step("replica stops following".into());
        let copy = self.store.copy();
        for _ in 0..self.random.usize(..20) {
            self.request();
        }
        self.wait_for_queue();
        self.step("fail-over".into());
        self.store.kill();
        self.until_all_down();
        self.store.fail_over(copy);
        // Until all is put back a daemon that lacks what another has answers with what the replica has: each new connection may be to one that lagged, and
        // waiting at each would be an outage of its own.
        self.after_a_loss();
    }

    pub(super) fn until_all_down(&self) {
        self.pods
            .iter()
            .for_each(|pod| pod.daemon.until_store("down"));
    }

    /// What a living daemon holds comes back; of the rest nobody can say.
    pub(super) fn after_a_loss(&mut self) {
        self.until_all_put_back();
        self.step("all put back".into());
        self.only_what_survives();
    }

    fn only_what_survives(&mut self) {
        let living: BTreeSet<DaemonLife> = self.pods.iter().map(|pod| pod.life).collect();
        for index in (0..self.sessions.len()).rev() {
            self.sessions[index].forget_versions();
            if !self.sessions[index].survives_a_loss(&living) {
                self.lose_sight(index);
            }
        }
    }

    pub(super) fn kill_daemon(&mut self) {
        let pod = self.random.usize(..DAEMONS);
        self.wait_for_queue();
        self.step(format!("daemon {pod} killed"));
        self.pods[pod].daemon.process.signal("KILL");
        self.pods[pod].daemon.process.exit_code();
        let life = self.next_life();
        let daemon = daemon(&self.store, pod);
        self.pods[pod].agent.reconnect(&daemon);
        self.pods[pod].daemon = daemon;
        self.pods[pod].life = life;
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

    pub(super) fn until_all_put_back(&self) {
        until("the daemons to look through what they hold", || {
            let done = |pod: &Pod| pod.daemon.has_looked_through();
            self.pods.iter().all(done).then_some(())
        });
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

    /// What is answered before the store has it is lost with its daemon, or comes after what others are answered without the store: whoever takes
    /// either away waits.
    fn wait_for_queue(&self) {
        until("the queue to empty", || {
            (self.pods[ASYNC].daemon.metric("sojourn_queue_bytes", "") == 0).then_some(())
        });
    }
}

//! What goes wrong: the store, a daemon.

use super::{ASYNC, DAEMONS, Driver};
use crate::harness::until;
use crate::reference::Session;

impl Driver {
    pub(super) fn restart_store(&mut self) {
        self.let_loose();
        self.pause_first();
        self.step("store killed".into());
        self.store.kill();
        self.store_is_away = true;
        self.until_all_down();
        self.meanwhile(DAEMONS, 0..8);
        let dies = self.random.u32(..4) == 0;
        if dies {
            self.kill(ASYNC);
        }
        self.store_is_away = false;
        let empty = self.random.u32(..4) == 0;
        if empty {
            self.step("store back, and empty".into());
            self.store.lose_everything();
        } else {
            self.step("store back".into());
            self.store.run();
            self.meanwhile(if dies { ASYNC } else { DAEMONS }, 0..4);
        }
        if dies {
            self.start(ASYNC);
        }
        self.until_all_answer();
        if empty {
            self.after_a_loss();
        }
        self.hold_together();
    }

    /// What is answered from then on is surely not in the store.
    fn pause_first(&mut self) {
        if self.random.bool() {
            self.step("store paused".into());
            self.store.signal("STOP");
            self.store_is_away = true;
            self.commit_early(2..8);
            self.meanwhile(DAEMONS, 2..8);
        }
    }

    pub(super) fn pause_store(&mut self) {
        self.let_loose();
        self.step("store paused".into());
        self.store.signal("STOP");
        self.store_is_away = true;
        self.commit_early(2..8);
        self.meanwhile(DAEMONS, 2..8);
        match self.random.u32(..6) {
            0 => {
                self.until_claims_are_void();
                self.go_on();
            }
            1 => {
                self.kill(ASYNC);
                self.go_on();
                self.meanwhile(ASYNC, 0..4);
                self.start(ASYNC);
            }
            2 => self.stand_still(),
            _ => self.go_on(),
        }
        self.meanwhile(DAEMONS, 0..4);
        self.until_all_answer();
        self.hold_together();
    }

    fn go_on(&mut self) {
        self.store_is_away = false;
        self.store.signal("CONT");
        self.step("store goes on".into());
    }

    /// The daemon that has answered early is stopped until another has taken its claim, and comes late with what it held.
    fn stand_still(&mut self) {
        self.step(format!("daemon {ASYNC} paused"));
        self.pods[ASYNC].daemon.process.signal("STOP");
        self.go_on();
        self.until_taken_over();
        self.meanwhile(ASYNC, 0..4);
        self.pods[ASYNC].daemon.process.signal("CONT");
        self.step(format!("daemon {ASYNC} goes on"));
    }

    pub(super) fn flush_store(&mut self) {
        self.let_loose();
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
        self.hold_together();
    }

    /// Of what is on its way there may be as much in the store, until all is, as any daemon has put back.
    fn request_at_a_sync_pod(&mut self) {
        let mut all = 0..self.sessions.len();
        let settled: Vec<usize> = all
            .by_ref()
            .filter(|index| !self.sessions[*index].any_queued())
            .collect();
        if settled.is_empty() {
            return;
        }
        let pod = self.random.usize(..ASYNC);
        let index = settled[self.random.usize(..settled.len())];
        if self.random.bool() {
            self.open(pod, index);
        } else {
            self.commit(pod, index);
        }
    }

    pub(super) fn fail_over(&mut self) {
        self.step("replica stops following".into());
        let copy = self.store.copy();
        for _ in 0..self.random.usize(..20) {
            self.request();
        }
        self.let_loose();
        self.pause_first();
        self.step("fail-over".into());
        self.store.kill();
        self.store_is_away = true;
        self.until_all_down();
        self.store_is_away = false;
        self.store.fail_over(copy);
        // Until all is put back a daemon that lacks what another has answers with what the replica has: each new connection may be to one that lagged, and
        // waiting at each would be an outage of its own.
        self.after_a_loss();
        self.hold_together();
    }

    pub(super) fn kill_daemon(&mut self) {
        let pod = self.random.usize(..DAEMONS);
        self.let_loose();
        self.kill(pod);
        self.start(pod);
        self.hold_together();
    }

    fn kill(&mut self, pod: usize) {
        self.step(format!("daemon {pod} killed"));
        self.pods[pod].daemon.process.signal("KILL");
        self.pods[pod].daemon.process.exit_code();
        self.forget_requests(pod);
    }

    fn start(&mut self, pod: usize) {
        let life = self.next_life();
        let daemon = self.daemon(pod);
        if pod == ASYNC {
            // By now the store has read what the dead one had sent.
            self.sessions.iter_mut().for_each(Session::cut);
        }
        self.step(format!("daemon {pod} back"));
        self.pods[pod].agent.reconnect(&daemon);
        self.pods[pod].daemon = daemon;
        self.pods[pod].life = life;
    }
}

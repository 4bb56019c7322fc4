//! Sessions that are over by themselves, and the listeners that are told of it.

use std::time::Duration;

use super::{DAEMONS, Driver, Pod};
use crate::harness::until_within;
use crate::reference::{Session, short};

/// What a daemon has said of a session when it is killed is said again after 30 s, and before that the lease of the one that was killed has to run out.
const LONGEST: Duration = Duration::from_mins(2);

impl Driver {
    /// Takes up what the sidecars tell of sessions that have expired.
    pub(super) fn hear(&mut self) {
        for pod in 0..DAEMONS {
            while let Some(name) = self.pods[pod].agent.told() {
                self.step(format!("{name}: expired, told to {pod}"));
                let is_over = |session: &Session| session.name == name && session.over;
                if self.sessions.iter().any(is_over) {
                    // By who operates the cluster.
                    self.pods[pod].agent.reap_ended(&name);
                    continue;
                }
                self.told += 1;
                let content = self.pods[pod].agent.reap(&name);
                let Some(session) = self
                    .sessions
                    .iter_mut()
                    .find(|session| session.name == name)
                else {
                    continue;
                };
                assert!(session.short, "{name} expired");
                if let Some(content) = content {
                    assert!(
                        session.may_hold(&content),
                        "{name} expired with {}",
                        short(&content)
                    );
                }
                session.over = true;
            }
        }
    }

    pub(super) fn until_all_expired(&mut self) {
        let nameless = |pods: &[Pod]| -> i64 {
            let metric = |pod: &Pod| pod.daemon.metric("sojourn_expired_total", "unreadable");
            pods.iter().map(metric).sum()
        };
        let what = "the listeners to be told of all that is over";
        until_within(LONGEST, what, || {
            self.hear();
            let left = self
                .sessions
                .iter()
                .filter(|session| session.short && !session.over);
            // One that was put back by a daemon that never heard its name ends untold.
            (i64::try_from(left.count()).unwrap() <= nameless(&self.pods)).then_some(())
        });
        self.sessions
            .retain(|session| !session.short || session.over);
    }
}

//! What is said of what was not done, and when that is over.

use std::sync::PoisonError;
use std::time::Duration;

use redis::Value;
use tokio::time::Instant;
use tracing::{error, info};

use super::Caller;
use crate::metrics::KindLabel;
use crate::store::link::Connection;
use crate::store::reason::Reason;
use crate::store::scripts::Script;
use crate::store::unavailable::Unavailable;

/// Trouble that was over before that is none that anybody would want to hear of.
const WORTH_A_WORD: Duration = Duration::from_secs(1);
/// A store that refuses is spoken of this often, not for each request.
const SAY_AGAIN: Duration = Duration::from_secs(1);

impl Caller {
    /// An answer that only a store that is none of ours gives.
    pub(in crate::store) fn nonsense(&self, script: &Script, value: &Value) -> Unavailable {
        error!(
            script = script.name,
            ?value,
            "store gave an answer that makes no sense"
        );
        self.unavailable(Reason::new(
            "nonsense",
            format!("the answer to {} makes no sense", script.name),
        ))
    }

    /// Why there is nothing for who has no time left.
    pub(in crate::store) fn late(&self) -> Unavailable {
        self.unavailable(Reason::late())
    }

    pub(in crate::store) fn unavailable(&self, reason: Reason) -> Unavailable {
        Unavailable::new(self.patience, reason)
    }

    /// Why there is no answer to who could not wait for long. Where that was but the rest of his time it says nothing of the server.
    pub(super) fn had_no_time(
        &self,
        known: Option<Reason>,
        given: Duration,
        is_rest: bool,
    ) -> Unavailable {
        if known.is_none() && is_rest {
            return self.late();
        }
        let reason = known.unwrap_or_else(|| Reason::timeout(given));
        self.note_refusal(&reason, true, is_rest);
        self.unavailable(reason)
    }

    /// A slot that moves is worth a word where it kept somebody waiting for as long as requests wait: a reaper goes on much sooner.
    pub(super) fn note_refusal(&self, reason: &Reason, over: bool, is_rest: bool) {
        let soon = reason.kind == "moving" && is_rest;
        if (over && !soon) || !reason.passes() {
            self.refusals.note(reason, self.connection_id());
        }
    }

    pub(super) fn end_trouble(&self, connection: &Connection, wrote: bool) {
        let Some(since) = connection.conduct().done(wrote) else {
            return;
        };
        let lasted = since.elapsed();
        if lasted >= WORTH_A_WORD {
            info!(after = ?lasted, "store does what it is asked for");
        }
        if lasted >= self.patience {
            *self.back.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
    }

    pub(super) fn failed(&self, script: &Script, reason: &Reason) {
        self.metrics
            .store_failures
            .get_or_create(&KindLabel { kind: reason.kind })
            .inc();
        self.says_refused(script.name, reason);
    }

    /// Whether the server refuses what was asked for, which does not pass by itself; says so.
    pub(in crate::store) fn says_refused(&self, script: &str, reason: &Reason) -> bool {
        if reason.passes() {
            return false;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| said.elapsed() >= SAY_AGAIN) {
            *said = Some(Instant::now());
            error!(script, reason = %reason, mend = reason.mend(), "store refused");
        }
        true
    }
}

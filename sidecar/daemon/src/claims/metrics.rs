//! What an operator may want to know of claims and locks.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::metrics::add;

/// The metrics of claims and locks.
#[derive(Debug)]
pub struct ClaimMetrics {
    /// Sessions that this daemon has claimed.
    pub held: Gauge,
    /// Sessions that the page of claims has a place for.
    pub on_page: Gauge,
    /// 1 while claims are trusted.
    pub trusted: Gauge,
    /// Claims that others called back.
    pub called_back: Counter,
    /// Claims that were kept, for what others had made of their sessions was told along with that.
    pub kept: Counter,
    /// Claims of daemons that were gone.
    pub takeovers: Counter,
    /// Holders of shared claims that were slow to say what becomes of them, and told again.
    pub told_again: Counter,
    /// Lives that ended: all claims became void.
    pub lapses: Counter,
    /// Exclusive opens that had to wait for another request of this daemon.
    pub lock_waits: Counter,
    /// Exclusive commits whose lock was lost: the request took longer than the patience, or was taken over.
    pub locks_lost: Counter,
}

impl ClaimMetrics {
    pub(crate) fn new(r: &mut Registry) -> Self {
        Self {
            held: add(r, "claims", "Sessions that this daemon has claimed"),
            on_page: add(
                r,
                "claims_on_page",
                "Claimed sessions of which applications can see without asking whether theirs is the newest",
            ),
            trusted: add(r, "claims_trusted", "1 while claims are trusted"),
            called_back: add(
                r,
                "claims_called_back",
                "Claims that other daemons called back",
            ),
            kept: add(
                r,
                "claims_kept",
                "Claims that were kept through commits of other daemons, which told what they had changed",
            ),
            takeovers: add(
                r,
                "claim_takeovers",
                "Claims of daemons that were gone, which this one did not wait for",
            ),
            told_again: add(
                r,
                "claims_told_again",
                "How often another daemon was slow to say what becomes of its claim, and told again that it is over",
            ),
            lapses: add(
                r,
                "claim_lapses",
                "How often all claims of this daemon became void",
            ),
            lock_waits: add(
                r,
                "lock_waits",
                "Exclusive opens that waited for another request of this daemon",
            ),
            locks_lost: add(
                r,
                "locks_lost",
                "Exclusive commits refused because their lock was lost",
            ),
        }
    }
}

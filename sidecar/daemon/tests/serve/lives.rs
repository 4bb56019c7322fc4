//! What a machine that is busy or stands still gets in the way of: claims become void, commands are sent again. It is tried again then.

use std::time::Duration;

use crate::claims::until_trusted;
use crate::harness::{Daemon, until, within};

/// How often all claims of any of these have become void.
pub fn lapses(daemons: &[&Daemon]) -> i64 {
    sum(daemons, "sojourn_claim_lapses_total")
}

/// How often any of these was asked to let go of a claim.
pub fn calls(daemons: &[&Daemon]) -> i64 {
    sum(daemons, "sojourn_claims_called_back_total")
}

/// How often the store did not do what any of these asked it for.
pub fn failures(daemons: &[&Daemon]) -> i64 {
    sum(daemons, "sojourn_store_failures_total")
}

fn sum(daemons: &[&Daemon], metric: &str) -> i64 {
    daemons.iter().map(|daemon| daemon.metric(metric, "")).sum()
}

/// Whether claims have become void since.
pub fn lapsed(daemons: &[&Daemon], before: i64) -> bool {
    grown(before, || lapses(daemons))
}

/// Whether there were more of them since, which is counted with the next beat only.
fn grown(before: i64, count: impl Fn() -> i64) -> bool {
    let longest = Duration::from_secs(2);
    within(longest, || (count() > before).then_some(())).is_some()
}

/// What happens while no claims become void; else it is tried again with another session.
pub fn under_one_life(all: &[&Daemon], what: impl FnMut(&str) -> Result<(), String>) {
    undisturbed(all, lapses, what);
}

/// What happens while nothing that is counted gets in its way; else it is tried again with another session.
pub fn undisturbed(
    all: &[&Daemon],
    count: impl Fn(&[&Daemon]) -> i64,
    mut what: impl FnMut(&str) -> Result<(), String>,
) {
    let mut sessions = (0..).map(|n| format!("s{n}"));
    until("a time that is long enough", || {
        all.iter().copied().for_each(until_trusted);
        let before = count(all);
        let outcome = what(&sessions.next()?);
        if let Err(why) = &outcome
            && grown(before, || count(all))
        {
            eprintln!("once more: {why}");
            return None;
        }
        outcome.unwrap();
        Some(())
    });
}

pub fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    is: &T,
    expected: &T,
) -> Result<(), String> {
    if is == expected {
        Ok(())
    } else {
        Err(format!("{what}: {is:?} instead of {expected:?}"))
    }
}

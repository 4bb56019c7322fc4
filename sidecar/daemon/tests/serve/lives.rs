//! What a machine that is busy or stands still gets in the way of: claims become void, commands are sent again. It is tried again then.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::claims::until_trusted;
use crate::harness::{Daemon, until, within};
use crate::shared::SaidWhenDropped;

/// How often it is looked whether this machine goes on.
const TICK: Duration = Duration::from_millis(5);
/// What is waited for 100 ms takes several processes: each may be let run so late.
const STANDSTILL: Duration = Duration::from_millis(25);
/// So many in a row that all fail are not this machine's fault, however busy it is.
const ATTEMPTS: i64 = 20;

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

/// How often any of these was slow to say what becomes of its claim, which who had committed waited for: it lets go of it then.
fn told_again(daemons: &[&Daemon]) -> i64 {
    sum(daemons, "sojourn_claims_told_again_total")
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

/// What happens while all of them answer in time, too, and the store does; whoever is slow lets go of his claim.
pub fn while_all_are_in_time(all: &[&Daemon], what: impl FnMut(&str) -> Result<(), String>) {
    let count = |all: &[&Daemon]| lapses(all) + failures(all) + told_again(all);
    undisturbed(all, count, what);
}

/// What happens while this machine goes on, too: who stands still in the moment before his patience is over cannot tell that from a store that is slow.
pub fn without_a_standstill(all: &[&Daemon], mut what: impl FnMut(&str) -> Result<(), String>) {
    let forgiven = Cell::new(0);
    let mut longest = Duration::ZERO;
    let count = |all: &[&Daemon]| lapses(all) + forgiven.get();
    undisturbed(all, count, |session| {
        let (outcome, stood_still) = watched(|| what(session));
        longest = longest.max(stood_still);
        outcome.map_err(|why| {
            if stood_still > STANDSTILL && forgiven.get() + 1 < ATTEMPTS {
                forgiven.set(forgiven.get() + 1);
            }
            format!("{why}; this machine stood still for {longest:?} at most")
        })
    });
}

/// And for how long this machine stood still meanwhile, or was too busy to let a thread run that only waits: no daemon counts what is too short for its claims.
fn watched<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let over = AtomicBool::new(false);
    let mut at = Instant::now();
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            loop {
                thread::park_timeout(TICK);
                longest = longest.max(at.elapsed());
                at = Instant::now();
                // Only now: it may have begun late.
                if over.load(Ordering::SeqCst) {
                    return longest;
                }
            }
        });
        let outcome = {
            let _over = SaidWhenDropped(&over);
            what()
        };
        (outcome, watch.join().unwrap())
    })
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

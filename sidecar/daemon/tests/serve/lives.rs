//! What a machine that is busy or stands still gets in the way of: claims become void, commands are sent again. It is tried again then.

use std::sync::Once;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::claims::until_trusted;
use crate::harness::{Daemon, until, within};

/// How often it is looked whether this machine goes on.
const TICK: Duration = Duration::from_millis(5);
/// What is waited for 100 ms takes several processes: each may be let run so late.
const STANDSTILL: Duration = Duration::from_millis(25);

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

/// How often this machine stood still, or was too busy to let a thread run that only waits: no daemon counts what is too short for its claims.
fn standstills() -> i64 {
    static COUNT: AtomicI64 = AtomicI64::new(0);
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        thread::spawn(|| {
            loop {
                let at = Instant::now();
                thread::park_timeout(TICK);
                if at.elapsed() > STANDSTILL {
                    COUNT.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
    });
    COUNT.load(Ordering::SeqCst)
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

/// What happens while this machine goes on, too: who is to say within 100 ms that he keeps his claim lets go of it where he is slow, and who stands still
/// in the moment before his patience is over cannot tell that from a store that is slow.
pub fn without_a_standstill(all: &[&Daemon], what: impl FnMut(&str) -> Result<(), String>) {
    undisturbed(all, |all| lapses(all) + standstills(), what);
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

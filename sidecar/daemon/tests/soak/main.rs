//! Hours of use, in as many seconds as one has: what a daemon takes of the machine must not grow.
//!
//! `make soak SECONDS=600`; a few seconds with the other tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "a test that cannot go on says so and fails"
)]

mod growth;
#[path = "../serve/harness/mod.rs"]
mod harness;
mod load;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use growth::{Sample, growth, sample};
use harness::{Daemon, Store};

const WORKERS: u64 = 3;
const SAMPLES: u32 = 40;

#[test]
fn a_daemon_takes_no_more_the_longer_it_runs() {
    let seconds = std::env::var("SOJOURN_SOAK_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(15);
    let store = Store::start();
    let settings = [
        ("SOJOURN_MEMORY", "2MiB"),
        ("SOJOURN_REAP_EVERY", "1s"),
        ("SOJOURN_BACKGROUND_RATE", "2000"),
    ];
    let daemons = ["Sync", "Async"].map(|mode| {
        let with = [settings.as_slice(), &[("SOJOURN_MODE", mode)]].concat();
        Daemon::with(&store.url(), &with)
    });
    let (over, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut series: [Vec<Sample>; 2] = Default::default();
    std::thread::scope(|scope| {
        for daemon in &daemons {
            scope.spawn(|| load::listen(daemon, &over));
            for worker in 0..WORKERS {
                let (over, done) = (&over, &done);
                scope.spawn(move || load::work(daemon, worker, over, done));
            }
        }
        let start = Instant::now();
        let pause = Duration::from_secs(seconds) / SAMPLES;
        for n in 1..=SAMPLES {
            while start.elapsed() < pause * n {
                std::thread::park_timeout(Duration::from_millis(20));
            }
            for (daemon, series) in daemons.iter().zip(&mut series) {
                series.push(sample(daemon.process.0.id(), done.load(Ordering::Relaxed)));
            }
        }
        // On a busy machine that takes longer.
        let end = Instant::now() + Duration::from_mins(2);
        while !daemons.iter().all(was_loaded) && Instant::now() < end {
            std::thread::park_timeout(Duration::from_millis(100));
        }
        over.store(true, Ordering::Relaxed);
    });
    for (daemon, series) in daemons.iter().zip(&series) {
        let last = series.last().unwrap();
        eprintln!("{last:?} after {seconds} s");
        assert_eq!(growth(series), None, "{series:?}\n{}", daemon.log());
        assert!(was_loaded(daemon), "there was a load");
    }
    store.assert_every_key_has_a_ttl();
}

fn was_loaded(daemon: &Daemon) -> bool {
    daemon.metric("sojourn_requests_total", "commit") > 100
}

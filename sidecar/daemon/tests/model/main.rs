//! Real daemons and a real store, driven at random, against a model that fits on a page.
//!
//! `make model SEED=7 SECONDS=60`; a failure prints its seed and what was done last.
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

mod agent;
mod driver;
#[path = "../serve/harness/mod.rs"]
mod harness;
mod linear;
mod locks;
#[path = "../serve/page_reader.rs"]
mod page_reader;
mod possible;
mod reference;

use std::time::Duration;

use driver::Driver;

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().expect(name))
}

#[test]
fn what_daemons_and_store_do_is_what_the_model_says() {
    let seconds = setting("SOJOURN_MODEL_SECONDS").unwrap_or(12);
    let seeds = match setting("SOJOURN_MODEL_SEED") {
        Some(seed) => vec![seed],
        None => vec![1, 2, fastrand::u64(..1_000_000)],
    };
    let each = Duration::from_secs(seconds) / u32::try_from(seeds.len()).unwrap();
    for seed in seeds {
        Driver::new(seed).run(each);
    }
}

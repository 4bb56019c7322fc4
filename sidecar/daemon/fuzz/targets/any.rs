//! One program for all targets: `SOJOURN_FUZZ` names the one to run.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sojournd::fuzz::{TARGETS, seeds};

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fuzz_target!(init: {
    let name = std::env::var("SOJOURN_FUZZ").expect("SOJOURN_FUZZ names a target");
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).expect("no such target");
    TARGET.get_or_init(|| target);
    for seed in seeds() {
        target(&seed);
    }
}, |input: &[u8]| {
    if let Some(target) = TARGET.get() {
        target(input);
    }
});

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
    // In place before the corpus is read.
    let corpus = std::env::var("SOJOURN_FUZZ_CORPUS").expect("SOJOURN_FUZZ_CORPUS is a folder");
    for (n, seed) in seeds().iter().enumerate() {
        std::fs::write(format!("{corpus}/seed-{n}"), seed).expect("a folder to write to");
    }
}, |input: &[u8]| {
    if let Some(target) = TARGET.get() {
        target(input);
    }
});

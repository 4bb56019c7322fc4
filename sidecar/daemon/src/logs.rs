//! The log: one line per event, to standard error, a fixed sentence and key-values.

use tracing::Level;

/// To be called once.
pub fn start(level: Level) {
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        .init();
}

//! How many requests are not answered yet: the end waits for them.

use std::sync::Arc;

use super::Context;

/// What one connection adds to the count.
pub(super) struct InFlight {
    context: Arc<Context>,
    count: usize,
}

impl InFlight {
    pub(super) fn none(context: Arc<Context>) -> Self {
        Self { context, count: 0 }
    }

    /// It is so many now.
    pub(super) fn set(&mut self, count: usize) {
        if count != self.count {
            let before = std::mem::replace(&mut self.count, count);
            self.context
                .in_flight
                .send_modify(|in_flight| *in_flight = *in_flight - before + count);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.set(0);
    }
}

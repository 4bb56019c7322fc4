//! Memory that is free and that the allocator keeps for what comes next.
#![expect(
    unsafe_code,
    reason = "the crate wraps the allocator, not what it does of its own"
)]

// It has the function.
use mimalloc as _;

/// Of what was this large the allocator is not to keep anything: it would count beside the next one of that size, and against the container's limit.
pub const LARGE: usize = 1 << 20;

unsafe extern "C" {
    fn mi_collect(force: bool);
}

/// Gives it back to the system. Goes through all that the allocator has: not for what is small.
pub fn give_back() {
    // SAFETY: takes no pointer, and touches nothing that is in use; for the calling thread, whichever that is.
    unsafe { mi_collect(true) }
}

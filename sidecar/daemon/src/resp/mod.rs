//! RESP2, the Redis protocol: bytes in, requests out; replies in, bytes out. No sockets here.

mod decoder;
mod reply;

pub use decoder::{Broken, Decoder, Request};
pub use reply::Reply;

/// The longest bulk string of a request.
pub const MAX_BULK: usize = 16 << 20;
/// The most elements of a request.
pub const MAX_ELEMENTS: usize = 65_536;
/// The longest request, framing included.
pub const MAX_REQUEST: usize = 32 << 20;

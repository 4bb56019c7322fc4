//! The incremental decoder of requests.

use bytes::{Buf, Bytes, BytesMut};
use thiserror::Error;

use super::{MAX_BULK, MAX_ELEMENTS, MAX_REQUEST};

/// One request: its command's name and arguments, at least one element.
pub type Request = Vec<Bytes>;

/// Bytes that are no request. The connection cannot go on: where the next request starts is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Broken {
    /// The request does not begin with `*`.
    #[error("Protocol error: expected '*'")]
    ExpectedArray,
    /// The count after `*` is no decimal number of at least 1.
    #[error("Protocol error: bad count")]
    BadCount,
    /// More than [`MAX_ELEMENTS`].
    #[error("Protocol error: too many elements")]
    TooManyElements,
    /// An element does not begin with `$`.
    #[error("Protocol error: expected '$'")]
    ExpectedBulk,
    /// The length after `$` is no decimal number.
    #[error("Protocol error: bad length")]
    BadLength,
    /// More than [`MAX_BULK`].
    #[error("Protocol error: bulk string too long")]
    BulkTooLong,
    /// More than [`MAX_REQUEST`].
    #[error("Protocol error: request too long")]
    RequestTooLong,
    /// A bulk string does not end where its length says.
    #[error("Protocol error: expected CRLF")]
    ExpectedCrlf,
}

/// Takes bytes as they arrive and gives requests as they become whole.
///
/// It keeps its place between calls, so a request that arrives byte by byte costs no rescan.
#[derive(Debug, Default)]
pub struct Decoder {
    elements: Vec<Bytes>,
    /// How many elements are still to come; 0 between requests.
    missing: usize,
    /// The length of the bulk string whose header was read.
    bulk: Option<usize>,
    /// It has the buffer that it is read to for itself.
    is_alone: bool,
    /// Bytes of this request so far.
    size: usize,
}

/// A value of this many bytes that has not arrived whole gets a buffer of its own: it is read to where it stays.
const OWN_BUFFER: usize = 8 << 10;

/// A decimal number of at most this many digits fits every limit; a longer one is broken.
const MAX_DIGITS: usize = 19;

enum Line {
    Incomplete,
    Bad,
    Number(u64, usize),
}

impl Decoder {
    /// The next whole request in `input`, whose bytes are consumed; `None` when more must arrive.
    pub fn decode(&mut self, input: &mut BytesMut) -> Result<Option<Request>, Broken> {
        if self.missing == 0 && !self.count(input)? {
            return Ok(None);
        }
        while self.missing > 0 {
            let Some(element) = self.element(input)? else {
                return Ok(None);
            };
            self.elements.push(element);
            self.missing -= 1;
        }
        self.size = 0;
        Ok(Some(std::mem::take(&mut self.elements)))
    }

    /// Whether what is read next belongs to a value that has the buffer for itself.
    pub fn reads_alone(&self) -> bool {
        self.is_alone
    }

    fn count(&mut self, input: &mut BytesMut) -> Result<bool, Broken> {
        match input.first() {
            None => return Ok(false),
            Some(b'*') => {}
            Some(_) => return Err(Broken::ExpectedArray),
        }
        match number(input) {
            Line::Incomplete => Ok(false),
            Line::Bad | Line::Number(0, _) => Err(Broken::BadCount),
            Line::Number(count, used) => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                if count > MAX_ELEMENTS {
                    return Err(Broken::TooManyElements);
                }
                input.advance(used);
                self.size = used;
                self.missing = count;
                // Not with_capacity(count): the elements have not arrived yet.
                self.elements = Vec::with_capacity(count.min(64));
                Ok(true)
            }
        }
    }

    fn element(&mut self, input: &mut BytesMut) -> Result<Option<Bytes>, Broken> {
        let length = match self.bulk {
            Some(length) => length,
            None => match self.length(input)? {
                Some(length) => *self.bulk.insert(length),
                None => return Ok(None),
            },
        };
        if input.len() < length + 2 {
            // A wrong end is told as early as it can be seen, whatever the split.
            return match input.get(length) {
                Some(b'\r') | None => Ok(None),
                Some(_) => Err(Broken::ExpectedCrlf),
            };
        }
        if input.get(length..length + 2) != Some(b"\r\n") {
            return Err(Broken::ExpectedCrlf);
        }
        self.bulk = None;
        let element = if std::mem::take(&mut self.is_alone) && input.len() == length + 2 {
            let mut own = std::mem::take(input);
            own.truncate(length);
            own.freeze()
        } else {
            // A copy of its own: a slice would keep the whole request in memory for as long as one attribute of it is
            // cached.
            let element = Bytes::copy_from_slice(input.get(..length).unwrap_or_default());
            input.advance(length + 2);
            element
        };
        Ok(Some(element))
    }

    fn length(&mut self, input: &mut BytesMut) -> Result<Option<usize>, Broken> {
        match input.first() {
            None => return Ok(None),
            Some(b'$') => {}
            Some(_) => return Err(Broken::ExpectedBulk),
        }
        match number(input) {
            Line::Incomplete => Ok(None),
            Line::Bad => Err(Broken::BadLength),
            Line::Number(length, used) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                if length > MAX_BULK {
                    return Err(Broken::BulkTooLong);
                }
                self.size += used + length + 2;
                if self.size > MAX_REQUEST {
                    return Err(Broken::RequestTooLong);
                }
                input.advance(used);
                self.is_alone = length >= OWN_BUFFER && input.len() < length + 2;
                if self.is_alone {
                    // Room for the whole value at once, and for nothing else. The length was checked.
                    let mut own = BytesMut::with_capacity(length + 2);
                    own.extend_from_slice(input);
                    *input = own;
                }
                Ok(Some(length))
            }
        }
    }
}

/// Reads `<type byte><digits>CRLF` at the start of `input`: the number and the length of the line.
fn number(input: &[u8]) -> Line {
    let mut value = 0_u64;
    let mut digits = 0;
    for (at, byte) in input.iter().enumerate().skip(1) {
        match byte {
            b'0'..=b'9' => {
                if digits == MAX_DIGITS || (digits > 0 && value == 0) {
                    return Line::Bad;
                }
                value = value * 10 + u64::from(byte - b'0');
                digits += 1;
            }
            b'\r' if digits > 0 => {
                return match input.get(at + 1) {
                    None => Line::Incomplete,
                    Some(b'\n') => Line::Number(value, at + 2),
                    Some(_) => Line::Bad,
                };
            }
            _ => return Line::Bad,
        }
    }
    Line::Incomplete
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fuzz::decode;

    fn wire(request: &[Vec<u8>]) -> Vec<u8> {
        let mut wire = format!("*{}\r\n", request.len()).into_bytes();
        for element in request {
            wire.extend_from_slice(format!("${}\r\n", element.len()).as_bytes());
            wire.extend_from_slice(element);
            wire.extend_from_slice(b"\r\n");
        }
        wire
    }

    #[test]
    fn a_request_past_the_limit_is_refused_before_its_bytes_arrive() {
        let value = vec![b'x'; MAX_BULK];
        let mut start = wire(&[value]);
        start.splice(0..4, *b"*3\r\n");
        start.extend_from_slice(format!("${MAX_BULK}\r\n").as_bytes());
        let (requests, broken) = decode(&[&start]);
        assert!(requests.is_empty());
        assert_eq!(broken, Some(Broken::RequestTooLong));
    }

    #[test]
    fn a_huge_count_allocates_nothing() {
        let mut decoder = Decoder::default();
        let mut input = BytesMut::from(&b"*65536\r\n"[..]);
        assert_eq!(decoder.decode(&mut input), Ok(None));
        assert!(decoder.elements.capacity() <= 64);
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same(
            requests in prop::collection::vec(
                prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 1..5), 1..4),
            at in 0_usize..200,
        ) {
            let wire: Vec<u8> = requests.iter().flat_map(|request| wire(request)).collect();
            let (whole, broken) = decode(&[&wire]);
            prop_assert_eq!(broken, None);
            prop_assert_eq!(whole.len(), requests.len());
            let (head, tail) = wire.split_at(at.min(wire.len()));
            prop_assert_eq!(decode(&[head, tail]).0, whole.clone());
            let bytes: Vec<&[u8]> = wire.chunks(1).collect();
            prop_assert_eq!(decode(&bytes).0, whole);
        }

        #[test]
        fn noise_never_panics_and_splits_alike(
            noise in "[*$0-9\r\na-c]{0,40}", at in 0_usize..40,
        ) {
            let noise = noise.as_bytes();
            let whole = decode(&[noise]);
            let (head, tail) = noise.split_at(at.min(noise.len()));
            prop_assert_eq!(decode(&[head, tail]), whole);
        }

        #[test]
        fn any_bytes_never_panic(noise in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(&[&noise]);
        }
    }
}

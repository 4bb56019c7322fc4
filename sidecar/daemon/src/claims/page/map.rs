//! Memory that other processes read while it is written.
#![expect(
    unsafe_code,
    clippy::cast_ptr_alignment,
    reason = "a file that is mapped to be read by others can only be seen as atomics through its address"
)]

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use memmap2::{MmapOptions, MmapRaw};

const WORD: usize = size_of::<u64>();

/// A file of 8-byte words, mapped.
#[derive(Debug)]
pub(super) struct Map {
    mapping: MmapRaw,
    words: usize,
}

impl Map {
    /// Maps the first `words` of a file, which must be there: a word past its end could not be written, and the daemon would be
    /// killed in the attempt.
    pub(super) fn of(file: &File, words: usize) -> io::Result<Self> {
        if file.metadata()?.len() < (words * WORD) as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mapping = MmapOptions::new().len(words * WORD).map_raw(file)?;
        Ok(Self { mapping, words })
    }

    fn word(&self, index: usize) -> Option<&AtomicU64> {
        if index >= self.words {
            return None;
        }
        // SAFETY: the mapping begins at a page, so each word is aligned; it is `words` long, writable and lives as long as `self`;
        // this process touches it by these atomics only, and others can but read it.
        Some(unsafe { AtomicU64::from_ptr(self.mapping.as_mut_ptr().cast::<u64>().add(index)) })
    }

    /// Writes a word. Whoever reads it sees all that was written before it; and it can be read before anything that this thread
    /// does after it, such as telling somebody else that he may have the session.
    pub(super) fn store(&self, index: usize, value: u64) {
        if let Some(word) = self.word(index) {
            word.store(value.to_le(), Ordering::SeqCst);
            fence(Ordering::SeqCst);
        }
    }
}

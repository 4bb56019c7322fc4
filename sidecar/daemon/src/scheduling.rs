//! When the kernel gives the daemon its turn.
#![expect(
    unsafe_code,
    reason = "the C library's function takes a pointer; no crate in the tree wraps it"
)]

use std::io;
use std::mem::MaybeUninit;

/// Does not have this thread, nor those that it starts, interrupt who is at work when something arrives for it: `SCHED_BATCH`, sched(7).
///
/// On cores that are full a daemon that is woken for each request interrupts the application for each one. A moment later there is
/// more to do at a time, in fewer reads and writes, here, in the store and in the application. Where a core is idle it runs at once
/// all the same, and its share of a full one stays what it was. Needs no privilege.
pub fn batch() -> io::Result<()> {
    // SAFETY: the structure is plain integers, of which zeros are a value, and the priority that this policy asks for; the call only
    // reads it, and is about the calling thread, which is alive. (musl has no sched_setscheduler.)
    let error = unsafe {
        let parameters = MaybeUninit::<libc::sched_param>::zeroed().assume_init();
        libc::pthread_setschedparam(
            libc::pthread_self(),
            libc::SCHED_BATCH,
            &raw const parameters,
        )
    };
    match error {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_takes_it() {
        std::thread::spawn(|| {
            batch().unwrap();
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            // proc(5): the policy is the 41st field, and the name in parentheses the second.
            let (_, rest) = stat.rsplit_once(')').unwrap();
            let policy = rest.split_whitespace().nth(41 - 3).unwrap();
            assert_eq!(policy, libc::SCHED_BATCH.to_string());
        })
        .join()
        .unwrap();
    }
}

//! Reads a daemon's page of claims as an application does: mapped, in the order that the protocol says, and with its own clocks.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{Ordering, fence};
use std::time::SystemTime;

use memmap2::{MmapOptions, MmapRaw};

use crate::harness::{Client, Daemon, Reply};

/// What `HELLO` says, by name.
pub fn property(hello: &Reply, name: &str) -> Option<Reply> {
    let pairs = hello.items().chunks(2);
    pairs
        .into_iter()
        .find_map(|pair| (pair[0].text() == name).then(|| pair[1].clone()))
}

/// `CLOCK_MONOTONIC` in ns.
pub fn clock() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap()
}

pub struct Page {
    pub path: PathBuf,
    map: MmapRaw,
    slots: u64,
}

impl Page {
    pub fn of(daemon: &Daemon) -> Self {
        let hello = daemon.client().say("HELLO");
        let name = property(&hello, "page").expect("a page").text();
        let path = daemon.directory.path().join(name);
        let file = File::open(&path).unwrap();
        let map = MmapOptions::new().map_raw_read_only(&file).unwrap();
        let mut page = Self {
            path,
            map,
            slots: 1,
        };
        assert_eq!(page.word(0).to_le_bytes(), *b"SJPAGE01");
        page.slots = page.word(8);
        page
    }

    #[expect(
        unsafe_code,
        clippy::cast_ptr_alignment,
        reason = "words that another process changes, as applications see them"
    )]
    fn word(&self, at: u64) -> u64 {
        let at = usize::try_from(at).unwrap();
        assert!(at % 8 == 0 && at + 8 <= self.map.len());
        // SAFETY: within the mapping, aligned, and read as one word.
        let word = unsafe { self.map.as_ptr().add(at).cast::<u64>().read_volatile() };
        // What is read next is read later.
        fence(Ordering::SeqCst);
        u64::from_le(word)
    }

    /// Until when the page may be believed, by both clocks.
    pub fn trusted(&self) -> (u64, u64) {
        (self.word(16), self.word(24))
    }

    /// The ticket in a ticket's slot, and its version.
    pub fn slot(&self, ticket: u64) -> (u64, u64) {
        let slot = ticket % self.slots;
        (self.word(64 + 16 * slot), self.word(72 + 16 * slot))
    }

    /// The version that the page says is the newest, if it says anything of this ticket.
    pub fn newest(&self, ticket: u64) -> Option<u64> {
        let (first, version) = self.slot(ticket);
        let (second, _) = self.slot(ticket);
        let wall = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
        let (steady, wall) = (clock(), u64::try_from(wall).unwrap());
        fence(Ordering::SeqCst);
        let (steady_until, wall_until) = self.trusted();
        let speaks = ticket != 0 && first == ticket && second == ticket && version != 0;
        (speaks && steady < steady_until && wall < wall_until).then_some(version)
    }
}

/// Opens and asks for a ticket: the reply without it, and the ticket.
pub fn open(client: &mut Client, session: &str, held: i64) -> (Reply, u64) {
    match client.say(&format!("SJ.OPEN {session} {held} TICKET")) {
        Reply::Array(Some(mut items)) => {
            assert_eq!(items.len(), 6);
            let ticket = items.pop().unwrap().int();
            (Reply::Array(Some(items)), u64::try_from(ticket).unwrap())
        }
        other => (other, 0),
    }
}

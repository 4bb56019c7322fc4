//! The page of claims: a file that applications map, to see without a system call whether what they hold is the newest.
//!
//! What it says is as good as an answer to `SJ.OPEN`, and nobody asks the daemon before he believes it. So it speaks of a session
//! only while nobody is at work on it, and the time until which it may be believed is that until which the daemon believes itself.

mod file;
mod map;

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use prometheus_client::metrics::gauge::Gauge;
use rustix::time::{ClockId, clock_gettime};
use tracing::warn;

use crate::moment::Moment;
use file::PageFile;
use map::Map;

/// Sessions that it has room for.
const SLOTS: usize = 131_072;
/// The words of the header, and of one slot.
const HEADER: usize = 8;
const PER_SLOT: usize = 2;
const MAGIC: u64 = u64::from_le_bytes(*b"SJPAGE01");
/// Where the header's words lie.
const SLOTS_AT: usize = 1;
const STEADY_AT: usize = 2;
const WALL_AT: usize = 3;
/// Tickets begin anywhere below this, so that one of a daemon before this one is none of ours; and they stay below 2^63.
const FIRST_ROUND: u64 = 1 << 44;

/// `CLOCK_MONOTONIC`, which `Instant` is on Linux but does not show.
#[derive(Debug, Clone, Copy)]
struct Clock {
    nanos: u64,
    at: Instant,
}

impl Clock {
    fn now() -> Self {
        // In this order: what lies between the two readings makes every time that is told too early, not too late.
        let nanos = steady_nanos();
        let at = Instant::now();
        Self { nanos, at }
    }

    fn nanos_at(self, at: Instant) -> u64 {
        let nanos = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        match at.checked_duration_since(self.at) {
            Some(since) => self.nanos.saturating_add(nanos(since)),
            None => self.nanos.saturating_sub(nanos(self.at.duration_since(at))),
        }
    }
}

/// What `System.nanoTime()` says in a JVM.
fn steady_nanos() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or_default()
}

/// The tickets that are out.
#[derive(Debug)]
struct Tickets {
    /// Slots that were given back; the last one first, so that few pages of memory are touched.
    free: Vec<usize>,
    /// All slots from here on have never been used.
    unused: usize,
    /// Counts tickets: none is the same as another.
    round: u64,
}

impl Tickets {
    fn new() -> Self {
        Self {
            free: Vec::new(),
            unused: 0,
            round: fastrand::u64(1..FIRST_ROUND),
        }
    }

    fn take(&mut self) -> Option<u64> {
        let slot = self.free.pop().or_else(|| {
            let unused = (self.unused < SLOTS).then_some(self.unused);
            self.unused += usize::from(unused.is_some());
            unused
        })?;
        self.round += 1;
        Some(self.round * SLOTS as u64 + slot as u64)
    }
}

/// The page.
#[derive(Debug)]
pub struct Page {
    file: PageFile,
    map: Map,
    clock: Clock,
    tickets: Mutex<Tickets>,
    sessions: Gauge,
}

impl Page {
    /// A new page in a directory where no other daemon lives; those of daemons before are removed. Without it clients ask for each
    /// session, as ever.
    pub fn beside(directory: &Path, sessions: Gauge) -> Option<Arc<Self>> {
        let file = PageFile::create(directory, (HEADER + PER_SLOT * SLOTS) * size_of::<u64>());
        let page = file.and_then(|(file, open)| Self::of(file, &open, sessions));
        match page {
            Ok(page) => Some(Arc::new(page)),
            Err((path, error)) => {
                warn!(
                    file = %path.display(),
                    reason = %error,
                    mend = "let the daemon write 2 MiB beside its socket",
                    "no page of claims: every request with a session asks this daemon"
                );
                None
            }
        }
    }

    fn of(file: PageFile, open: &File, sessions: Gauge) -> Result<Self, file::Failed> {
        let map = Map::of(open, HEADER + PER_SLOT * SLOTS);
        let map = map.map_err(|error| file.failed(error))?;
        map.store(SLOTS_AT, SLOTS as u64);
        map.store(0, MAGIC);
        Ok(Self {
            file,
            map,
            clock: Clock::now(),
            tickets: Mutex::new(Tickets::new()),
            sessions,
        })
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        self.file.name()
    }

    /// The time by the clock that the page is about, in ns.
    pub fn clock() -> u64 {
        steady_nanos()
    }

    /// It may be believed until then; `None`: not at all.
    pub fn trust(&self, until: Option<Moment>) {
        let Some(until) = until else {
            self.map.store(STEADY_AT, 0);
            self.map.store(WALL_AT, 0);
            return;
        };
        let wall = until.wall.duration_since(SystemTime::UNIX_EPOCH);
        let wall = wall.map_or(0, |wall| u64::try_from(wall.as_millis()).unwrap_or(0));
        self.map.store(STEADY_AT, self.clock.nanos_at(until.steady));
        self.map.store(WALL_AT, wall);
    }

    /// A place for one session, where nothing is shown yet; none while all are taken.
    pub fn place(self: &Arc<Self>) -> Option<Place> {
        let ticket = self.tickets().take()?;
        let place = Place {
            page: Arc::clone(self),
            ticket,
        };
        // Nothing of the session before it may be read under the new ticket.
        place.write(1, 0);
        place.write(0, ticket);
        self.sessions.inc();
        Some(place)
    }

    /// Nobody may believe it any more, or find it.
    pub fn remove(&self) {
        self.trust(None);
        self.file.remove();
    }

    fn tickets(&self) -> MutexGuard<'_, Tickets> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One session's place on the page. It is given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    page: Arc<Page>,
    ticket: u64,
}

impl Place {
    /// What names it.
    pub fn ticket(&self) -> u64 {
        self.ticket
    }

    /// Says nothing until a version is shown.
    pub fn hide(&self) {
        self.write(1, 0);
    }

    /// Says that this version is the newest.
    pub fn show(&self, version: u64) {
        self.write(1, version);
    }

    fn slot(&self) -> usize {
        usize::try_from(self.ticket % SLOTS as u64).unwrap_or_default()
    }

    fn write(&self, word: usize, value: u64) {
        self.page
            .map
            .store(HEADER + PER_SLOT * self.slot() + word, value);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // In this order: who reads the ticket twice around the version must not get one that another session will have here.
        self.hide();
        self.write(0, 0);
        self.page.tickets().free.push(self.slot());
        self.page.sessions.dec();
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn page() -> (TempDir, Arc<Page>) {
        let directory = tempfile::tempdir().unwrap();
        let page = Page::beside(directory.path(), Gauge::default()).unwrap();
        (directory, page)
    }

    fn read(directory: &TempDir, page: &Page, at: usize) -> u64 {
        let bytes = std::fs::read(directory.path().join(page.name())).unwrap();
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn it_lies_in_the_file_as_the_protocol_says() {
        let (directory, page) = page();
        let path = directory.path().join(page.name());
        assert_eq!(&std::fs::read(&path).unwrap()[..8], b"SJPAGE01");
        assert_eq!(read(&directory, &page, 8), 131_072);
        let place = page.place().unwrap();
        place.show(7);
        let slot = usize::try_from(place.ticket() % 131_072).unwrap();
        assert_eq!(read(&directory, &page, 64 + 16 * slot), place.ticket());
        assert_eq!(read(&directory, &page, 72 + 16 * slot), 7);
        place.hide();
        assert_eq!(read(&directory, &page, 72 + 16 * slot), 0);
        let ticket = place.ticket();
        assert_eq!(page.sessions.get(), 1);
        place.show(8);
        drop(place);
        assert_eq!(read(&directory, &page, 64 + 16 * slot), 0);
        assert_eq!(read(&directory, &page, 72 + 16 * slot), 0);
        assert_eq!(page.sessions.get(), 0);
        let again = page.place().unwrap();
        assert_eq!(again.slot(), slot, "the slot is used again");
        assert_ne!(again.ticket(), ticket, "the ticket is not");
        page.remove();
        assert!(!path.exists());
    }

    #[test]
    fn no_ticket_is_given_where_there_is_no_room_and_none_twice() {
        let (_directory, page) = page();
        let mut places: Vec<Place> = std::iter::from_fn(|| page.place()).collect();
        assert_eq!(places.len(), SLOTS);
        assert!(page.place().is_none());
        let mut seen: std::collections::HashSet<u64> = places.iter().map(Place::ticket).collect();
        assert_eq!(seen.len(), SLOTS);
        for n in 0..1000 {
            places.swap_remove(n);
            let place = page.place().unwrap();
            assert!(place.ticket() < 1 << 63 && seen.insert(place.ticket()));
            places.push(place);
        }
        assert!(page.place().is_none());
    }

    #[test]
    fn trust_is_told_by_both_clocks_and_never_for_longer_than_it_lasts() {
        let (directory, page) = page();
        let now = Moment::now();
        let second = Duration::from_secs(1);
        page.trust(Some(Moment {
            steady: now.steady + second,
            wall: SystemTime::UNIX_EPOCH + Duration::from_micros(1_763_725_203_123_900),
        }));
        let (steady, clock) = (read(&directory, &page, 16), Page::clock());
        assert!(steady <= clock + 1_000_000_000 && steady > clock);
        assert_eq!(read(&directory, &page, 24), 1_763_725_203_123);
        page.trust(None);
        assert_eq!(
            (read(&directory, &page, 16), read(&directory, &page, 24)),
            (0, 0)
        );
    }

    #[test]
    fn pages_of_daemons_before_are_removed_and_nothing_else() {
        let (directory, before) = page();
        std::fs::write(directory.path().join("claims.txt"), "mine").unwrap();
        let page = Page::beside(directory.path(), Gauge::default()).unwrap();
        assert_ne!(before.name(), page.name());
        let mut names: Vec<String> = std::fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names, [page.name(), "claims.txt"]);
        before.place().unwrap().show(1);
    }

    #[test]
    fn where_it_cannot_be_made_there_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        assert!(Page::beside(&missing, Gauge::default()).is_none());
    }
}

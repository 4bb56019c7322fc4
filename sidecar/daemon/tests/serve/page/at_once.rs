//! Many write, and one looks at the page all the time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::{created, number};
use crate::claims::{MODES, daemons};
use crate::harness::{Client, Store, within};
use crate::page_reader::{Page, clock, open};
use crate::shared::SaidWhenDropped;

/// What all writers and the reader know of the sessions.
struct Shared {
    tickets: Vec<AtomicU64>,
    /// The newest version that anybody has been told.
    answered: Vec<AtomicU64>,
    /// How often the page spoke.
    spoke: AtomicU64,
    over: AtomicBool,
}

impl Shared {
    fn answered(&self, n: usize, version: i64) {
        self.answered[n].fetch_max(number(version), Ordering::SeqCst);
    }

    /// Opens and commits all sessions in turn, as long as it lasts.
    fn write(&self, client: &mut Client, pause: Duration, ticket: bool) {
        let mut n = 0;
        while !self.over.load(Ordering::SeqCst) {
            n = (n + 1) % self.tickets.len();
            let session = format!("s{n}");
            let (opened, given) = open(client, &session, 0);
            let mut version = opened.version();
            self.answered(n, version);
            if ticket {
                self.tickets[n].store(given, Ordering::SeqCst);
            }
            for _ in 0..2 {
                let committed = client.commit(&session, version, &format!("SET a {}", clock()));
                version = committed.version();
                self.answered(n, version);
            }
            std::thread::park_timeout(pause);
        }
    }

    /// Looks at all sessions for as long as it lasts.
    fn look(&self, page: &Page) {
        while !self.over.load(Ordering::SeqCst) {
            for (ticket, answered) in self.tickets.iter().zip(&self.answered) {
                let ticket = ticket.load(Ordering::SeqCst);
                let answered = answered.load(Ordering::SeqCst);
                if let Some(newest) = page.newest(ticket) {
                    assert!(newest >= answered, "{newest} after {answered} was answered");
                    self.spoke.fetch_add(1, Ordering::SeqCst);
                }
            }
        }
    }
}

#[test]
fn it_never_says_less_than_anybody_was_told_before() {
    for mode in MODES {
        let store = Store::start();
        let [a, b] = daemons(&store, &[mode]);
        let page = Page::of(&a);
        let count = 8;
        let shared = Shared {
            tickets: (0..count).map(|_| AtomicU64::new(0)).collect(),
            answered: (0..count).map(|_| AtomicU64::new(0)).collect(),
            spoke: AtomicU64::new(0),
            over: AtomicBool::new(false),
        };
        for n in 0..count {
            created(&mut a.client(), &format!("s{n}"));
        }
        let called_back = || a.metric("sojourn_claims_called_back_total", "");
        let spoke = || shared.spoke.load(Ordering::SeqCst);
        std::thread::scope(|scope| {
            let _over = SaidWhenDropped(&shared.over);
            scope.spawn(|| shared.look(&page));
            scope.spawn(|| shared.write(&mut a.client(), Duration::ZERO, true));
            scope.spawn(|| shared.write(&mut b.client(), Duration::from_millis(40), false));
            std::thread::park_timeout(Duration::from_secs(2));
            // How often they get to both is up to the machine.
            within(Duration::from_secs(20), || {
                (spoke() > 100 && called_back() > 0).then_some(())
            });
        });
        let (spoke, called_back) = (spoke(), called_back());
        assert!(spoke > 100, "{mode:?}: spoke {spoke} times");
        assert!(
            called_back > 0,
            "{mode:?}: {called_back} claims called back"
        );
        eprintln!("{mode:?}: spoke {spoke} times, {called_back} claims called back");
    }
}

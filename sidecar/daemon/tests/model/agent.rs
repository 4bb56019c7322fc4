//! What an agent does: it keeps a copy of each session, and asks only for what it lacks.

mod exclusive;

use std::collections::{HashMap, VecDeque};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use bytes::Bytes;
use sojournd::session::delta::Delta;

use crate::harness::{Client, Daemon, Reply};
use crate::page_reader::{self, Page};
use crate::reference::{Changes, Content, apply};
pub use exclusive::{Exclusive, Written};

#[derive(Debug, Clone, Default)]
pub struct Copy {
    pub version: i64,
    pub content: Content,
}

/// What became of a request.
#[derive(Debug)]
pub enum Outcome {
    Done(Copy),
    Absent,
    /// The store did not answer: it was done, or it was not.
    Unknown,
}

pub struct Agent {
    pub client: Client,
    /// Of requests that have a session for themselves.
    alone: Client,
    /// What the sidecar tells.
    messages: Receiver<String>,
    copies: HashMap<String, Copy>,
    page: Page,
    tickets: HashMap<String, Ticket>,
    /// What became of sessions: the version before, and what is lacked that holds it.
    told: HashMap<u64, VecDeque<(i64, Reply)>>,
    /// How often it went on without asking.
    pub unasked: usize,
    /// How often by what it had been told.
    pub informed: usize,
    /// Its own: what a page says in time is no part of what a seed repeats.
    random: fastrand::Rng,
}

/// Where the page speaks of a session, and when the daemon last did.
struct Ticket {
    number: u64,
    answered: Instant,
}

impl Agent {
    pub fn of(daemon: &Daemon) -> Self {
        let client = daemon.client();
        let stream = UnixStream::connect(daemon.socket()).unwrap();
        let mut listener = Client::over(stream.try_clone().unwrap());
        // It may hear nothing for as long as it likes: the daemon's death ends it.
        stream.set_read_timeout(None).unwrap();
        listener.say("SUBSCRIBE sojourn");
        let (tell, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = listener.read() {
                if tell.send(message.items()[2].text()).is_err() {
                    return;
                }
            }
        });
        Self {
            client,
            alone: daemon.client(),
            messages,
            copies: HashMap::new(),
            page: Page::of(daemon),
            tickets: HashMap::new(),
            told: HashMap::new(),
            unasked: 0,
            informed: 0,
            random: fastrand::Rng::new(),
        }
    }

    /// The sidecar came back, the application was there all the time.
    pub fn reconnect(&mut self, daemon: &Daemon) {
        let copies = std::mem::take(&mut self.copies);
        let (unasked, informed) = (self.unasked, self.informed);
        *self = Self {
            copies,
            unasked,
            informed,
            ..Self::of(daemon)
        };
    }

    /// The name of a session that has expired, if the sidecar has told of one.
    pub fn told(&self) -> Option<String> {
        // What it holds of one that has ended it asks for when it comes for it.
        let mut messages = self.messages.try_iter();
        messages.find_map(|message| Some(message.strip_prefix("expired ")?.to_owned()))
    }

    /// What an expired session held, for its listeners.
    pub fn reap(&mut self, name: &str) -> Option<Content> {
        let reply = self.client.say(&format!("SJ.REAP {name}"));
        let mut content = Content::new();
        match &reply {
            Reply::Array(None) | Reply::Error(_) => return None,
            reply => take(&mut content, reply),
        }
        let ended = self.client.say(&format!("SJ.END {name}"));
        assert!(
            !matches!(ended, Reply::Integer(0)),
            "{name} was there a moment ago"
        );
        Some(content)
    }

    /// The same of one that somebody has ended, perhaps once more meanwhile.
    pub fn reap_ended(&mut self, name: &str) {
        self.client.say(&format!("SJ.REAP {name}"));
        self.client.say(&format!("SJ.END {name}"));
    }

    pub fn holds(&self, name: &str) -> bool {
        self.copies.contains_key(name)
    }

    /// Of what it holds; 0 for nothing.
    pub fn version(&self, name: &str) -> i64 {
        self.copies.get(name).map_or(0, |copy| copy.version)
    }

    pub fn forget(&mut self, name: &str) {
        self.copies.remove(name);
        self.tickets.remove(name);
    }

    /// Takes up what it was told of a session.
    fn hear(&mut self, name: &str) {
        self.client.say("PING");
        for news in self.client.news() {
            let [_, before, opened] = news.items() else {
                panic!("{news:?}");
            };
            let ticket = opened.items()[5].int();
            let told = self.told.entry(u64::try_from(ticket).unwrap()).or_default();
            let attributes = Reply::Array(Some(opened.items()[..5].to_vec()));
            told.push_back((before.int(), attributes));
        }
        let (Some(copy), Some(ticket)) = (self.copies.get_mut(name), self.tickets.get(name)) else {
            return;
        };
        let told = self.told.entry(ticket.number).or_default();
        while let Some((before, opened)) = told.pop_front() {
            if before == copy.version {
                copy.version = opened.version();
                take(&mut copy.content, &opened);
                self.informed += 1;
            }
        }
    }

    /// What is held, if the page says that it is the newest.
    fn evident(&self, name: &str) -> Option<&Copy> {
        let (copy, ticket) = (self.copies.get(name)?, self.tickets.get(name)?);
        let recent = ticket.answered.elapsed() < Duration::from_secs(1);
        let newest = self.page.newest(ticket.number).filter(|_| recent)?;
        (i64::try_from(newest).unwrap() == copy.version).then_some(copy)
    }

    fn answered(&mut self, name: &str) {
        if let Some(ticket) = self.tickets.get_mut(name) {
            ticket.answered = Instant::now();
        }
    }

    /// Looks at the page, and asks the daemon where that does not say that what is held is the newest; now and then it asks all
    /// the same.
    pub fn open(&mut self, name: &str) -> Outcome {
        if self.holds(name) && self.random.u32(..4) == 0 {
            // A user who keeps coming back: the session is claimed here soon.
            for _ in 0..4 {
                if let Outcome::Unknown = self.ask(name) {
                    break;
                }
            }
        }
        if self.random.u32(..4) > 0 {
            self.hear(name);
        }
        let looks = self.random.u32(..4) > 0;
        if let Some(copy) = self.evident(name).filter(|_| looks).cloned() {
            self.unasked += 1;
            return Outcome::Done(copy);
        }
        self.ask(name)
    }

    fn ask(&mut self, name: &str) -> Outcome {
        let mut copy = self.copies.get(name).cloned().unwrap_or_default();
        let (reply, number) = page_reader::open(&mut self.client, name, copy.version);
        let answered = Instant::now();
        self.tickets
            .insert(name.into(), Ticket { number, answered });
        match reply {
            Reply::Array(None) => {
                self.forget(name);
                Outcome::Absent
            }
            // Whoever holds nothing would take it for a session that is over.
            Reply::Error(text) if copy.version == 0 && text.starts_with("BUSY") => Outcome::Unknown,
            Reply::Error(text) => refused(&text),
            reply => {
                copy.version = reply.version();
                take(&mut copy.content, &reply);
                self.copies.insert(name.into(), copy.clone());
                Outcome::Done(copy)
            }
        }
    }

    pub fn commit(&mut self, name: &str, idle: i64, changes: &Changes) -> Outcome {
        let mut copy = self.copies.get(name).cloned().unwrap_or_default();
        match self
            .client
            .say(&commit(name, copy.version, idle, "", changes))
        {
            Reply::Error(text) if text.starts_with("GONE") => {
                self.forget(name);
                Outcome::Absent
            }
            Reply::Error(text) => refused(&text),
            reply => {
                self.answered(name);
                copy.version = reply.version();
                apply(&mut copy.content, changes);
                take(&mut copy.content, &reply);
                self.copies.insert(name.into(), copy.clone());
                Outcome::Done(copy)
            }
        }
    }
}

fn commit(name: &str, base: i64, idle: i64, lock: &str, changes: &Changes) -> String {
    // Whether it is an access changes nothing of what is written.
    let passive = if fastrand::bool() { " PASSIVE" } else { "" };
    let mut words = vec![format!(
        "SJ.COMMIT {name} {base} {idle} 1000{lock}{passive}"
    )];
    words.extend(changes.iter().map(|(attribute, value)| match value {
        Some(value) => format!("SET {attribute} {value}"),
        None => format!("DEL {attribute}"),
    }));
    words.join(" ")
}

fn refused(text: &str) -> Outcome {
    assert!(text.starts_with("UNAVAILABLE"), "{text}");
    Outcome::Unknown
}

/// Takes over what a reply says that the agent lacks.
fn take(content: &mut Content, reply: &Reply) {
    for pair in reply.items().last().unwrap().items().chunks(2) {
        let name = pair[0].text();
        match &pair[1] {
            Reply::Bulk(None) if name == "\0" => content.clear(),
            Reply::Bulk(None) => {
                content.remove(&name);
            }
            Reply::Array(Some(deltas)) => {
                let held = Bytes::from(content[&name].clone());
                let value = deltas.iter().fold(held, |held, delta| {
                    let Reply::Bulk(Some(delta)) = delta else {
                        panic!("no delta: {delta:?}");
                    };
                    let delta = Delta::decode(&mut delta.as_slice()).unwrap();
                    delta.apply(&held).expect("a delta of what is held")
                });
                content.insert(name, String::from_utf8(value.to_vec()).unwrap());
            }
            value => {
                content.insert(name, value.text());
            }
        }
    }
}

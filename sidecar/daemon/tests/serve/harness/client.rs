//! A client that speaks the protocol, and what it is answered.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::until;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Simple(String),
    Error(String),
    Integer(i64),
    Bulk(Option<Vec<u8>>),
    Array(Option<Vec<Reply>>),
}

impl Reply {
    pub fn int(&self) -> i64 {
        match self {
            Self::Integer(number) => *number,
            other => panic!("no integer: {other:?}"),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Simple(text) | Self::Error(text) => text.clone(),
            Self::Bulk(Some(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            other => panic!("no text: {other:?}"),
        }
    }

    /// Its text if it is one, nothing for any other reply.
    pub fn text_or_empty(&self) -> String {
        match self {
            Self::Simple(text) | Self::Error(text) => text.clone(),
            _ => String::new(),
        }
    }

    pub fn items(&self) -> &[Reply] {
        match self {
            Self::Array(Some(items)) => items,
            other => panic!("no array: {other:?}"),
        }
    }

    /// The attributes of an answer, as `name=value` and `name-` for a removed one.
    pub fn attributes(&self) -> Vec<String> {
        let pairs = self.items().last().unwrap().items().chunks(2);
        pairs
            .map(|pair| match &pair[1] {
                Self::Bulk(None) => format!("{}-", pair[0].text()),
                value => format!("{}={}", pair[0].text(), value.text()),
            })
            .collect()
    }

    pub fn version(&self) -> i64 {
        self.items()[0].int()
    }
}

fn is_news(items: &[Reply]) -> bool {
    matches!(items, [Reply::Bulk(Some(first)), _, _] if first == b"news")
}

trait Stream: std::io::Read + std::io::Write + Send {}
impl Stream for UnixStream {}
impl Stream for TcpStream {}

/// A request's bytes.
pub fn wire(words: &[&[u8]]) -> Vec<u8> {
    let mut wire = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        wire.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        wire.extend_from_slice(word);
        wire.extend_from_slice(b"\r\n");
    }
    wire
}

/// One connection to a daemon or to the store.
pub struct Client {
    stream: BufReader<Box<dyn Stream>>,
    news: Vec<Reply>,
}

impl Client {
    pub fn unix(path: &Path) -> Self {
        Self::over(until("the socket", || UnixStream::connect(path).ok()))
    }

    pub fn over(stream: UnixStream) -> Self {
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Self {
            stream: BufReader::new(Box::new(stream)),
            news: Vec::new(),
        }
    }

    pub fn tcp(port: u16) -> Self {
        let stream = until("the port", || TcpStream::connect(("127.0.0.1", port)).ok());
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Self {
            stream: BufReader::new(Box::new(stream)),
            news: Vec::new(),
        }
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    pub fn send(&mut self, words: &[&[u8]]) {
        self.send_raw(&wire(words));
    }

    pub fn call(&mut self, words: &[&[u8]]) -> Reply {
        self.send(words);
        self.read().expect("a reply")
    }

    /// Words separated by blanks.
    pub fn say(&mut self, line: &str) -> Reply {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        self.call(&words)
    }

    /// The next reply. What comes in between without having been asked for is kept. `None` once the other side has closed.
    pub fn read(&mut self) -> Option<Reply> {
        loop {
            let reply = self.read_one()?;
            match &reply {
                Reply::Array(Some(items)) if is_news(items) => self.news.push(reply),
                _ => return Some(reply),
            }
        }
    }

    /// What became of sessions of the page of claims, as far as it was read along with replies.
    pub fn news(&mut self) -> Vec<Reply> {
        std::mem::take(&mut self.news)
    }

    fn read_one(&mut self) -> Option<Reply> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end_matches("\r\n");
        let (kind, rest) = line.split_at(1);
        Some(match kind {
            "+" => Reply::Simple(rest.into()),
            "-" => Reply::Error(rest.into()),
            ":" => Reply::Integer(rest.parse().unwrap()),
            "$" if rest == "-1" => Reply::Bulk(None),
            "$" => {
                let mut bytes = vec![0; rest.parse::<usize>().unwrap() + 2];
                self.stream.read_exact(&mut bytes).unwrap();
                bytes.truncate(bytes.len() - 2);
                Reply::Bulk(Some(bytes))
            }
            "*" if rest == "-1" => Reply::Array(None),
            "*" => {
                let count: usize = rest.parse().unwrap();
                let items = (0..count).map(|_| self.read_one().unwrap());
                Reply::Array(Some(items.collect()))
            }
            other => panic!("no reply: {other}"),
        })
    }

    pub fn open(&mut self, session: &str, held: i64) -> Reply {
        self.call(&[b"SJ.OPEN", session.as_bytes(), held.to_string().as_bytes()])
    }

    /// Commits; `operations` such as `SET a 1 DEL b`.
    pub fn commit(&mut self, session: &str, base: i64, operations: &str) -> Reply {
        let line = format!("SJ.COMMIT {session} {base} 1800 1000 {operations}");
        self.say(line.trim_end())
    }

    pub fn set(&mut self, session: &str, base: i64, name: &str, value: &[u8]) -> Reply {
        let base = base.to_string();
        let words: [&[u8]; 8] = [
            b"SJ.COMMIT",
            session.as_bytes(),
            base.as_bytes(),
            b"1800",
            b"1000",
            b"SET",
            name.as_bytes(),
            value,
        ];
        self.call(&words)
    }
}

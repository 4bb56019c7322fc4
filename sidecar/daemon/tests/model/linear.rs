//! Whether what several daemons answered at the same time could have come about one after the other.
//!
//! Linearizability (Herlihy and Wing, 1990): each operation happens at one moment between its request and its answer. All orders that
//! are left are tried, as Wing and Gong do ("Testing and verifying concurrent objects", 1993), for there are few operations.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use crate::reference::{Changes, Content, apply};

/// What was done, and what was answered.
#[derive(Debug, Clone)]
pub enum Action {
    /// It was opened by the name that it had to begin with; `None`: it was not there.
    Open(Option<Content>),
    /// What there was once a commit was done, by whatever name.
    See(Content),
    Write(Changes),
    /// Under a lock: nothing came between what was seen and what was written.
    Alone(Content, Changes),
    /// A commit was refused: it is over.
    Refused,
    /// It was ended, and was there until then or was not.
    End(bool),
    /// It has another name from then on. Who only knows the old one finds nothing, but may commit to it.
    Rename,
}

/// An action, and when: since the first one, about.
#[derive(Debug, Clone)]
pub struct Operation {
    pub action: Action,
    pub asked: Duration,
    pub answered: Duration,
}

/// A session at one moment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    Named(Content),
    Renamed(Content),
    Over,
}

impl State {
    pub fn content(&self) -> Option<&Content> {
        match self {
            Self::Named(content) | Self::Renamed(content) => Some(content),
            Self::Over => None,
        }
    }
}

/// What the session may be in the end if it was one of these to begin with; nothing if there is no order in which all answers are right. The operations of
/// one client come one after the other.
pub fn outcomes(possible: &[Content], clients: &[Vec<Operation>]) -> BTreeSet<State> {
    let mut search = Search {
        clients,
        seen: HashSet::new(),
        found: BTreeSet::new(),
    };
    for content in possible {
        search.go_on(&vec![0; clients.len()], State::Named(content.clone()));
    }
    search.found
}

struct Search<'a> {
    clients: &'a [Vec<Operation>],
    /// How many operations of each client are done, and what came of it.
    seen: HashSet<(Vec<usize>, State)>,
    found: BTreeSet<State>,
}

impl Search<'_> {
    fn go_on(&mut self, done: &[usize], state: State) {
        if !self.seen.insert((done.to_vec(), state.clone())) {
            return;
        }
        let left = || {
            let clients = self.clients.iter().zip(done).enumerate();
            clients.filter_map(|(client, (all, done))| Some((client, all.get(*done)?)))
        };
        let Some(first_answer) = left().map(|(_, operation)| operation.answered).min() else {
            self.found.insert(state);
            return;
        };
        // What was asked after another was answered came after that.
        let next: Vec<_> = left()
            .filter(|(_, operation)| operation.asked <= first_answer)
            .collect();
        for (client, operation) in next {
            if let Some(after) = operation.action.on(&state) {
                let mut done = done.to_vec();
                done[client] += 1;
                self.go_on(&done, after);
            }
        }
    }
}

impl Action {
    /// What it makes of the session; nothing if its answer would be wrong.
    fn on(&self, state: &State) -> Option<State> {
        let right = match (self, state) {
            (Self::Write(changes), State::Named(content)) => {
                return Some(State::Named(with(content, changes)));
            }
            (Self::Write(changes), State::Renamed(content)) => {
                return Some(State::Renamed(with(content, changes)));
            }
            (Self::Alone(seen, changes), State::Named(content)) if seen == content => {
                return Some(State::Named(with(content, changes)));
            }
            (Self::Rename, State::Named(content)) => return Some(State::Renamed(content.clone())),
            (Self::End(true), State::Named(_)) => return Some(State::Over),
            (Self::Open(Some(seen)), State::Named(content)) => seen == content,
            (Self::See(seen), state) => state.content() == Some(seen),
            (Self::Open(None), State::Renamed(_) | State::Over)
            | (Self::Refused | Self::End(false), State::Over) => true,
            _ => false,
        };
        right.then(|| state.clone())
    }
}

fn with(content: &Content, changes: &Changes) -> Content {
    let mut content = content.clone();
    apply(&mut content, changes);
    content
}

mod tests {
    use super::*;

    fn at(asked: u64, answered: u64, action: Action) -> Operation {
        Operation {
            action,
            asked: Duration::from_millis(asked),
            answered: Duration::from_millis(answered),
        }
    }

    fn holding(value: &str) -> Content {
        Content::from([("a".to_owned(), value.to_owned())])
    }

    fn write(value: &str) -> Action {
        Action::Write(vec![("a".to_owned(), Some(value.to_owned()))])
    }

    fn read(value: &str) -> Action {
        Action::Open(Some(holding(value)))
    }

    fn of(clients: &[Vec<Operation>]) -> BTreeSet<State> {
        outcomes(&[holding("0")], clients)
    }

    #[test]
    fn what_overlaps_may_come_in_any_order() {
        let clients = [vec![at(0, 5, write("1"))], vec![at(1, 6, write("2"))]];
        let both = ["1", "2"].map(|value| State::Named(holding(value)));
        assert_eq!(of(&clients), both.into());
    }

    #[test]
    fn a_read_tells_the_order() {
        let clients = [
            vec![at(0, 5, write("1")), at(6, 7, read("2"))],
            vec![at(1, 6, write("2"))],
        ];
        assert_eq!(of(&clients), [State::Named(holding("2"))].into());
    }

    #[test]
    fn what_was_answered_is_seen_by_who_asks_later() {
        let stale = |asked| {
            let clients = [vec![at(0, 5, write("1"))], vec![at(asked, 9, read("0"))]];
            of(&clients).is_empty()
        };
        assert!(!stale(4));
        assert!(stale(6));
    }

    #[test]
    fn nothing_comes_after_the_end() {
        let wrong = |after| of(&[vec![at(0, 1, Action::End(true)), at(2, 3, after)]]).is_empty();
        assert!(wrong(write("1")));
        assert!(wrong(read("0")));
        assert!(wrong(Action::End(true)));
        assert!(!wrong(Action::Open(None)));
        assert!(!wrong(Action::Refused));
        assert!(!wrong(Action::End(false)));
    }

    #[test]
    fn what_is_renamed_is_not_found_and_takes_commits() {
        let after = |after| of(&[vec![at(0, 1, Action::Rename), at(2, 3, after)]]);
        assert!(after(read("0")).is_empty());
        assert!(after(Action::Refused).is_empty());
        assert!(!after(Action::Open(None)).is_empty());
        assert_eq!(after(write("1")), [State::Renamed(holding("1"))].into());
    }

    #[test]
    fn nothing_comes_between_what_is_seen_and_what_is_written_under_a_lock() {
        let alone = |value: &str| {
            let changes = vec![("b".to_owned(), Some(value.to_owned()))];
            Action::Alone(holding("0"), changes)
        };
        let two = [vec![at(0, 5, alone("1"))], vec![at(1, 4, alone("2"))]];
        assert!(of(&two).is_empty());
        let after = [vec![at(0, 5, alone("1"))], vec![at(1, 4, write("1"))]];
        let both = Content::from([("a", "1"), ("b", "1")].map(|(a, b)| (a.into(), b.into())));
        assert_eq!(of(&after), [State::Named(both)].into());
    }
}

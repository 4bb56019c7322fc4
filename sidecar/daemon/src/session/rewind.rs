//! What becomes of a session that the store has at another version than it had: a fail-over to a replica that lagged.

use super::{Change, Session, Token};

/// Versions that are remembered with their tokens. A replica lags by few commits of one session.
const REMEMBERED: usize = 16;

/// The last versions of a session and their tokens, the newest at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History(Vec<(u64, Token)>);

impl History {
    /// Remembers a version.
    pub(super) fn push(&mut self, version: u64, token: Token) {
        self.0.retain(|(older, _)| *older < version);
        if self.0.len() >= REMEMBERED {
            self.0.remove(0);
        }
        self.0.push((version, token));
    }

    /// Remembers the versions up to this one by their tokens, 4 bytes each, as the store keeps them.
    pub(crate) fn push_trail(&mut self, version: u64, trail: &[u8]) {
        let (tokens, _) = trail.as_chunks();
        let Some(first) = (version + 1).checked_sub(tokens.len() as u64) else {
            return;
        };
        for (version, token) in (first..=version).zip(tokens) {
            self.push(version, Token(*token));
        }
    }

    /// The tokens of the versions before this one, as far as they are known without a gap.
    pub(crate) fn before(&self, version: u64) -> Vec<u8> {
        let older = self
            .0
            .iter()
            .rev()
            .skip_while(|(older, _)| *older >= version);
        let without_a_gap = older
            .zip((0..version).rev())
            .take_while(|((older, _), expected)| older == expected);
        let tokens: Vec<[u8; 4]> = without_a_gap.map(|((_, token), _)| token.0).collect();
        tokens.into_iter().rev().flatten().collect()
    }

    /// Whether the session went through this very version.
    pub fn knows(&self, version: u64, token: Token) -> bool {
        self.0.contains(&(version, token))
    }

    /// The version of this line that somebody else has put back by that commit, if it is one that puts back.
    fn put_back_by(&self, commit: Token) -> Option<u64> {
        let of = |(_, token): &&(u64, Token)| token.put_back() == commit;
        self.0.iter().rev().find(of).map(|(version, _)| *version)
    }

    fn token(&self, version: u64) -> Option<Token> {
        let at = |(number, _): &&(u64, Token)| *number == version;
        self.0.iter().find(at).map(|(_, token)| *token)
    }

    /// The newest version that both went through.
    fn common(&self, other: &Self) -> Option<u64> {
        let both = self
            .0
            .iter()
            .filter(|(version, token)| other.knows(*version, *token));
        both.map(|(version, _)| *version).max()
    }
}

/// What the store has lost of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// Nothing that we know of.
    Nothing,
    /// It is at a version that ours went through: ours may take its place.
    Rewound,
    /// It went on from such a version without ours: these changes are missing.
    Forked(Vec<Change>),
}

/// What `store` lacks of `ours`, which the store had before. `as_put_back`: the store had lost everything, and nobody has gone on from what was put back:
/// then the higher version is the later one, whoever put back the other.
pub fn lost(ours: &Session, store: &Session, as_put_back: bool) -> Lost {
    // What could not be read whole is not put in the place of anything.
    if ours.damaged {
        return Lost::Nothing;
    }
    let known = ours.history.knows(store.version, store.token);
    // Versions of one life only grow: a lower one is of before, though we may have read ours without those between.
    let older = store.version < ours.version && store.created == ours.created;
    if (store.version < ours.version && known) || (older && as_put_back) {
        return Lost::Rewound;
    }
    let before = older.then_some(store.version);
    let Some(common) = ours
        .history
        .common(&store.history)
        .or(before)
        .filter(|common| *common < ours.version)
    else {
        return Lost::Nothing;
    };
    // What came after the two parted is later than ours, but where it is what another daemon has put back of an older version of ours.
    let is_later = |theirs: u64, our: u64| {
        let by = store.history.token(theirs);
        let put_back = by.and_then(|commit| ours.history.put_back_by(commit));
        theirs > common && put_back.is_none_or(|version| version >= our)
    };
    let missing = ours.attributes.iter().filter(|(name, attribute)| {
        let theirs = store.attributes.get(*name);
        let later = theirs.is_some_and(|theirs| is_later(theirs.changed, attribute.changed));
        attribute.changed > common && !later
    });
    let changes =
        missing.map(|(name, attribute)| Change::whole(name.clone(), attribute.value.clone()));
    match store.effective(&changes.collect::<Vec<_>>()) {
        changes if changes.is_empty() => Lost::Nothing,
        changes => Lost::Forked(changes),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn change(session: &mut Session, name: &str, value: Option<&str>) {
        let change = Change::whole(
            Bytes::copy_from_slice(name.as_bytes()),
            value.map(|value| Bytes::copy_from_slice(value.as_bytes())),
        );
        session.change(&[change], Token::random());
    }

    fn session() -> Session {
        let mut session = Session::new(1, 60);
        change(&mut session, "a", Some("1"));
        change(&mut session, "b", Some("1"));
        session
    }

    fn names(lost: Lost) -> Vec<String> {
        let Lost::Forked(changes) = lost else {
            panic!("no fork: {lost:?}")
        };
        let name = |change: &Change| String::from_utf8(change.name.to_vec()).unwrap();
        changes.iter().map(name).collect()
    }

    #[test]
    fn a_trail_says_what_a_version_came_from() {
        let mut history = History::default();
        for (version, token) in [(3, 3), (5, 5), (6, 6), (7, 7)] {
            history.push(version, Token([token; 4]));
        }
        let trail = history.before(7);
        assert_eq!(trail, [5, 5, 5, 5, 6, 6, 6, 6], "4 is not known");
        assert!(history.before(3).is_empty() && history.before(9).is_empty());
        let mut read = History::default();
        read.push_trail(6, &trail);
        assert!(read.knows(5, Token([5; 4])) && read.knows(6, Token([6; 4])));
        assert!(!read.knows(3, Token([3; 4])) && !read.knows(7, Token([7; 4])));
    }

    #[test]
    fn an_older_version_that_ours_went_through_is_rewound() {
        let store = session();
        let mut ours = store.clone();
        assert_eq!(lost(&ours, &store, false), Lost::Nothing);
        change(&mut ours, "a", Some("2"));
        assert_eq!(lost(&ours, &store, false), Lost::Rewound);
        assert_eq!(
            lost(&store, &ours, false),
            Lost::Nothing,
            "somebody went on"
        );
    }

    #[test]
    fn a_fork_lacks_what_changed_since_but_what_it_changed_itself_is_later() {
        let mut store = session();
        let mut ours = store.clone();
        change(&mut ours, "a", Some("ours"));
        change(&mut ours, "c", Some("ours"));
        change(&mut ours, "b", None);
        change(&mut store, "a", Some("theirs"));
        assert_eq!(names(lost(&ours, &store, false)), ["b", "c"]);
        for n in 0..5 {
            change(&mut store, "a", Some(&n.to_string()));
        }
        assert_eq!(names(lost(&ours, &store, false)), ["b", "c"]);
    }

    #[test]
    fn what_a_daemon_puts_back_that_is_behind_is_not_later_than_ours() {
        let mut store = session();
        let mut behind = store.clone();
        change(&mut behind, "a", Some("behind"));
        let mut ours = behind.clone();
        change(&mut ours, "a", Some("ours"));
        change(&mut store, "c", Some("theirs"));
        let Lost::Forked(changes) = lost(&behind, &store, false) else {
            panic!("no fork")
        };
        store.change(&changes, behind.token.put_back());
        assert_eq!(names(lost(&ours, &store, false)), ["a"]);
        assert_eq!(lost(&behind, &store, false), Lost::Nothing);
        change(&mut store, "a", Some("theirs"));
        assert_eq!(lost(&ours, &store, false), Lost::Nothing);
    }

    #[test]
    fn a_lower_version_that_ours_never_saw_is_of_before() {
        let store = session();
        let mut ours = store.clone();
        change(&mut ours, "a", Some("2"));
        ours.history = History::default();
        change(&mut ours, "b", None);
        assert_eq!(names(lost(&ours, &store, false)), ["a", "b"]);
        assert_eq!(
            lost(&ours, &store, true),
            Lost::Rewound,
            "nobody went on from it"
        );
        let mut other = store;
        other.created = 2;
        assert_eq!(lost(&ours, &other, true), Lost::Nothing);
    }

    #[test]
    fn another_life_of_the_name_and_what_was_not_read_whole_is_the_truth() {
        let mut ours = session();
        change(&mut ours, "a", Some("2"));
        let mut other = session();
        other.created = 2;
        assert_eq!(lost(&ours, &other, false), Lost::Nothing);
        let store = session();
        ours.damaged = true;
        assert_eq!(lost(&ours, &store, false), Lost::Nothing);
    }
}

//! What is true of each session, whoever asks.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Attributes and values.
pub type Content = BTreeMap<String, String>;

/// A daemon, in one of its lives.
pub type DaemonLife = u64;

/// Attributes that are set, or removed.
pub type Changes = Vec<(String, Option<String>)>;

/// A commit that got no answer: it was not done, or was done, or will be. Whoever has the session claimed shows what was before until somebody reads
/// what it made of it.
#[derive(Debug, Clone)]
struct Pending {
    pod: usize,
    changes: Changes,
}

/// Who saw it.
#[derive(Debug, Clone, Copy)]
pub struct Observer {
    pub pod: usize,
    pub life: DaemonLife,
    /// It keeps what it saw.
    pub holds: bool,
}

#[derive(Debug, Clone)]
pub struct Session {
    pub name: String,
    /// What it may hold, but for commits that got no answer.
    possible: Vec<Content>,
    pending: Vec<Pending>,
    /// It may be over at any moment, for its idle time is short.
    pub short: bool,
    pub over: bool,
    /// Who ended it: only that daemon can tell a store that forgot.
    pub ended_by: Option<DaemonLife>,
    /// Names that it had, and who renamed it.
    pub old_names: Vec<(String, DaemonLife)>,
    /// What every version held.
    versions: HashMap<i64, Content>,
    /// Counts changes; which of them each daemon has seen.
    change: u64,
    seen_by: BTreeMap<DaemonLife, u64>,
}

impl Session {
    pub fn new(name: String, short: bool, content: Content) -> Self {
        Self {
            name,
            possible: vec![content],
            pending: Vec::new(),
            short,
            over: false,
            ended_by: None,
            old_names: Vec::new(),
            versions: HashMap::new(),
            change: 0,
            seen_by: BTreeMap::new(),
        }
    }

    /// In seconds.
    pub fn idle(&self) -> i64 {
        idle(self.short)
    }

    /// A commit was done, or nobody knows.
    pub fn commit(&mut self, changes: &Changes, certain: bool, pod: usize) {
        if certain {
            let before = self.candidates().into_iter();
            self.possible = before
                .map(|(mut content, _)| {
                    apply(&mut content, changes);
                    content
                })
                .collect();
        } else {
            let changes = changes.clone();
            self.pending.push(Pending { pod, changes });
        }
        self.change += 1;
    }

    /// What it may hold, and the commits of which nobody will know then.
    fn candidates(&self) -> Vec<(Content, Vec<Pending>)> {
        let mut candidates = Vec::new();
        for content in &self.possible {
            with_any(content.clone(), &self.pending, &mut candidates);
        }
        candidates
    }

    pub fn may_hold(&self, content: &Content) -> bool {
        self.candidates().iter().any(|(may, _)| may == content)
    }

    /// Somebody saw it, through a daemon.
    pub fn observe(&mut self, version: i64, content: &Content, by: Observer) {
        assert!(!self.over, "{} is over and was seen", self.name);
        let candidates = self.candidates().into_iter();
        let pending = candidates
            .filter(|(may, _)| may == content)
            .map(|(_, pending)| pending)
            .max_by_key(Vec::len);
        self.pending = pending.unwrap_or_else(|| {
            panic!(
                "{} holds {}, not one of {}, without an answer {}",
                self.name,
                short(content),
                short(&self.possible),
                short(&self.pending)
            )
        });
        // Its own daemon has looked what became of it.
        self.pending.retain(|pending| pending.pod != by.pod);
        self.possible = vec![content.clone()];
        self.note_version(version, content);
        // One that has only passed a commit on holds nothing.
        if by.holds || self.seen_by.contains_key(&by.life) {
            self.seen_by.insert(by.life, self.change);
        }
    }

    /// A version is the same for all.
    pub fn note_version(&mut self, version: i64, content: &Content) {
        let before = self.versions.insert(version, content.clone());
        assert!(
            before.is_none_or(|before| before == *content),
            "{} holds {} at version {version}, and held something else",
            self.name,
            short(content)
        );
    }

    /// What it may hold.
    pub fn possible(&self) -> &[Content] {
        &self.possible
    }

    /// It is there, and no commit got no answer.
    pub fn is_certain(&self) -> bool {
        !self.over && !self.short && self.pending.is_empty()
    }

    /// Several changed it at the same time: it holds one of these.
    pub fn raced<'a>(&mut self, possible: impl Iterator<Item = &'a Content>) {
        self.possible = possible.cloned().collect();
        self.change += 1;
    }

    /// It was not there.
    pub fn observe_absent(&mut self) {
        assert!(self.over || self.short, "{} is not there", self.name);
        self.over = true;
    }

    pub fn end(&mut self, by: DaemonLife) {
        self.over = true;
        self.ended_by = Some(by);
    }

    /// Numbers that the store has forgotten are given away again.
    pub fn forget_versions(&mut self) {
        self.versions.clear();
    }

    /// Whether a store that lost anything gets this right again from the daemons that live.
    pub fn survives_a_loss(&self, living: &BTreeSet<DaemonLife>) -> bool {
        let knows = |life: &DaemonLife| living.contains(life);
        // A short one may have been over already: then it was no loss.
        if self.short || !self.old_names.iter().all(|(_, by)| knows(by)) {
            return false;
        }
        if self.over {
            return self.ended_by.as_ref().is_some_and(knows);
        }
        self.possible.len() == 1
            && self.pending.is_empty()
            && self
                .seen_by
                .iter()
                .any(|(life, change)| knows(life) && *change == self.change)
    }
}

/// The content, and what any of the commits may make of it in any order.
fn with_any(content: Content, pending: &[Pending], found: &mut Vec<(Content, Vec<Pending>)>) {
    for index in 0..pending.len() {
        let mut rest = pending.to_vec();
        let mut after = content.clone();
        apply(&mut after, &rest.remove(index).changes);
        with_any(after, &rest, found);
    }
    found.push((content, pending.to_vec()));
}

pub fn apply(content: &mut Content, changes: &Changes) {
    for (name, value) in changes {
        match value {
            Some(value) => content.insert(name.clone(), value.clone()),
            None => content.remove(name),
        };
    }
}

/// The idle time, in seconds, of a session that is soon over, and of one that outlives the run.
pub fn idle(short: bool) -> i64 {
    if short { 1 } else { 1800 }
}

/// Without what only makes values long.
pub fn short(what: &impl std::fmt::Debug) -> String {
    format!("{what:?}").replace('x', "")
}

//! What is true of each session, whoever asks.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Attributes and values.
pub type Content = BTreeMap<String, String>;

/// A daemon, in one of its lives.
pub type DaemonLife = u64;

#[derive(Debug, Clone)]
pub struct Session {
    pub name: String,
    /// What it may hold: more than one where a commit got no answer.
    pub possible: Vec<Content>,
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
            short,
            over: false,
            ended_by: None,
            old_names: Vec::new(),
            versions: HashMap::new(),
            change: 0,
            seen_by: BTreeMap::new(),
        }
    }

    /// A commit was done, or was not, or nobody knows.
    pub fn commit(&mut self, changes: &[(String, Option<String>)], certain: bool) {
        let mut after: Vec<Content> = self.possible.clone();
        for content in &mut after {
            apply(content, changes);
        }
        if !certain {
            after.extend(self.possible.iter().cloned());
        }
        self.possible = after;
        self.change += 1;
    }

    /// Somebody saw it, through a daemon.
    pub fn observe(&mut self, version: i64, content: &Content, by: DaemonLife, holds: bool) {
        assert!(!self.over, "{} is over and was seen", self.name);
        assert!(
            self.possible.contains(content),
            "{} holds {}, not one of {}",
            self.name,
            short(content),
            short(&self.possible)
        );
        self.possible = vec![content.clone()];
        let before = self.versions.insert(version, content.clone());
        assert!(
            before.is_none_or(|before| before == *content),
            "{} holds {} at version {version}, and held something else",
            self.name,
            short(content)
        );
        // One that has only passed a commit on holds nothing.
        if holds || self.seen_by.contains_key(&by) {
            self.seen_by.insert(by, self.change);
        }
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
            && self
                .seen_by
                .iter()
                .any(|(life, change)| knows(life) && *change == self.change)
    }
}

pub fn apply(content: &mut Content, changes: &[(String, Option<String>)]) {
    for (name, value) in changes {
        match value {
            Some(value) => content.insert(name.clone(), value.clone()),
            None => content.remove(name),
        };
    }
}

/// Without what only makes values long.
pub fn short(what: &impl std::fmt::Debug) -> String {
    format!("{what:?}").replace('x', "")
}

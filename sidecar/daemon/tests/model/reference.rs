//! What is true of each session, whoever asks.

mod alone;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::locks::Locks;
use crate::possible::{Alone, Possible};

/// Attributes and values.
pub type Content = BTreeMap<String, String>;

/// A daemon, in one of its lives.
pub type DaemonLife = u64;

/// Attributes that are set, or removed.
pub type Changes = Vec<(String, Option<String>)>;

/// Who saw it.
#[derive(Debug, Clone, Copy)]
pub struct Observer {
    pub pod: usize,
    pub life: DaemonLife,
    /// It keeps what it saw.
    pub holds: bool,
    /// It holds what it answers before the store has it.
    pub queues: bool,
}

#[derive(Debug, Clone)]
pub struct Session {
    pub name: String,
    possible: Possible,
    /// The claim may be void under which commits were answered before the store had them: nobody waits for those any more.
    pub at_large: bool,
    /// Requests that had it for themselves.
    pub locks: Locks,
    /// It may be over at any moment, for its idle time is short.
    pub short: bool,
    pub over: bool,
    pub listeners: Listeners,
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

/// Whether those of a session that is over are still to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listeners {
    Told,
    /// Who operates the cluster has ended it: whoever ends it once more may be the one to tell them.
    Wait,
}

impl Session {
    pub fn new(name: String, short: bool, content: Content) -> Self {
        Self {
            name,
            possible: Possible::any_of([content]),
            at_large: false,
            locks: Locks::default(),
            short,
            over: false,
            listeners: Listeners::Told,
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

    /// A commit is in the store.
    pub fn commit(&mut self, changes: &Changes, pod: usize) {
        self.answered(pod);
        self.possible
            .commit(changes, !self.at_large, self.locks.holder());
        self.change += 1;
    }

    /// A commit got no answer.
    pub fn doubt(&mut self, changes: &Changes, pod: usize) {
        self.asked(pod);
        self.possible.doubt(pod, None, changes);
        self.change += 1;
    }

    /// A commit was answered by a daemon that holds it.
    pub fn queue(&mut self, changes: &Changes, by: Observer) {
        // Short ones may be over by the time that it gets there.
        assert!(
            !self.over || self.at_large || self.short,
            "{} is over and took a commit",
            self.name
        );
        if self.at_large {
            self.asked(by.pod);
        } else {
            self.answered(by.pod);
        }
        self.possible.queue(changes);
        let seen = self.seen_by.get_mut(&by.life);
        if let Some(seen) = seen.filter(|seen| **seen == self.change) {
            *seen += 1;
        }
        self.change += 1;
    }

    /// From now on claims may be void.
    pub fn let_loose(&mut self) {
        self.at_large = true;
        self.locks.shake_all();
    }

    /// Claims count again.
    pub fn hold_together(&mut self) {
        self.at_large = false;
    }

    /// All that was answered is in the store.
    pub fn settle(&mut self) {
        self.possible.settle();
    }

    /// The daemon is dead that held what the store had not.
    pub fn cut(&mut self) {
        self.possible.cut();
    }

    pub fn may_hold(&self, content: &Content) -> bool {
        let mut possible = self.possible.clone();
        possible.seen_by_other(content, !self.at_large, None)
    }

    /// Somebody saw it, through a daemon.
    pub fn observe(&mut self, version: i64, content: &Content, by: Observer) {
        self.answered(by.pod);
        self.see(version, content, by, self.locks.holder());
    }

    /// It holds this, of which no more has come than what may come with `alone`.
    fn see(&mut self, version: i64, content: &Content, by: Observer, alone: Option<Alone>) {
        assert!(!self.over, "{} is over and was seen", self.name);
        let fits = if by.queues {
            self.possible.seen_by_holder(content, alone)
        } else {
            let others_wait = !self.at_large;
            self.possible.seen_by_other(content, others_wait, alone)
        };
        assert!(
            fits,
            "{} holds {}, which cannot come of {}, {:?}{}",
            self.name,
            short(content),
            short(&self.possible),
            self.locks,
            if self.at_large { ", claims or not" } else { "" }
        );
        self.possible.decided(by.pod);
        let any_queued = self.possible.any_queued();
        // Of what is queued the version is provisional.
        if !any_queued {
            self.note_version(version, content);
        }
        // One that has only passed a commit on holds nothing.
        let holds = by.holds || self.seen_by.contains_key(&by.life);
        if holds && (by.queues || !any_queued) {
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
    pub fn possible(&self) -> BTreeSet<Content> {
        self.possible.contents()
    }

    /// It is there, each commit was answered, and is in the store.
    pub fn is_certain(&self) -> bool {
        let settled = self.possible.certain().is_some() && !self.possible.any_queued();
        !self.over && !self.short && settled
    }

    /// Whether a commit was answered that the store may lack.
    pub fn any_queued(&self) -> bool {
        self.possible.any_queued()
    }

    /// Several changed it at the same time: it holds one of these.
    pub fn raced<'a>(&mut self, possible: impl Iterator<Item = &'a Content>) {
        self.possible = Possible::any_of(possible.cloned());
        self.locks = Locks::default();
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
        let mut seen = self.seen_by.iter();
        self.possible.certain().is_some()
            && seen.any(|(life, change)| knows(life) && *change == self.change)
    }
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

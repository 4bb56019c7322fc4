//! What the store may have of a session, and what may still come to it.

mod state;

use std::collections::BTreeSet;

use crate::locks::Request;
use crate::reference::{Changes, Content, apply};
pub use state::Alone;
use state::{Pending, State};

/// Each of these may be so.
#[derive(Debug, Clone)]
pub struct Possible(BTreeSet<State>);

impl Possible {
    pub fn any_of(contents: impl IntoIterator<Item = Content>) -> Self {
        let state = |content| State {
            content,
            pending: Vec::new(),
            queued: Vec::new(),
        };
        Self(contents.into_iter().map(state).collect())
    }

    /// A commit got no answer.
    pub fn doubt(&mut self, pod: usize, lock: Option<Request>, changes: &Changes) {
        let changes = changes.clone();
        let pending = Pending { pod, lock, changes };
        self.each(|state| state.pending.push(pending.clone()));
    }

    /// A commit was answered, and is held.
    pub fn queue(&mut self, changes: &Changes) {
        self.each(|state| state.queued.push(changes.clone()));
    }

    /// A commit is in the store. With `others_wait` all that is queued was there before.
    pub fn commit(&mut self, changes: &Changes, others_wait: bool, alone: Option<Alone>) {
        self.0 = self.reachable(alone);
        self.0
            .retain(|state| !others_wait || state.queued.is_empty());
        self.each(|state| apply(&mut state.content, changes));
    }

    /// Who holds what is queued was asked: nothing of it is missing, and it may yet have to come to the store. Whether that can be what he saw.
    pub fn seen_by_holder(&mut self, content: &Content, alone: Option<Alone>) -> bool {
        self.narrow(alone, |state| state.flushed() == *content)
    }

    /// The store was asked. With `others_wait` nobody is answered before all that is queued is in it.
    pub fn seen_by_other(
        &mut self,
        content: &Content,
        others_wait: bool,
        alone: Option<Alone>,
    ) -> bool {
        self.narrow(alone, |state| {
            state.content == *content && !(others_wait && state.any_queued())
        })
    }

    /// A lock is lost: what it was to be written with is there by now, or never will be.
    pub fn fence(&mut self, lock: Request) {
        let is_of_it = |pending: &Pending| pending.lock == Some(lock);
        if self
            .0
            .iter()
            .any(|state| state.pending.iter().any(is_of_it))
        {
            self.0 = self.reachable(None);
            self.each(|state| state.pending.retain(|pending| !is_of_it(pending)));
        }
    }

    /// A daemon has looked what became of its commits: those that were not done will not be.
    pub fn decided(&mut self, pod: usize) {
        self.each(|state| state.pending.retain(|pending| pending.pod != pod));
    }

    /// All that was answered is in the store.
    pub fn settle(&mut self) {
        if self.any_queued() {
            // What got no answer may have come before it.
            self.0 = self.reachable(None);
            self.0.retain(|state| !state.any_queued());
        }
    }

    /// Who held it is dead: what was not in the store will not be.
    pub fn cut(&mut self) {
        self.0 = self.reachable(None);
        self.each(|state| state.queued.clear());
    }

    /// What may be read.
    pub fn contents(&self) -> BTreeSet<Content> {
        self.reachable(None)
            .into_iter()
            .map(|state| state.content)
            .collect()
    }

    /// What it holds once all that was answered is in the store, if there is no doubt about that.
    pub fn certain(&self) -> Option<Content> {
        if self.0.iter().any(|state| !state.pending.is_empty()) {
            return None;
        }
        let mut flushed = self.0.iter().map(State::flushed);
        let first = flushed.next()?;
        flushed.all(|other| other == first).then_some(first)
    }

    /// Whether anything may be answered and not in the store.
    pub fn any_queued(&self) -> bool {
        self.0.iter().any(State::any_queued)
    }

    fn narrow(&mut self, alone: Option<Alone>, fits: impl Fn(&State) -> bool) -> bool {
        let mut reachable = self.reachable(alone);
        reachable.retain(|state| fits(state));
        let any = !reachable.is_empty();
        if any {
            self.0 = reachable;
        }
        any
    }

    /// All that may have become of it by now.
    fn reachable(&self, alone: Option<Alone>) -> BTreeSet<State> {
        let may_come = |pod| alone.is_none_or(|alone| alone.pod == pod);
        let queue_comes = alone.is_none_or(|alone| alone.queues);
        let mut found = BTreeSet::new();
        let mut next: Vec<State> = self.0.iter().cloned().collect();
        while let Some(state) = next.pop() {
            if found.contains(&state) {
                continue;
            }
            let pending = state.pending.iter().enumerate();
            next.extend(
                pending
                    .filter(|(_, pending)| may_come(pending.pod))
                    .map(|(index, _)| state.after_pending(index)),
            );
            next.extend(state.after_queued().filter(|_| queue_comes));
            found.insert(state);
        }
        found
    }

    fn each(&mut self, change: impl Fn(&mut State)) {
        let states = std::mem::take(&mut self.0).into_iter();
        self.0 = states
            .map(|mut state| {
                change(&mut state);
                state
            })
            .collect();
    }
}

mod tests {
    use super::*;

    fn holding(value: &str) -> Content {
        Content::from([("a".to_owned(), value.to_owned())])
    }

    fn set(value: &str) -> Changes {
        vec![("a".to_owned(), Some(value.to_owned()))]
    }

    fn with_two_queued() -> Possible {
        let mut possible = Possible::any_of([holding("0")]);
        possible.queue(&set("1"));
        possible.queue(&set("2"));
        possible
    }

    #[test]
    fn others_wait_for_what_is_queued_while_there_is_a_claim() {
        for value in ["0", "1"] {
            assert!(!with_two_queued().seen_by_other(&holding(value), true, None));
            assert!(with_two_queued().seen_by_other(&holding(value), false, None));
        }
        assert!(with_two_queued().seen_by_other(&holding("2"), true, None));
    }

    #[test]
    fn what_is_queued_comes_in_its_order_and_not_again() {
        let mut possible = with_two_queued();
        assert!(possible.seen_by_other(&holding("1"), false, None));
        assert!(!possible.clone().seen_by_other(&holding("0"), false, None));
        assert!(possible.seen_by_other(&holding("2"), false, None));
        assert!(!possible.seen_by_other(&holding("1"), false, None));
    }

    #[test]
    fn who_holds_it_lacks_nothing_of_it_though_others_may() {
        let mut possible = with_two_queued();
        assert!(!possible.seen_by_holder(&holding("1"), None));
        assert!(possible.seen_by_holder(&holding("2"), None));
        assert!(possible.seen_by_other(&holding("0"), false, None));
    }

    #[test]
    fn with_who_held_it_goes_only_what_was_not_in_the_store() {
        let mut possible = with_two_queued();
        assert!(possible.seen_by_other(&holding("1"), false, None));
        possible.cut();
        assert_eq!(possible.contents(), [holding("1"), holding("2")].into());
        assert!(possible.seen_by_other(&holding("1"), true, None));
        assert!(!possible.seen_by_other(&holding("2"), true, None));
    }

    #[test]
    fn what_got_no_answer_comes_once_or_never() {
        let mut possible = Possible::any_of([holding("0")]);
        possible.doubt(1, None, &set("1"));
        assert!(possible.clone().seen_by_other(&holding("0"), true, None));
        assert!(possible.seen_by_other(&holding("1"), true, None));
        possible.commit(&set("2"), true, None);
        assert!(!possible.seen_by_other(&holding("1"), true, None));
    }

    #[test]
    fn what_got_no_answer_may_have_come_before_what_was_answered() {
        let mut possible = Possible::any_of([holding("0")]);
        possible.doubt(1, None, &set("1"));
        possible.queue(&set("2"));
        possible.settle();
        possible.decided(1);
        assert_eq!(possible.contents(), [holding("1"), holding("2")].into());
        assert_eq!(possible.0.len(), 2);
    }

    #[test]
    fn what_others_do_comes_before_a_lock_or_after_it() {
        let mut possible = Possible::any_of([holding("0")]);
        possible.doubt(1, None, &set("1"));
        let alone = Some(Alone {
            pod: 0,
            queues: false,
        });
        assert!(!possible.clone().seen_by_other(&holding("1"), true, alone));
        assert!(possible.seen_by_other(&holding("1"), true, None));
    }

    #[test]
    fn what_was_written_with_a_lock_does_not_come_after_it_is_lost() {
        let mut possible = Possible::any_of([holding("0")]);
        possible.doubt(1, Some(7), &set("1"));
        possible.fence(7);
        assert!(possible.clone().seen_by_other(&holding("1"), true, None));
        assert!(possible.seen_by_other(&holding("0"), true, None));
        assert!(!possible.seen_by_other(&holding("1"), true, None));
    }
}

//! Requests of one connection that were begun and are not answered yet.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_util::StreamExt as _;
use futures_util::future::OptionFuture;
use futures_util::stream::FuturesUnordered;
use tokio::task::coop::{Unconstrained, unconstrained};

/// Where a request waits, again and again: it is large, and most have to wait.
type Place<F> = Pin<Box<OptionFuture<Unconstrained<F>>>>;

/// So many places are kept for requests to come.
const SPARE: usize = 16;

/// A request that waits: its answer, and the place that is free by then.
struct Waiting<F: Future>(Option<Place<F>>);

impl<F: Future> Future for Waiting<F> {
    type Output = (Option<F::Output>, Place<F>);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(mut place) = self.0.take() else {
            return Poll::Pending;
        };
        if let Poll::Ready(answer) = place.as_mut().poll(context) {
            return Poll::Ready((answer, place));
        }
        self.0 = Some(place);
        Poll::Pending
    }
}

/// Begins requests in their order and gives their answers in the order in which they come.
pub(super) struct UnderWay<R, F: Future> {
    answer: fn(R) -> F,
    waiting: FuturesUnordered<Waiting<F>>,
    spare: Vec<Place<F>>,
    answered: VecDeque<F::Output>,
}

impl<R, F: Future> UnderWay<R, F> {
    pub(super) fn new(answer: fn(R) -> F) -> Self {
        Self {
            answer,
            waiting: FuturesUnordered::new(),
            spare: Vec::new(),
            answered: VecDeque::new(),
        }
    }

    /// Takes a request as far as it gets without waiting: its place in a queue that it has to stand in is before those of the
    /// requests that are begun after it.
    pub(super) fn begin(&mut self, request: R) {
        let mut place = self.spare.pop().unwrap_or_else(|| Box::pin(None.into()));
        // Unconstrained: the runtime has a task that has done much find everything busy. The later ones of many requests in
        // one read would stop before they stand in any queue, and many answers would not leave together.
        place
            .as_mut()
            .set(Some(unconstrained((self.answer)(request))).into());
        // Nobody need be woken: what waits is asked again as soon as it is among the waiting.
        match place.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => {
                self.answered.extend(answer);
                self.keep(place);
            }
            Poll::Pending => self.waiting.push(Waiting(Some(place))),
        }
    }

    fn keep(&mut self, mut place: Place<F>) {
        if self.spare.len() < SPARE {
            place.as_mut().set(None.into());
            self.spare.push(place);
        }
    }

    /// Takes an answer that needed no waiting: it comes after those that are there already.
    pub(super) fn answer(&mut self, answer: F::Output) {
        self.answered.push_back(answer);
    }

    /// How many there are, with those whose answers nobody took yet.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.answered.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is anything to drive.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Drives them until there is an answer, and takes all that are there by then: they can leave together. Nothing is lost
    /// when it is dropped.
    pub(super) async fn drive(&mut self) {
        poll_fn(|context| {
            let before = self.answered.len();
            while let Poll::Ready(Some((answer, place))) = self.waiting.poll_next_unpin(context) {
                self.answered.extend(answer);
                self.keep(place);
            }
            if self.answered.len() > before {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// The answer that came first of those that are there.
    pub(super) fn take(&mut self) -> Option<F::Output> {
        self.answered.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Mutex;

    use super::*;

    /// Waits for its turn if there is a gate.
    struct Ask(usize, Option<Arc<Mutex<()>>>);

    async fn answer(Ask(number, gate): Ask) -> usize {
        if let Some(gate) = gate {
            let _turn = gate.lock().await;
            tokio::task::yield_now().await;
        }
        number
    }

    fn taken<R, F: Future>(under_way: &mut UnderWay<R, F>) -> Vec<F::Output> {
        std::iter::from_fn(|| under_way.take()).collect()
    }

    #[tokio::test]
    async fn what_need_not_wait_is_answered_at_once_and_overtakes_what_has_to() {
        let gate = Arc::new(Mutex::new(()));
        let turn = Arc::clone(&gate).lock_owned().await;
        let mut under_way = UnderWay::new(answer);
        under_way.begin(Ask(0, Some(gate)));
        under_way.begin(Ask(1, None));
        under_way.answer(2);
        assert_eq!(under_way.len(), 3);
        assert_eq!(taken(&mut under_way), [1, 2]);
        assert!(under_way.is_waiting());
        drop(turn);
        under_way.drive().await;
        assert_eq!(taken(&mut under_way), [0]);
        assert!(under_way.is_empty() && !under_way.is_waiting());
    }

    #[tokio::test]
    async fn those_for_one_gate_take_their_turns_in_order_however_much_is_done_beside_them() {
        let gate = Arc::new(Mutex::new(()));
        let turn = Arc::clone(&gate).lock_owned().await;
        let mut under_way = UnderWay::new(answer);
        for number in 0..500 {
            // Getting a free gate is what the runtime counts as work.
            under_way.begin(Ask(1000 + number, Some(Arc::default())));
            under_way.begin(Ask(number, Some(Arc::clone(&gate))));
        }
        drop(turn);
        let mut answers = Vec::new();
        while under_way.is_waiting() {
            under_way.drive().await;
            answers.extend(taken(&mut under_way));
        }
        answers.retain(|number| *number < 1000);
        assert_eq!(answers, (0..500).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn answers_that_are_there_together_are_taken_together() {
        let gates: Vec<_> = (0..100).map(|_| Arc::new(Mutex::new(()))).collect();
        let mut turns = Vec::new();
        let mut under_way = UnderWay::new(|gate: Arc<Mutex<()>>| async move {
            drop(gate.lock().await);
        });
        for gate in gates {
            turns.push(Arc::clone(&gate).lock_owned().await);
            under_way.begin(gate);
        }
        drop(turns);
        under_way.drive().await;
        assert_eq!(taken(&mut under_way).len(), 100);
    }
}

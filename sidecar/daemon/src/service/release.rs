//! Letting go of claims: called back by other daemons, at the drain, and at the end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tracing::debug;

use super::Service;
use super::claims::AT_ONCE;
use crate::cache::Slot;
use crate::claims::calls::Asker;
use crate::claims::id::Claim;
use crate::claims::message::Message;
use crate::key::Digest;
use crate::store::Heard;

/// How long the end waits for its releases. What is left is void with the daemon's life.
const LEAVING: Duration = Duration::from_secs(2);
/// How much of the patience a request may keep a session for that others want: who asked began to wait before we heard of it, and is given it before he gives up.
const KEEPS: f64 = 0.9;

impl Service {
    /// Does what other daemons say, until nobody can say anything any more.
    pub async fn listen(self: Arc<Self>, mut messages: mpsc::UnboundedReceiver<Heard>) {
        while let Some(heard) = messages.recv().await {
            match heard {
                Heard::Subscribed => self.tell_missed(),
                Heard::Said(message) => self.handle(message),
            }
        }
    }

    fn handle(self: &Arc<Self>, message: Message) {
        let claims = self.store.claims();
        match message {
            Message::Beat { number } => claims.echoed(number),
            Message::Free { id } => claims.releases().free(id),
            Message::Expired { id } => self.tell_if_known(id),
            Message::End { id, forward } => {
                self.forget_ended(id, forward);
                self.tell_ended(id, forward);
            }
            Message::Shared(said) => self.hear(said),
            Message::Claim {
                id,
                claim,
                asker,
                hand_over,
            } => {
                self.answer_for(claim);
                let asker = Asker {
                    claim: asker,
                    hand_over,
                };
                if self.calls().ask(id, claim, asker) {
                    tokio::spawn(Arc::clone(self).call_back(id, claim));
                }
            }
        }
    }

    /// Says to other daemons, and to the store, what there is to say of shared claims, until the task is dropped.
    pub async fn speak(self: Arc<Self>) {
        loop {
            let claims = self.store.claims();
            let said = claims.peers().to_say(claims.node()).await;
            for (to, message) in said.messages {
                let service = Arc::clone(&self);
                tokio::spawn(async move { service.store.tell(to, &message).await });
            }
            for (id, over) in said.gone {
                let service = Arc::clone(&self);
                tokio::spawn(async move { service.store.forget(id, &over).await });
            }
        }
    }

    /// Who asks for a session that was claimed in a life that is over takes all that was claimed in it for void, unless he is told that commits are on their
    /// way to the store which were answered by it: of any session, for he asks for the others no more.
    fn answer_for(self: &Arc<Self>, claim: Claim) {
        let is_on_its_way = self.queue.bytes() > 0;
        // As long as it is trusted its beats answer for it.
        if is_on_its_way && !self.store.claims().trusts(claim) {
            let service = Arc::clone(self);
            tokio::spawn(async move { service.store.prolong_life(claim.life()).await });
        }
    }

    async fn call_back(self: Arc<Self>, id: Digest, claim: Claim) {
        self.metrics.claims.called_back.inc();
        let released = self.let_go_to_others(id, claim).await;
        let askers = self.calls().answer(id, claim);
        if !released {
            // Who is told asks again at once; who is not told does so after a while.
            return;
        }
        for asker in askers {
            let free = Message::Free { id };
            self.store.tell(asker.claim.node(), &free).await;
        }
    }

    /// Lets go of a claim that is called back, once nothing of the session is under way: no request that has it for itself, no
    /// commit. A request that takes for nearly as long as others have patience loses its lock: they would wait in vain. Whether the
    /// store knows.
    async fn let_go_to_others(&self, id: Digest, claim: Claim) -> bool {
        let slot = self.cache().slot(id);
        let keeps = self.patience.mul_f64(KEEPS);
        let lock = timeout(keeps, Arc::clone(&slot.lock).lock_owned()).await;
        let released = self.let_go(id, &slot, claim, true).await;
        if released.is_some() && lock.is_err() {
            self.lose_lock(id, claim);
        }
        drop(lock);
        self.settle(id, slot);
        released == Some(true)
    }

    /// Lets go of a claim that nobody has asked for. While a request has the session for itself it stays.
    async fn let_go_unasked(&self, id: Digest, claim: Claim) {
        let slot = self.cache().slot(id);
        if let Ok(lock) = Arc::clone(&slot.lock).try_lock_owned() {
            self.let_go(id, &slot, claim, false).await;
            drop(lock);
        }
        self.settle(id, slot);
    }

    /// By who has the lock, or does without; whether the store knows, `None` if it was not done.
    async fn let_go(
        &self,
        id: Digest,
        slot: &Slot,
        claim: Claim,
        called_back: bool,
    ) -> Option<bool> {
        let _turn = self.turn(id, slot).await;
        // While the store is away nobody waits for us rather than for it.
        self.wait_until_flushed(slot).await.ok()?;
        Some(self.let_go_slot(id, slot, claim, called_back).await)
    }

    /// By who has the gate; whether the store knows.
    async fn let_go_slot(&self, id: Digest, slot: &Slot, claim: Claim, called_back: bool) -> bool {
        {
            let mut state = slot.state();
            // Where there is another claim by now, this one has been let go of before.
            if state.claim() == Some(claim) {
                state.set_claim(None);
                if called_back {
                    state.standing.called_back();
                }
            }
        }
        let used = self.accesses().take(id);
        let heir = self.calls().heir(id, claim);
        let released = self.store.release(id, claim, heir, used).await;
        if let Err(unavailable) = &released {
            debug!(session = id.hex(), %unavailable, "claim not released");
            if let Some(used) = used {
                self.tell_accesses_later(id, used);
            }
        }
        released.is_ok()
    }

    /// It has ended, on whatever daemon.
    fn forget_ended(&self, id: Digest, forward: Option<Digest>) {
        self.ends.hear(id, forward);
        let Some(slot) = self.cache().peek(id) else {
            return;
        };
        // Whoever is busy with it will find out by himself.
        if let Some(_turn) = self.try_turn(id, &slot) {
            let mut state = slot.state();
            if state.pending.is_empty() {
                state.held = None;
                state.set_claim(None);
            }
        }
        self.settle(id, slot);
    }

    /// The pod begins to drain: others need not wait for what this daemon holds.
    pub fn drain(self: &Arc<Self>) {
        self.store.claims().drain();
        tokio::spawn(Arc::clone(self).let_all_go());
    }

    pub(super) async fn let_all_go(self: Arc<Self>) {
        let claims = self.cache().claims();
        stream::iter(claims)
            .for_each_concurrent(AT_ONCE, |(id, claim)| self.let_go_unasked(id, claim))
            .await;
    }

    /// Before the end.
    pub async fn leave(self: &Arc<Self>) {
        // In vain or not: the end of the life makes void what is left.
        let let_go = timeout(LEAVING, Arc::clone(self).let_all_go());
        let told = timeout(LEAVING, self.store.tell_what_is_left());
        let _ = tokio::join!(let_go, told);
        self.store.leave().await;
    }
}

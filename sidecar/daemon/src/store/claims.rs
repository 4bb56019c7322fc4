//! Scripts on sessions that others may have claimed: those let go first, or turn out to be gone.

use std::time::Duration;

use futures_util::future::try_join_all;
use redis::Value;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::answer::claim_in_the_way;
use super::caller::Run;
use super::scripts::Script;
use super::{Patience, Reason, Store, Unavailable};
use crate::claims::Claims;
use crate::claims::accesses::Use;
use crate::claims::id::Claim;
use crate::claims::let_go::Fate;
use crate::claims::shared::{News, Over};
use crate::key::{Digest, due};

/// A holder that has nothing under way lets go within a round trip or two; one that a message did not reach is asked again.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// So many claims that are over are worth a command of their own: one goes with this daemon's next script, and two cost whoever comes next a message, which
/// leaves with others.
const MANY: usize = 3;

/// A script on a session.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) script: &'a Script,
    pub(super) id: Digest,
    pub(super) arguments: &'a [&'a [u8]],
    /// The index of the session's shard, which has the same slot, comes along.
    pub(super) indexed: bool,
    /// A claim to make along with it.
    pub(super) want: Option<Claim>,
    /// A claim of somebody else that the store may still know of, and that is over.
    pub(super) void: Option<Claim>,
}

impl<'a> Call<'a> {
    pub(super) fn of(script: &'a Script, id: Digest, arguments: &'a [&'a [u8]]) -> Self {
        Self {
            script,
            id,
            arguments,
            indexed: false,
            want: None,
            void: None,
        }
    }
}

impl Store {
    /// What this daemon knows of its claims.
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    /// The store has lost all claims.
    pub fn lose_claims(&self) {
        self.claims.lose();
        self.heard.notify_one();
    }

    /// Runs a script; whoever has claimed the session is made to let go first.
    pub(super) async fn run(
        &self,
        call: Call<'_>,
        patience: Patience,
    ) -> Result<Value, Unavailable> {
        let deadline = self.deadline(patience);
        let mut void: Vec<Claim> = call.void.into_iter().collect();
        let mut wait = FIRST_WAIT;
        loop {
            let value = self.once(call, &void, patience).await?;
            let Some(claim) = claim_in_the_way(&value) else {
                return Ok(value);
            };
            if Box::pin(self.is_over(claim, call, at_most(wait, deadline))).await {
                void.push(claim);
            } else {
                self.check(deadline)?;
            }
            wait = (2 * wait).min(LONGEST_WAIT);
        }
    }

    /// Waits until nobody goes by shared claims any more that a script has ended, or only for what the news make the newest again: only then may
    /// anybody be told of what it answered. What is left of `going` is over.
    pub(super) async fn until_let_go(
        &self,
        id: Digest,
        going: &mut Vec<Claim>,
        news: Option<&News>,
        patience: Patience,
    ) -> Result<(), Unavailable> {
        if going.is_empty() {
            return Ok(());
        }
        let deadline = self.deadline(patience);
        // All of them are told at once: one that is slow must not keep another from hearing of it.
        let each = going
            .iter()
            .map(|&claim| self.until_one_lets_go(id, claim, news, deadline));
        let mut fates = try_join_all(each).await?.into_iter();
        going.retain(|_| fates.next() == Some(Fate::Gone));
        // Each of the others would ask each of them again.
        if going.len() >= MANY {
            self.claims.peers().all_gone(id, going.clone());
        }
        Ok(())
    }

    /// Takes claims out that are over. They are only in the way.
    pub async fn forget(&self, id: Digest, over: &[Claim]) {
        let over: Vec<u8> = over.iter().flat_map(Claim::bytes).copied().collect();
        let key = id.key(&self.cluster);
        let run = Run {
            script: &self.scripts.forget,
            keys: &[&key],
            arguments: &[&over],
        };
        let _ = self.caller.run(run, Patience::Bounded).await;
    }

    /// Tells the holder of a claim that it is over, with the news by which he may keep it, and waits for what he says.
    pub(super) async fn until_one_lets_go(
        &self,
        id: Digest,
        claim: Claim,
        news: Option<&News>,
        deadline: Option<Instant>,
    ) -> Result<Fate, Unavailable> {
        let fate = self.say_over(id, claim, news);
        self.until_told(id, claim, fate, deadline).await
    }

    /// Waits for what the holder of a claim says who has been told that it is over. Who is silent is told again, without news: what he keeps by those that he
    /// was told of first is no answer any more.
    pub(super) async fn until_told(
        &self,
        id: Digest,
        claim: Claim,
        mut fate: Option<oneshot::Receiver<Fate>>,
        deadline: Option<Instant>,
    ) -> Result<Fate, Unavailable> {
        let mut wait = FIRST_WAIT;
        while let Some(answer) = fate {
            if let Ok(Ok(fate)) = timeout(at_most(wait, deadline), answer).await {
                return Ok(fate);
            }
            if self.is_life_over(claim).await {
                self.metrics.claims.takeovers.inc();
                break;
            }
            self.check(deadline)?;
            wait = (2 * wait).min(LONGEST_WAIT);
            self.metrics.claims.told_again.inc();
            fate = self.say_over(id, claim, None);
        }
        Ok(Fate::Gone)
    }

    /// Tells the holder of a claim, if that is not over already, and what he will say.
    fn say_over(
        &self,
        id: Digest,
        claim: Claim,
        news: Option<&News>,
    ) -> Option<oneshot::Receiver<Fate>> {
        let peers = self.claims.peers();
        let fate = peers.fate(claim, news.and_then(News::token))?;
        let news = news.cloned();
        peers.say_over(Over { id, claim, news });
        Some(fate)
    }

    pub(super) fn deadline(&self, patience: Patience) -> Option<Instant> {
        patience.deadline(self.caller.patience())
    }

    pub(super) fn check(&self, deadline: Option<Instant>) -> Result<(), Unavailable> {
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Err(self.caller.unavailable(Reason::claimed()));
        }
        Ok(())
    }

    async fn once(
        &self,
        call: Call<'_>,
        void: &[Claim],
        patience: Patience,
    ) -> Result<Value, Unavailable> {
        let node = self.claims.node();
        let who = call.want.as_ref().map_or(node.bytes(), Claim::bytes);
        let void: Vec<u8> = void.iter().flat_map(Claim::bytes).copied().collect();
        let mut arguments = Vec::with_capacity(call.arguments.len() + 2);
        arguments.extend_from_slice(call.arguments);
        arguments.extend([who, &void]);
        let key = call.id.key(&self.cluster);
        let run = |keys| Run {
            script: call.script,
            keys,
            arguments: &arguments,
        };
        if call.indexed {
            let index = due(call.id.shard(), &self.cluster);
            return self.caller.run(run(&[&key, &index]), patience).await;
        }
        self.caller.run(run(&[&key]), patience).await
    }

    /// Lets go of a claim, perhaps for another's, and tells of accesses.
    pub async fn release(
        &self,
        id: Digest,
        claim: Claim,
        heir: Option<Claim>,
        used: Option<Use>,
    ) -> Result<(), Unavailable> {
        let told = used.map(|used| used.told(Instant::now().into_std()));
        let [last, first, gap] = told.unwrap_or_default();
        let heir = heir.as_ref().map_or(&b""[..], Claim::bytes);
        let (last, first, gap) = (last.as_bytes(), first.as_bytes(), gap.as_bytes());
        let arguments = [claim.bytes(), heir, last, first, gap];
        let call = Call::of(&self.scripts.release, id, &arguments);
        // Whoever lets go keeps the session's requests waiting: while the store is away they do without it.
        let patience = Patience::UntilAway(Instant::now() + self.caller.patience());
        self.run(call, patience).await.map(|_| ())
    }
}

/// Who waits in rounds is done when the time is over, and not a round later.
fn at_most(wait: Duration, deadline: Option<Instant>) -> Duration {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    left.map_or(wait, |left| wait.min(left))
}

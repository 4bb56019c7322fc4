//! Commits, and what is told of them to who shares the session.

use std::time::Instant;

use bytes::Bytes;
use redis::Value;

use super::answer::Answer;
use super::caller::Run;
use super::claims::Call;
use super::{Patience, Store, Unavailable};
use crate::cache::Others;
use crate::claims::id::Claim;
use crate::claims::let_go::Fate;
use crate::claims::shared::{News, Version};
use crate::key::Digest;
use crate::session::Session;
use crate::session::plan::Plan;

/// A commit whose session is not held: whole values on a version that the client knows.
#[derive(Debug)]
pub struct Blind<'a> {
    /// The client's version.
    pub base: u64,
    /// The record's bytes.
    pub record: &'a [u8],
    /// The idle time.
    pub idle: i64,
}

/// All claims on a session.
#[derive(Debug, Clone, Copy)]
pub struct Brief {
    /// Of this daemon.
    pub own: Claim,
    /// Of another one, which is told of each commit.
    pub other: Option<Claim>,
    /// When the session is used, in milliseconds by the store's clock, where the store does not know of a time in the same second: it is told that it is.
    pub access: Option<u64>,
}

impl Brief {
    /// The script knows the claims by their tails.
    fn tells_claims_apart(&self) -> bool {
        self.other
            .is_none_or(|other| other.tail() != self.own.tail())
    }
}

/// On what terms a commit is made.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// How long to go on trying.
    pub patience: Patience,
    /// When it was asked for. What is over by the time that a store comes to it may not have been then.
    pub began: Instant,
    /// A claim to make along with it.
    pub want: Option<Claim>,
    /// A claim of somebody else that is over: the store need not remember it any more.
    pub void: Option<Claim>,
    /// A claim that has to be there.
    pub fence: Option<Claim>,
    /// The claim that there is.
    pub has: Option<Claim>,
    /// The session is there, and claimed by these alone: a commit need not say more than what it changes.
    pub brief: Option<Brief>,
    /// How many versions it makes: clients have been told of each.
    pub versions: u64,
    /// They have, and nobody reads what comes of it.
    pub told: bool,
    /// It is no access.
    pub passive: bool,
}

impl Terms {
    /// An ordinary commit.
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            began: Instant::now(),
            want: None,
            void: None,
            fence: None,
            has: None,
            brief: None,
            versions: 1,
            told: false,
            passive: false,
        }
    }

    /// The same, of what is an access or not.
    #[must_use]
    pub fn counting(self, access: bool) -> Self {
        Self {
            passive: !access,
            ..self
        }
    }
}

impl Store {
    /// Adds a commit to a session that is held.
    pub async fn commit(
        &self,
        id: Digest,
        held: &Session,
        plan: &Plan,
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let base = held.version.to_string();
        let idle = plan.idle.map(|idle| idle.to_string()).unwrap_or_default();
        let exact: &[u8] = if plan.exact { b"1" } else { b"" };
        let snapshot = plan.snapshot.as_ref();
        let keep = snapshot
            .map(|(_, keep)| keep.to_string())
            .unwrap_or_default();
        let fence = terms.fence.as_ref().map_or(&b""[..], Claim::bytes);
        let versions = terms.versions.to_string();
        let stub = (terms.versions > 1).then(|| plan.record.stub().encode(self.packing));
        let mut arguments = vec![
            base.as_bytes(),
            &held.token.0,
            &plan.encoded,
            exact,
            idle.as_bytes(),
            fence,
            versions.as_bytes(),
            stub.as_deref().unwrap_or_default(),
            passive(terms),
        ];
        if let Some((snapshot, _)) = snapshot {
            arguments.extend([snapshot.as_slice(), keep.as_bytes()]);
        }
        let call = Call {
            want: terms.want,
            void: terms.void,
            indexed: plan.idle.is_some(),
            ..Call::of(&self.scripts.commit, id, &arguments)
        };
        let mut answer = self.ask(call, terms.patience).await?;
        let news = match &answer {
            // Of several the first to know would say it before the last one does.
            Answer::Done(done) if done.going.len() == 1 => {
                let own = terms.want.or(terms.has.filter(|_| done.claimed));
                news(held, plan, terms, own)
            }
            _ => None,
        };
        self.tell_others(id, &mut answer, news.as_ref(), terms.patience)
            .await?;
        Ok(answer)
    }

    /// Adds a commit to a session that is held, and claimed as the terms say, with as little as that takes; `None`: nothing was done. What is answered
    /// is about the other's claim.
    pub async fn commit_brief(
        &self,
        id: Digest,
        held: &Session,
        plan: &Plan,
        terms: &Terms,
    ) -> Result<Option<Others>, Unavailable> {
        let brief = terms.brief.filter(|_| plan.is_record_alone());
        let brief = brief.filter(Brief::tells_claims_apart);
        let Some(Brief { own, other, access }) = brief else {
            return Ok(None);
        };
        let news = other.and_then(|_| news(held, plan, terms, Some(own)));
        let flags = news.as_ref().map(|news| [news.flags()]);
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        let follows = bit(other.is_some(), 1) | bit(flags.is_some(), 2) | bit(access.is_some(), 4);
        let said = [
            own.tail(),
            &held.token.0,
            &[follows],
            other.as_ref().map_or(&b""[..], Claim::tail),
            flags.as_ref().map_or(&b""[..], |flags| flags),
            &plan.encoded,
        ]
        .concat();
        let key = id.key(&self.cluster);
        // The script tells the other, who may answer before it does.
        let token = news.as_ref().and_then(News::token);
        let told = other.filter(|_| news.is_some());
        let fate = told.and_then(|other| self.claims.peers().fate(other, token));
        let run = Run {
            script: &self.scripts.brief,
            keys: &[&key],
            arguments: &[&said],
        };
        if self.caller.run(run, terms.patience).await? != Value::Int(1) {
            return Ok(None);
        }
        self.caller.done(id.shard());
        let deadline = self.deadline(terms.patience);
        let fate = match (other, told) {
            (None, _) => return Ok(Some(Others::told(&[], &[]))),
            (Some(other), None) => self.until_one_lets_go(id, other, None, deadline).await?,
            (Some(_), Some(other)) => self.until_told(id, other, fate, deadline).await?,
        };
        let over: Vec<Claim> = other.filter(|_| fate == Fate::Gone).into_iter().collect();
        Ok(Some(Others::told(other.as_slice(), &over)))
    }

    /// Adds a commit to a session that is not held: no claim is made.
    pub async fn commit_blind(
        &self,
        id: Digest,
        blind: &Blind<'_>,
        terms: &Terms,
    ) -> Result<Answer, Unavailable> {
        let (base, idle) = (blind.base.to_string(), blind.idle.to_string());
        let fence = terms.fence.as_ref().map_or(&b""[..], Claim::bytes);
        let arguments = [
            base.as_bytes(),
            b"",
            blind.record,
            b"",
            idle.as_bytes(),
            fence,
            b"1",
            b"",
            passive(terms),
        ];
        let call = Call {
            indexed: true,
            ..Call::of(&self.scripts.commit, id, &arguments)
        };
        self.answer(call, terms.patience).await
    }
}

/// As the scripts have it.
fn passive(terms: &Terms) -> &'static [u8] {
    if terms.passive { b"1" } else { b"" }
}

/// Whether others may have claims beside the asker's.
pub(super) fn may_share(terms: &Terms) -> bool {
    terms.fence.is_none() && terms.want.is_none_or(|want| want.is_shared())
}

/// What to tell who holds the version before, so that he may keep his claim; none where that is too much, or not all, or where a claim beside
/// the asker's must not be. `own`: the asker's.
fn news(held: &Session, plan: &Plan, terms: &Terms, own: Option<Claim>) -> Option<News> {
    let record = plan.news()?;
    (terms.versions == 1 && may_share(terms)).then(|| News {
        before: Version {
            number: held.version,
            token: held.token,
        },
        beside: own,
        folded: plan.snapshot.is_some(),
        passive: terms.passive,
        record: Bytes::copy_from_slice(record),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::id::Node;

    #[test]
    fn claims_that_end_alike_are_told_in_full() {
        let claim = |node: &[u8], number| Claim::shared(Node::read(node).unwrap(), 0, number);
        let brief = |other| Brief {
            own: claim(b"abcdef", 7),
            other,
            access: None,
        };
        assert!(brief(None).tells_claims_apart());
        assert!(brief(Some(claim(b"uvwxyz", 7))).tells_claims_apart());
        assert!(brief(Some(claim(b"uvwxef", 8))).tells_claims_apart());
        assert!(!brief(Some(claim(b"uvwxef", 7))).tells_claims_apart());
    }
}

//! Who has which shard of a cluster, and whether all of it is up.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::link::{Connection, State};
use super::slots::{Node, Range, SHARDS, Slots};
use crate::config::Address;

/// How long the connection to a node stays that has nothing yet, and is only getting its first slots.
const GUEST: Duration = Duration::from_secs(30);

/// A node that there is a connection to.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) node: Node,
    pub(super) state: watch::Receiver<State>,
}

#[derive(Debug)]
pub(super) struct Map {
    /// Of each shard.
    owners: Vec<Option<Arc<Member>>>,
    /// Those that are only getting slots, and when one was last sent there.
    guests: Vec<(Arc<Member>, Instant)>,
    /// Where there is no owner.
    nobody: watch::Receiver<State>,
}

impl Map {
    /// Nobody has anything.
    pub(super) fn new(nobody: watch::Receiver<State>) -> Self {
        Self {
            owners: vec![None; SHARDS],
            guests: Vec::new(),
            nobody,
        }
    }

    /// The connection to who has a shard.
    pub(super) fn state(&self, shard: u8) -> watch::Receiver<State> {
        let owner = self.owners.get(usize::from(shard)).and_then(Option::as_ref);
        owner.map_or(&self.nobody, |owner| &owner.state).clone()
    }

    pub(super) fn find(&self, address: &Address) -> Option<&Arc<Member>> {
        let guests = self.guests.iter().map(|(guest, _)| guest);
        let mut members = self.primaries().into_iter().map(|(_, owner)| owner);
        members
            .find(|member| member.node.is_at(address))
            .or_else(|| guests.into_iter().find(|guest| guest.node.is_at(address)))
    }

    /// Each with the lowest of its shards.
    pub(super) fn primaries(&self) -> Vec<(u8, &Arc<Member>)> {
        let mut primaries: Vec<(u8, &Arc<Member>)> = Vec::new();
        for (shard, owner) in (0..=u8::MAX).zip(&self.owners) {
            if let Some(owner) = owner
                && !primaries.iter().any(|(_, known)| Arc::ptr_eq(known, owner))
            {
                primaries.push((shard, owner));
            }
        }
        primaries
    }

    /// The store as a whole: up if all of it is. Another connection to any part of it is another one to the whole.
    pub(super) fn summary(&self) -> State {
        let mut whole: Option<Connection> = None;
        for (_, owner) in self.primaries() {
            match &*owner.state.borrow() {
                State::Up(part) => {
                    let id = whole.map_or(0, |whole| whole.id());
                    whole = Some(part.clone().named(id.wrapping_add(part.id())));
                }
                down @ State::Down { .. } => return down.clone(),
            }
        }
        match whole {
            Some(whole) if self.owners.iter().all(Option::is_some) => State::Up(whole),
            _ => self.nobody.borrow().clone(),
        }
    }

    /// Somebody has one slot now.
    pub(super) fn move_slot(&mut self, slots: &Slots, slot: u16, owner: &Arc<Member>) {
        for (shard, own) in slots.iter() {
            if let Some(place) = self.owners.get_mut(shard).filter(|_| own == slot) {
                *place = Some(Arc::clone(owner));
            }
        }
    }

    /// Keeps a node that is asked for a slot before it has it.
    pub(super) fn welcome(&mut self, member: Arc<Member>) {
        self.guests
            .retain(|(guest, _)| !Arc::ptr_eq(guest, &member));
        self.guests.push((member, Instant::now()));
    }

    /// Takes for the truth who has what. `member` is one of a node, with the connection to it if there is one.
    pub(super) fn learn(
        &mut self,
        slots: &Slots,
        ranges: &[Range],
        member: impl Fn(&Node, Option<watch::Receiver<State>>) -> Arc<Member>,
    ) {
        let mut members: Vec<Arc<Member>> = Vec::new();
        let mut owners = Vec::with_capacity(SHARDS);
        for ((_, slot), before) in slots.iter().zip(&self.owners) {
            let range = ranges
                .iter()
                .find(|range| (range.first..=range.last).contains(&slot));
            let Some(node) = range.and_then(|range| range.nodes.first()) else {
                // Of a slot that nobody has at the moment, who had it last can say so best.
                owners.push(before.clone());
                continue;
            };
            let same = members.iter().find(|member| member.node == *node).cloned();
            owners.push(Some(same.unwrap_or_else(|| {
                let known = node.0.first().and_then(|address| self.find(address));
                let member = member(node, known.map(|known| known.state.clone()));
                members.push(Arc::clone(&member));
                member
            })));
        }
        self.owners = owners;
        self.guests.retain(|(_, asked)| asked.elapsed() < GUEST);
    }
}

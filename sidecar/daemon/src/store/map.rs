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

    /// The lowest of the shards of who has this one.
    pub(super) fn first_of(&self, shard: u8) -> Option<u8> {
        let owner = self.owners.get(usize::from(shard))?.as_ref()?;
        let mut primaries = self.primaries().into_iter();
        primaries.find_map(|(first, primary)| Arc::ptr_eq(primary, owner).then_some(first))
    }

    /// All shards of who has this one.
    pub(super) fn all_of(&self, shard: u8) -> Vec<u8> {
        let owner = |shard: u8| self.owners.get(usize::from(shard))?.as_ref();
        let Some(this) = owner(shard) else {
            return vec![shard];
        };
        let is_his = |shard: &u8| owner(*shard).is_some_and(|owner| Arc::ptr_eq(owner, this));
        (0..=u8::MAX).filter(is_his).collect()
    }

    /// The store as a whole: up if all of it is, and of no use if a part of it is of none. Another connection to any part of it is
    /// another one to the whole.
    pub(super) fn summary(&self) -> State {
        let mut whole: Option<Connection> = None;
        for (_, owner) in self.primaries() {
            match &*owner.state.borrow() {
                State::Up(part) => {
                    let id = whole.as_ref().map_or(0, Connection::id);
                    let id = id.wrapping_add(part.id());
                    let useless = whole.filter(|whole| whole.useless().is_some());
                    whole = Some(useless.unwrap_or_else(|| part.clone()).named(id));
                }
                down @ State::Down { .. } => return down.clone(),
            }
        }
        match whole {
            Some(whole) if self.owners.iter().all(Option::is_some) => State::Up(whole),
            _ => self.nobody.borrow().clone(),
        }
    }

    /// Changes whenever a connection to any part comes or goes.
    pub(super) fn connections(&self) -> u64 {
        let id = |owner: &Member| match &*owner.state.borrow() {
            State::Up(part) => part.id(),
            // Another one that there is no connection to yet counts too.
            State::Down { .. } => 1,
        };
        let ids = self.primaries().into_iter().map(|(_, owner)| id(owner));
        ids.fold(0, u64::wrapping_add)
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

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::super::link::Link;
    use super::super::reason::Reason;
    use super::super::target::Target;
    use super::*;
    use crate::config::Config;
    use crate::resp::Decoder;

    async fn agree_to_all(mut stream: TcpStream) {
        let (mut decoder, mut input) = (Decoder::default(), BytesMut::new());
        while stream.read_buf(&mut input).await.is_ok_and(|read| read > 0) {
            while let Ok(Some(_)) = decoder.decode(&mut input) {
                if stream.write_all(b"+OK\r\n").await.is_err() {
                    return;
                }
            }
        }
    }

    async fn member() -> Arc<Member> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(agree_to_all(stream));
            }
        });
        let url = format!("redis-cluster://{address}");
        let config = Config::of_a_test(&url).store;
        let address = Address::read(&address, None).unwrap();
        let target = Target::Node(address.clone());
        let mut state = Link::start(config, target, Arc::default(), Arc::default());
        let is_up = |state: &State| matches!(state, State::Up(_));
        state.wait_for(is_up).await.unwrap();
        let node = Node(vec![address]);
        Arc::new(Member { node, state })
    }

    fn up(state: State) -> Connection {
        match state {
            State::Up(connection) => connection,
            State::Down { reason, .. } => panic!("{reason}"),
        }
    }

    #[tokio::test]
    async fn the_whole_is_of_no_use_if_a_part_is_of_none() {
        let (_nobody, unknown) = watch::channel(State::connecting());
        for troubled in [0, 1] {
            let members = [member().await, member().await];
            let mut map = Map::new(unknown.clone());
            let owners = (0..SHARDS).map(|shard| Some(Arc::clone(&members[shard % 2])));
            map.owners = owners.collect();
            assert!(up(map.summary()).useless().is_none());
            let given = Duration::from_secs(1);
            let part = up(members[troubled].state.borrow().clone());
            part.conduct().failed(&Reason::timeout(given), given);
            assert!(up(map.summary()).useless().is_some());
        }
    }
}

//! Who holds a session: a daemon, one of its lives, and which of its claims.

use super::Kind;
use crate::key::{hex, unhex};

/// A daemon, drawn at its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node([u8; Node::LENGTH]);

impl Node {
    /// In bytes.
    pub const LENGTH: usize = 6;

    /// A node that no other daemon is likely to be.
    pub fn random() -> Self {
        let mut node = [0; Self::LENGTH];
        for (to, from) in node.iter_mut().zip(fastrand::u64(..).to_be_bytes()) {
            *to = from;
        }
        Self(node)
    }

    /// The node in these bytes.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// As the scripts take it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The shard of what it writes about itself.
    pub fn shard(&self) -> u8 {
        let [shard, ..] = self.0;
        shard
    }

    /// The channel on which this daemon listens.
    pub fn channel(&self, cluster: &str) -> String {
        format!("sj:{cluster}:{}", hex(&self.0))
    }

    /// The key that says that a life of this daemon is not over.
    pub fn life_key(&self, life: u16, cluster: &str) -> String {
        let shard = self.shard();
        format!(
            "sj:{{{shard:02x}}}:{cluster}:holder:{}{life:04x}",
            hex(&self.0)
        )
    }
}

/// One claim of one session, as it lies in the session's field `h`. It begins with the node: to the scripts, all claims of a
/// daemon are its own. The number makes a release name what it releases: one that arrives late does not undo the next claim. Its
/// highest bit says that the claim may be shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim([u8; Claim::LENGTH]);

impl Claim {
    /// In bytes.
    pub const LENGTH: usize = 12;
    const SHARED: u32 = 1 << 31;

    /// A claim of a daemon in one of its lives, beside which others may have theirs: it says that what it is of is the newest, and is
    /// over with the next commit of somebody else.
    pub fn shared(node: Node, life: u16, number: u32) -> Self {
        Self::new(node, life, number | Self::SHARED)
    }

    /// A claim of a daemon in one of its lives, which nobody else has as well.
    pub fn sole(node: Node, life: u16, number: u32) -> Self {
        Self::new(node, life, number & !Self::SHARED)
    }

    fn new(node: Node, life: u16, number: u32) -> Self {
        let mut claim = [0; Self::LENGTH];
        let bytes = node
            .0
            .into_iter()
            .chain(life.to_be_bytes())
            .chain(number.to_be_bytes());
        for (to, from) in claim.iter_mut().zip(bytes) {
            *to = from;
        }
        Self(claim)
    }

    /// The claim in these bytes of the store.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The claims that lie one after another in these bytes of the store.
    pub fn read_all(bytes: &[u8]) -> Vec<Self> {
        bytes.chunks(Self::LENGTH).filter_map(Self::read).collect()
    }

    /// Whether others may have theirs beside it.
    pub fn is_shared(&self) -> bool {
        self.0
            .get(Node::LENGTH + 2)
            .is_some_and(|first| first & 0x80 != 0)
    }

    /// Who else may have one.
    pub fn kind(self) -> Kind {
        if self.is_shared() {
            Kind::Shared
        } else {
            Kind::Sole
        }
    }

    /// As it lies in the store.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// What tells it from others of its node.
    pub fn within_node(&self) -> &[u8] {
        self.0.get(Node::LENGTH..).unwrap_or_default()
    }

    /// The end of its node, its life and its number: enough to find it by among the two of a session, in few bytes.
    pub fn tail(&self) -> &[u8] {
        self.0.get(4..).unwrap_or_default()
    }

    /// As it is written in messages.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// The claim that [`Claim::hex`] wrote.
    pub fn from_hex(text: &[u8]) -> Option<Self> {
        unhex(text).map(Self)
    }

    /// Whose it is.
    pub fn node(&self) -> Node {
        let mut node = [0; Node::LENGTH];
        for (to, from) in node.iter_mut().zip(self.0) {
            *to = from;
        }
        Node(node)
    }

    /// The life that it was made in.
    pub fn life(&self) -> u16 {
        let mut life = [0; 2];
        for (to, from) in life.iter_mut().zip(self.0.into_iter().skip(Node::LENGTH)) {
            *to = from;
        }
        u16::from_be_bytes(life)
    }

    /// The key that is there while the claim counts.
    pub fn life_key(&self, cluster: &str) -> String {
        self.node().life_key(self.life(), cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_tells_its_daemon_and_life() {
        let node = Node([0xab, 1, 2, 3, 4, 5]);
        let claim = Claim::sole(node, 0x0102, 7);
        assert_eq!((claim.node(), claim.life()), (node, 0x0102));
        assert_eq!(claim.hex(), "ab0102030405010200000007");
        assert_eq!(Claim::from_hex(claim.hex().as_bytes()), Some(claim));
        assert_eq!(Claim::read(claim.bytes()), Some(claim));
        assert_eq!(Claim::read(b"too short"), None);
        assert_eq!(claim.tail(), &claim.bytes()[4..]);
        let shared = Claim::shared(node, 0x0102, 7);
        assert_eq!(shared.hex(), "ab0102030405010280000007");
        assert!(shared.is_shared() && !claim.is_shared());
        let both = [claim.bytes(), shared.bytes()].concat();
        assert_eq!(Claim::read_all(&both), [claim, shared]);
        assert_eq!(Claim::read_all(b""), []);
        assert_eq!(
            claim.life_key("ns.shop"),
            "sj:{ab}:ns.shop:holder:ab01020304050102"
        );
        assert_eq!(node.channel("ns.shop"), "sj:ns.shop:ab0102030405");
    }
}

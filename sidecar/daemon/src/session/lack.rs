//! What a client lacks of a session.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{Attribute, Session};

/// What a client lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// The client must forget what it holds: `attributes` is the whole session.
    pub whole: bool,
    /// Names and values; `None` for a removed attribute.
    pub attributes: Vec<(Bytes, Option<Bytes>)>,
    /// Attributes whose older value the client holds.
    pub patched: Vec<Patched>,
}

/// An attribute as a way from the value that a client holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// The attribute's name.
    pub name: Bytes,
    /// The deltas to apply, one after the other.
    pub deltas: Vec<Bytes>,
}

impl Lack {
    /// The client is up to date.
    pub fn nothing() -> Self {
        Self {
            whole: false,
            attributes: Vec::new(),
            patched: Vec::new(),
        }
    }
}

impl Session {
    /// What somebody lacks who says that he holds version `held`, which may be in doubt.
    pub fn lack_unless(&self, doubted: bool, held: u64, except: &BTreeSet<Bytes>) -> Lack {
        if doubted {
            return Lack {
                whole: true,
                ..self.lack(0, &BTreeSet::new())
            };
        }
        self.lack(held, except)
    }

    /// What somebody lacks who holds version `held`, 0 for nothing. `except` are names that he has already.
    pub fn lack(&self, held: u64, except: &BTreeSet<Bytes>) -> Lack {
        if held > self.version || (held > 0 && held < self.floor) {
            return Lack {
                whole: true,
                ..self.lack(0, &BTreeSet::new())
            };
        }
        let lacks = |had: &Attribute| match held {
            0 => had.value.is_some(),
            _ => had.changed > held,
        };
        let lacking = self
            .attributes
            .iter()
            .filter(|(name, had)| lacks(had) && !except.contains(*name));
        let attributes = lacking
            .map(|(name, had)| (name.clone(), had.value.clone()))
            .collect();
        Lack {
            attributes,
            ..Lack::nothing()
        }
    }
}

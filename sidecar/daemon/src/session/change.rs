//! What a client wants of one attribute, and how it told it.

use bytes::Bytes;

use super::delta::Delta;

/// What a client wants of one attribute: a value, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The attribute's name.
    pub name: Bytes,
    /// Its new value; `None` removes it.
    pub value: Option<Bytes>,
    told: Option<Told>,
}

/// A change that a client told as a delta of what it held.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    from: Bytes,
    delta: Delta,
}

impl Change {
    /// A change to this value, or to none.
    pub fn whole(name: Bytes, value: Option<Bytes>) -> Self {
        let told = None;
        Self { name, value, told }
    }

    /// A change of these bytes by a delta; `None` if the delta is of others.
    pub fn by(name: Bytes, from: Bytes, delta: Delta) -> Option<Self> {
        let value = Some(delta.apply(&from)?);
        let told = Some(Told { from, delta });
        Some(Self { name, value, told })
    }

    /// The delta that it was told as, if that is of these very bytes, which are looked at by their place: finding one means to go through all of a value.
    pub fn told_of(&self, old: &Bytes) -> Option<&Delta> {
        let told = self.told.as_ref()?;
        let same = told.from.as_ptr() == old.as_ptr() && told.from.len() == old.len();
        same.then_some(&told.delta)
    }
}

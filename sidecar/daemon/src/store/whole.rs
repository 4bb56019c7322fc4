//! A session as a whole, as scripts take it that put one where there is none or instead of another.

use crate::session::packing::Packing;
use crate::session::record::Record;
use crate::session::{Session, snapshot};

/// The arguments, but for the sealed name.
pub(super) struct Whole {
    version: String,
    record: Vec<u8>,
    snapshot: Vec<u8>,
    idle: String,
    created: String,
}

impl Whole {
    pub(super) fn of(session: &Session, packing: Packing) -> Self {
        // All that there is stands in the snapshot; the record only names the version.
        let record = Record {
            token: session.token,
            operations: Vec::new(),
        };
        Self {
            version: session.version.to_string(),
            record: record.encode(packing),
            snapshot: snapshot::encode(session, packing),
            idle: session.idle.to_string(),
            created: session.created.to_string(),
        }
    }

    /// In the order of the scripts.
    pub(super) fn arguments<'a>(&'a self, name: &'a [u8]) -> [&'a [u8]; 6] {
        [
            self.version.as_bytes(),
            &self.record,
            &self.snapshot,
            self.idle.as_bytes(),
            self.created.as_bytes(),
            name,
        ]
    }
}

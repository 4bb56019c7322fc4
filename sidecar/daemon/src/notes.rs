//! What the agent says of attributes that do not travel: counted, and told once.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use tracing::warn;

use crate::command::{Note, NoteKind};
use crate::metrics::Metrics;

/// Label sets that are told apart: names may be made up by the application as it goes, and each costs the metrics store for ever.
const MAX_SETS: usize = 200;
/// Names in an application are shorter; what is longer was made up.
const MAX_LABEL: usize = 200;

/// The labels of a note.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct NoteLabel {
    kind: &'static str,
    context: String,
    attribute: String,
    class: String,
}

/// Counts notes.
#[derive(Debug)]
pub struct Notes {
    counts: Family<NoteLabel, Counter>,
    known: Mutex<HashSet<NoteLabel>>,
}

impl Notes {
    /// None yet.
    pub fn new(metrics: &Metrics) -> Self {
        Self {
            counts: metrics.notes.clone(),
            known: Mutex::default(),
        }
    }

    /// Takes a note down.
    pub fn take(&self, note: &Note) {
        let label = self.label(note);
        self.counts.get_or_create(&label).inc();
    }

    /// The note's own labels, or, past the bound, those of all others of its kind.
    fn label(&self, note: &Note) -> NoteLabel {
        let label = NoteLabel {
            kind: note.kind.name(),
            context: text(&note.context),
            attribute: text(&note.attribute),
            class: text(&note.class),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&label) {
            return label;
        }
        if known.len() >= MAX_SETS {
            return NoteLabel {
                kind: label.kind,
                context: "other".into(),
                attribute: "other".into(),
                class: "other".into(),
            };
        }
        tell(note.kind, &label);
        known.insert(label.clone());
        label
    }
}

fn tell(kind: NoteKind, label: &NoteLabel) {
    let mend = match kind {
        NoteKind::Unserializable => {
            "make the class Serializable, or take the attribute out of the session"
        }
        NoteKind::Unreadable => "deploy the class everywhere, or keep its serialVersionUID",
        NoteKind::Refused => "allow the class in the deserialization filter if it is yours",
        NoteKind::Large => "keep large data elsewhere, and a reference to it in the session",
    };
    warn!(
        kind = label.kind,
        context = label.context,
        attribute = label.attribute,
        class = label.class,
        mend,
        "attribute does not travel well"
    );
}

/// Readable and bounded, whatever the bytes are.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let clean = text.chars().filter(|letter| !letter.is_control());
    clean.take(MAX_LABEL).collect()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn note(attribute: &str) -> Note {
        Note {
            kind: NoteKind::Large,
            context: Bytes::from_static(b"/shop"),
            attribute: Bytes::copy_from_slice(attribute.as_bytes()),
            class: Bytes::from_static(b"Cart"),
        }
    }

    #[test]
    fn past_the_bound_all_others_are_one() {
        let metrics = Metrics::new();
        let notes = Notes::new(&metrics);
        for n in 0..1000 {
            notes.take(&note(&format!("a{n}")));
        }
        notes.take(&note("a7"));
        let text = metrics.text();
        let lines = text
            .lines()
            .filter(|line| line.starts_with("sojourn_attribute_notes_total{"));
        assert_eq!(lines.count(), MAX_SETS + 1);
        let others = "context=\"other\",attribute=\"other\",class=\"other\"} 800";
        assert!(text.contains(others), "{text}");
        assert!(
            text.contains("attribute=\"a7\",class=\"Cart\"} 2"),
            "{text}"
        );
    }

    #[test]
    fn labels_are_readable_and_bounded() {
        let long = "x".repeat(1000);
        assert_eq!(text(b"a\nb\xff"), "ab\u{fffd}");
        assert_eq!(text(long.as_bytes()).len(), MAX_LABEL);
    }
}

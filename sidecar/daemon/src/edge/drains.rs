//! How the ends of pods go, as their objects tell it: the edge is there from a pod's deletion until after its end, as nothing in the
//! pod itself is.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::endpoints::PodView;

/// What has come about since the deletion was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// The application has ended, or does not serve any more: what was in flight is answered, and SIGTERM was handed on.
    Ended,
    /// The pod's object is gone: its sidecars have ended too.
    Gone,
}

impl Phase {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Gone => "gone",
        }
    }
}

#[derive(Debug)]
struct Drain {
    seen: Instant,
    ended: bool,
}

/// The drains under way, by UID.
#[derive(Debug, Default)]
pub(super) struct Drains(BTreeMap<String, Drain>);

impl Drains {
    /// Takes in the pods there are now; what has come about, and how long after the deletion was seen.
    pub(super) fn see<'a>(
        &mut self,
        pods: impl Iterator<Item = &'a PodView>,
        now: Instant,
    ) -> Vec<(Phase, f64)> {
        let mut passed = Vec::new();
        let mut there = BTreeMap::new();
        for pod in pods.filter(|pod| pod.deleting) {
            let mut drain = self.0.remove(&pod.uid).unwrap_or(Drain {
                seen: now,
                // Deleted before it served: there is nothing to tell of its end.
                ended: pod.over || !pod.ready,
            });
            if !drain.ended && (pod.over || !pod.ready) {
                drain.ended = true;
                passed.push((Phase::Ended, since(&drain, now)));
            }
            there.insert(pod.uid.clone(), drain);
        }
        let gone = std::mem::replace(&mut self.0, there);
        passed.extend(gone.values().map(|drain| (Phase::Gone, since(drain, now))));
        passed
    }
}

fn since(drain: &Drain, now: Instant) -> f64 {
    now.saturating_duration_since(drain.seen).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn pod(ready: bool, deleting: bool) -> PodView {
        PodView {
            name: "a".into(),
            uid: "a".into(),
            ip: None,
            over: false,
            ready,
            alone: false,
            deleting,
        }
    }

    #[test]
    fn each_phase_is_told_once() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut drains = Drains::default();
        assert!(drains.see([pod(true, false)].iter(), at(0)).is_empty());
        assert!(drains.see([pod(true, true)].iter(), at(1)).is_empty());
        assert!(drains.see([pod(true, true)].iter(), at(2)).is_empty());
        assert_eq!(
            drains.see([pod(false, true)].iter(), at(3)),
            [(Phase::Ended, 2.0)]
        );
        assert!(drains.see([pod(false, true)].iter(), at(4)).is_empty());
        assert_eq!(drains.see([].iter(), at(5)), [(Phase::Gone, 4.0)]);
        assert!(drains.see([].iter(), at(6)).is_empty());
    }

    #[test]
    fn a_pod_that_never_served_has_no_end_but_goes() {
        let now = Instant::now();
        let mut drains = Drains::default();
        assert!(drains.see([pod(false, true)].iter(), now).is_empty());
        assert_eq!(drains.see([].iter(), now), [(Phase::Gone, 0.0)]);
    }
}

//! The pods as the watch tells of them, pruned to what matters.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::Event;

use super::endpoints::PodView;

/// Pods by UID.
#[derive(Debug, Default)]
pub(super) struct Pods {
    current: BTreeMap<String, PodView>,
    /// A list that is not whole yet. Until it is, the pods known so far stand: a watch that starts over takes nothing away.
    listing: Option<BTreeMap<String, PodView>>,
}

impl Pods {
    /// Takes an event in; whether `current` may have changed.
    pub(super) fn take(&mut self, event: Event<Pod>) -> bool {
        match event {
            Event::InitApply(pod) | Event::Apply(pod) if is_of_job(&pod) => return false,
            Event::Init => self.listing = Some(BTreeMap::new()),
            Event::InitApply(pod) => {
                let pod = view(pod);
                self.listing
                    .get_or_insert_default()
                    .insert(pod.uid.clone(), pod);
            }
            Event::InitDone => {
                self.current = self.listing.take().unwrap_or_default();
                return true;
            }
            Event::Apply(pod) => {
                let pod = view(pod);
                self.current.insert(pod.uid.clone(), pod);
                return true;
            }
            Event::Delete(pod) => {
                self.current.remove(&view(pod).uid);
                return true;
            }
        }
        false
    }

    pub(super) fn current(&self) -> impl Iterator<Item = &PodView> {
        self.current.values()
    }
}

/// A Job whose template has the workload's labels serves nobody; nor does the operator give its pods a sidecar.
fn is_of_job(pod: &Pod) -> bool {
    let owners = pod.metadata.owner_references.iter().flatten();
    owners.into_iter().any(|owner| owner.kind == "Job")
}

fn view(pod: Pod) -> PodView {
    let status = pod.status.unwrap_or_default();
    let conditions = status.conditions.unwrap_or_default();
    let containers = status.container_statuses.unwrap_or_default();
    let sidecars = status.init_container_statuses.unwrap_or_default();
    PodView {
        name: pod.metadata.name.unwrap_or_default(),
        uid: pod.metadata.uid.unwrap_or_default(),
        ip: status.pod_ip.and_then(|ip| ip.parse().ok()),
        over: matches!(status.phase.as_deref(), Some("Succeeded" | "Failed")),
        ready: conditions
            .iter()
            .any(|known| known.type_ == "Ready" && known.status == "True"),
        // Native sidecars are init containers to the API server.
        alone: !containers.is_empty()
            && containers.iter().all(|container| container.ready)
            && sidecars.iter().any(|sidecar| !sidecar.ready),
        deleting: pod.metadata.deletion_timestamp.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str) -> Pod {
        serde_json::from_value(serde_json::json!({
            "metadata": {"name": name, "uid": name},
            "status": {
                "podIP": "10.0.0.1", "phase": "Running",
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }))
        .unwrap()
    }

    fn names(pods: &Pods) -> Vec<&str> {
        pods.current().map(|pod| pod.name.as_str()).collect()
    }

    #[test]
    fn a_list_counts_once_it_is_whole() {
        let mut pods = Pods::default();
        pods.take(Event::Apply(pod("a")));
        assert!(!pods.take(Event::Init));
        assert!(!pods.take(Event::InitApply(pod("b"))));
        assert_eq!(names(&pods), ["a"]);
        assert!(pods.take(Event::InitDone));
        assert_eq!(names(&pods), ["b"]);
        assert!(pods.take(Event::Delete(pod("b"))));
        assert!(names(&pods).is_empty());
    }

    #[test]
    fn pods_of_a_job_are_none_of_the_application() {
        let of = |kind: &str| {
            let mut pod = pod(kind);
            let owner = serde_json::json!({
                "apiVersion": "v1", "kind": kind, "name": "web", "uid": "u",
            });
            pod.metadata.owner_references = Some(vec![serde_json::from_value(owner).unwrap()]);
            pod
        };
        let mut pods = Pods::default();
        assert!(!pods.take(Event::Apply(of("Job"))));
        pods.take(Event::Apply(of("ReplicaSet")));
        assert_eq!(names(&pods), ["ReplicaSet"]);
        pods.take(Event::Init);
        pods.take(Event::InitApply(of("Job")));
        pods.take(Event::InitDone);
        assert!(names(&pods).is_empty());
    }

    #[test]
    fn a_pod_is_seen_as_the_api_server_tells_it() {
        let view = view(pod("a"));
        assert!(view.ready && !view.deleting && !view.over && !view.alone);
        assert_eq!(view.ip, Some("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn an_application_without_its_sidecar_is_told_from_one_that_is_not_ready() {
        let alone = |application: bool, sidecar: bool| {
            let container = |name: &str, ready: bool| {
                serde_json::json!({
                    "name": name, "ready": ready, "image": "", "imageID": "", "restartCount": 0,
                })
            };
            let pod = serde_json::from_value(serde_json::json!({
                "metadata": {"name": "a", "uid": "a"},
                "status": {
                    "initContainerStatuses": [container("sojourn", sidecar)],
                    "containerStatuses": [container("tomcat", application)],
                },
            }));
            view(pod.unwrap()).alone
        };
        assert!(alone(true, false));
        assert!(!alone(true, true));
        assert!(!alone(false, false));
    }
}

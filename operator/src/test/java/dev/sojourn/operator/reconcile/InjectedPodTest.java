package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.WorkloadRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class InjectedPodTest {

    @Test
    void aReplicaSetsPodIsItsDeployments() {
        var pod = pod("labels: {pod-template-hash: 5d4f}", "{kind: ReplicaSet, name: web-shop-5d4f, controller: true}");
        assertThat(InjectedPod.of(pod, Instant.EPOCH).workload())
                .isEqualTo(new WorkloadRef(WorkloadRef.Kind.Deployment, "web-shop"));
    }

    @Test
    void aStatefulSetsPodIsItsOwn() {
        var pod = pod("labels: {}", "{kind: StatefulSet, name: web, controller: true}");
        assertThat(InjectedPod.of(pod, Instant.EPOCH).workload())
                .isEqualTo(new WorkloadRef(WorkloadRef.Kind.StatefulSet, "web"));
    }

    @Test
    void aPodMadeByHandIsNobodys() {
        assertThat(InjectedPod.of(pod("labels: {}", ""), Instant.EPOCH).workload())
                .isNull();
        assertThat(InjectedPod.of(pod("labels: {}", "{kind: Node, name: web, controller: true}"), Instant.EPOCH)
                        .workload())
                .isNull();
    }

    @Test
    void aJobsPodDoesNotCount() {
        assertThat(InjectedPod.counts(pod("labels: {}", "{kind: Job, name: migrate, controller: true}")))
                .isFalse();
        assertThat(InjectedPod.counts(pod("labels: {}", "{kind: ReplicaSet, name: web-1, controller: true}")))
                .isTrue();
    }

    /** Restored from a backup before its SessionCluster, for instance: it is replaced as one is that no webhook saw. */
    @Test
    void aPodThatWasThereBeforeItsSessionClusterIsMissed() {
        var why = "annotations: {sojourn.dev/not-injected: '%s: for a reason'}";
        var early = InjectedPod.of(pod(why.formatted("NoSessionCluster"), ""), Instant.EPOCH);
        assertThat(early.missed()).isTrue();
        assertThat(early.refusal()).isNull();
        var refused = InjectedPod.of(pod(why.formatted("HostNetwork"), ""), Instant.EPOCH);
        assertThat(refused.missed()).isFalse();
        assertThat(refused.refusal()).isEqualTo("HostNetwork: for a reason");
    }

    private static Pod pod(String labels, String owner) {
        return Serialization.unmarshal(
                "---\nmetadata: {name: web-1, uid: '42', " + labels + ", ownerReferences: [" + owner + "]}\n",
                Pod.class);
    }
}

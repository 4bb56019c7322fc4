package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.WorkloadRef;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ObserverTest {

    private final SessionCluster pet = new SessionCluster();

    ObserverTest() {
        pet.setMetadata(new ObjectMetaBuilder().withName("pet").build());
    }

    /** A SessionCluster pet whose workload is a StatefulSet pet-store: its user would be told to delete it. */
    @Test
    void theWorkloadIsNotTheStore() {
        var workload = new StatefulSetBuilder()
                .withNewMetadata()
                .withName("pet-store")
                .endMetadata()
                .build();
        assertThat(isMade(StatefulSet.class, workload)).isFalse();
        workload.getMetadata().setLabels(Map.of("app", "pet"));
        assertThat(isMade(StatefulSet.class, workload)).isFalse();
        workload.getMetadata().setLabels(Names.labels(pet, "store"));
        assertThat(isMade(StatefulSet.class, workload)).isTrue();
    }

    /** A Deployment pet-proxy: ProxyReady would say of its pods that they are Envoys. */
    @Test
    void theWorkloadIsNotTheProxy() {
        var workload = new DeploymentBuilder()
                .withNewMetadata()
                .withName("pet-proxy")
                .endMetadata()
                .build();
        assertThat(isMade(Deployment.class, workload)).isFalse();
        workload.getMetadata().setLabels(Map.of("app", "pet"));
        assertThat(isMade(Deployment.class, workload)).isFalse();
        workload.getMetadata().setLabels(Names.labels(pet, "proxy"));
        assertThat(isMade(Deployment.class, workload)).isTrue();
    }

    /** Also those that no spec names. */
    @Test
    void whatElseHasTheLabelInItsTemplateIsSeen() {
        var seen = new Seen();
        var ours = "{metadata: {labels: {sojourn.dev/cluster: web}}, spec: {containers: [{name: app}]}}";
        var all = List.of(
                Seen.deployment("web", ours),
                Seen.deployment("z-canary", ours),
                Seen.deployment("before", ours),
                Seen.deployment("pet", ours.replace("cluster: web", "cluster: pet")),
                Seen.deployment("x", "{spec: {containers: [{name: app}]}}"));
        assertThat(Observer.others(seen.cluster, Informed.of(all, "web")))
                .extracting(WorkloadRef::argument)
                .containsExactly("deployment/before", "deployment/z-canary");
    }

    private <R extends HasMetadata> boolean isMade(Class<R> type, R seen) {
        var name = seen.getMetadata().getName();
        return Observer.made(pet, Informed.of(List.of(seen), name), type, name).isPresent();
    }
}

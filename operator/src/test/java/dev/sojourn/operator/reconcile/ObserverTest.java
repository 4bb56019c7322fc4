package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.stream.Stream;
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

    private <R extends HasMetadata> boolean isMade(Class<R> type, R seen) {
        return Observer.made(pet, seeing(seen), type, seen.getMetadata().getName())
                .isPresent();
    }

    /** A cache with one object. */
    @SuppressWarnings("unchecked")
    private static Context<SessionCluster> seeing(HasMetadata seen) {
        return (Context<SessionCluster>) Proxy.newProxyInstance(
                ObserverTest.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getSecondaryResourcesAsStream");
                    return Stream.of(seen);
                });
    }
}

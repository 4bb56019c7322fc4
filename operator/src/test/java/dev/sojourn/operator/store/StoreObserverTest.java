package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.secret.SecretData;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is expected to answer, where nobody does. */
class StoreObserverTest {

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final StoreObserver observer =
            new StoreObserver(new StoreConnections(vertx, 100), new StoreMetrics(registry));

    private final SessionCluster primary = Serialization.unmarshal("""
            apiVersion: sojourn.dev/v1alpha1
            kind: SessionCluster
            metadata: {name: web, namespace: no-such-namespace}
            """, SessionCluster.class);
    private final Secret secret = new SecretBuilder()
            .addToData("password", SecretData.encode("one"))
            .addToData("system-password", SecretData.encode("two"))
            .build();

    @AfterEach
    void end() {
        vertx.close();
    }

    @Test
    void serversThatAreNotThereAreNotInStep() {
        observer.observe(primary, 3, secret);
        assertThat(notInStep()).containsExactlyInAnyOrder("web-store-0", "web-store-1", "web-store-2");
    }

    /** One that waits for a node has no address, and one that is refused is no pod. */
    @Test
    void membersThatCannotEvenBeAskedAreNotInStep() {
        Pod pending = new PodBuilder()
                .withNewMetadata()
                .withName("web-store-0")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build();
        observer.observe(primary, 2, List.of(pending), secret);
        assertThat(notInStep()).containsExactlyInAnyOrder("web-store-0", "web-store-1");
    }

    /** By its StatefulSet it may run all the same: the operator's network does not reach everything. */
    @Test
    void aSingleServerIsNoReplicaThatLags() {
        observer.observe(primary, 1, secret);
        assertThat(notInStep()).isEmpty();
    }

    @Test
    void whoCountsOnHasDroppedSessionsUntilTheSessionClusterIsForgotten() {
        var web = ResourceID.fromResource(primary);
        assertThat(observer.dropping(web, List.of(counting("web-store-0", 7), counting("web-store-1", 0))))
                .isEmpty();
        assertThat(observer.dropping(web, List.of(counting("web-store-0", 8), counting("web-store-1", 0))))
                .containsExactly("web-store-0");
        observer.forget(primary);
        assertThat(observer.dropping(web, List.of(counting("web-store-0", 9)))).isEmpty();
    }

    private static StoreNode counting(String pod, long evicted) {
        return StoreNode.parse(pod, "role:master\nevicted_keys:" + evicted);
    }

    private List<String> notInStep() {
        return registry.find("sojourn.store.in.step").gauges().stream()
                .filter(gauge -> gauge.value() == 0)
                .map(Gauge::getId)
                .map(id -> String.valueOf(id.getTag("pod")))
                .toList();
    }
}

package dev.sojourn.operator.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.HelperResources;
import dev.sojourn.operator.golden.Golden;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code store/in/*.yaml} are SessionClusters, {@code store/out/*.yaml} their store's pods and its server's configuration. */
class StorePodTest {

    private static final Golden GOLDEN = Golden.of("store", ".yaml");

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void rendersWhatTheGoldenFileSays(String name) {
        var cluster = GOLDEN.sessionCluster(name);
        var managed = requireNonNull(cluster.getSpec().store().managed());
        var pod = new StorePod(cluster, managed, "valkey/valkey:test", "IfNotPresent", false).spec();
        GOLDEN.check(name, Golden.yaml(pod) + "---\n" + ValkeyConf.render(managed));
    }

    @Test
    void whereTheClusterAssignsUsersNoneIsNamed() {
        var cluster = GOLDEN.sessionCluster(names().get(0));
        var managed = requireNonNull(cluster.getSpec().store().managed());
        var pod = new StorePod(cluster, managed, "valkey/valkey:test", "IfNotPresent", true).spec();
        assertThat(Golden.yaml(pod))
                .contains("runAsNonRoot: true", "readOnlyRootFilesystem: true")
                .doesNotContain("runAsUser", "runAsGroup", "fsGroup");
    }

    private static PodSpec replicated(String managed) {
        var cluster = Serialization.unmarshal("""
                apiVersion: sojourn.dev/v1alpha1
                kind: SessionCluster
                metadata: {name: web, namespace: shop}
                spec:
                  workload: {name: web}
                  port: 8080
                  store: {managed: {topology: Replicated, %s}}
                """.formatted(managed), SessionCluster.class);
        var store = requireNonNull(cluster.getSpec().store().managed());
        return new StorePod(cluster, store, "valkey/valkey:test", "IfNotPresent", false).spec();
    }

    /** A quota on limits.cpu refuses a pod of which one container has none. */
    @Test
    void whoLimitsValkeysCpuLimitsThatOfSentinel() {
        var pod = replicated("resources: {limits: {cpu: '1', memory: 512Mi}}");
        assertThat(pod.getContainers())
                .extracting(container -> container.getResources().getLimits().get("cpu"))
                .containsExactly(new Quantity("1"), HelperResources.CPU_LIMIT);
    }

    /** A LimitRange may want more, or another proportion. */
    @Test
    void whatTheUserNamesOfSentinelsResourcesTakesThePlaceOfOurs() {
        var pod = replicated("resources: {limits: {cpu: '1', memory: 512Mi}},"
                + " sentinelResources: {requests: {memory: 64Mi}, limits: {cpu: 300m}}");
        var resources = pod.getContainers().get(1).getResources();
        assertThat(resources.getRequests())
                .isEqualTo(Map.of("cpu", new Quantity("50m"), "memory", new Quantity("64Mi")));
        assertThat(resources.getLimits())
                .isEqualTo(Map.of("cpu", new Quantity("300m"), "memory", new Quantity("64Mi")));
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
    }
}

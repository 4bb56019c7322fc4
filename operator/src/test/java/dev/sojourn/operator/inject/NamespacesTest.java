package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.owner.ApiServer;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NamespacesTest {

    private static final String WEB = """
            {"apiVersion": "sojourn.dev/v1alpha1", "kind": "SessionClusterList", "metadata": {"resourceVersion": "1"}, "items":
             [{"metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"}, "spec": {"workload": {"name": "web"}, "port": 8080}}]}""";

    private final ApiServer api = new ApiServer(
            name -> name.equals("nowhere") ? 404 : 200,
            Map.of("sessionclusters", WEB, "other", "{\"kind\": \"Namespace\", \"apiVersion\": \"v1\"}"));

    NamespacesTest() throws Exception {}

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void oneWithASessionClusterIsThereAndOfOthersTheApiServerIsAskedUntilItHasThem() {
        var config = InPod.with(Map.of());
        var clusters = new SessionClusters(api.client(), config);
        var namespaces = new Namespaces(api.client(), config, clusters);
        assertThat(namespaces.have("shop")).isEmpty();
        clusters.start(new StartupEvent());
        try {
            awaitSynced(clusters);
            assertThat(namespaces.have("shop")).contains(true);
        } finally {
            clusters.stop(new ShutdownEvent());
        }
        assertThat(namespaces.have("other")).isEmpty();
        assertThat(namespaces.ask("other")).isTrue();
        assertThat(namespaces.have("other")).contains(true);
        assertThat(namespaces.ask("nowhere")).isFalse();
        assertThat(namespaces.have("nowhere")).isEmpty();
    }

    @Test
    void whereTheWebhookSeesNoPodThereIsNone() {
        var namespaces = with(Map.of("POD_NAMESPACE", "sojourn", "SOJOURN_EXCLUDED_NAMESPACES", "vault"));
        assertThat(namespaces.have("kube-system")).contains(false);
        assertThat(namespaces.have("sojourn")).contains(false);
        assertThat(namespaces.have("vault")).contains(false);
    }

    /** Those too that are not served: pods there are left alone, and somebody has to know. */
    @Test
    void ofNamespacesThatTheChartNamesNobodyIsAsked() {
        var namespaces = with(Map.of("WATCH_NAMESPACES", "served", "SOJOURN_NAMED_NAMESPACES", "served,recreated"));
        assertThat(namespaces.have("served")).contains(true);
        assertThat(namespaces.have("recreated")).contains(true);
        assertThat(namespaces.have("shop")).contains(false);
        assertThat(with(Map.of("WATCH_NAMESPACES", "served")).have("served")).contains(true);
        assertThat(api.asked).isEmpty();
    }

    private Namespaces with(Map<String, String> environment) {
        var config = InPod.with(environment);
        return new Namespaces(api.client(), config, new SessionClusters(api.client(), config));
    }

    private static void awaitSynced(SessionClusters clusters) {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!clusters.haveSynced()) {
            assertThat(System.nanoTime()).as("synced").isLessThan(end);
            Thread.onSpinWait();
        }
    }
}

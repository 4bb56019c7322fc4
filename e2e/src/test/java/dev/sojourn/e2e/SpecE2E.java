package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(World.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName("A wrong spec is refused in words that name the mend, changes nothing, and works once mended")
class SpecE2E {
    private Shop shop;
    private Cluster cluster;

    @BeforeAll
    void setUp(Cluster world) {
        cluster = world;
        shop = new Shop(world, "e2e-spec");
        shop.deployApplication();
    }

    @AfterAll
    void tearDown() {
        shop.close();
    }

    @Test
    @Order(1)
    @DisplayName("the API server refuses what the schema can see")
    void schema() {
        refusedByTheServer("spec.port", spec -> with(spec, "port", 70000));
        refusedByTheServer("spec.workload", spec -> without(spec, "workload"));
        refusedByTheServer("replication.mode", spec -> with(spec, "replication", Map.of("mode", "Maybe")));
        refusedByTheServer(
                "either managed or external",
                spec -> with(
                        spec,
                        "store",
                        Map.of("managed", Map.of(), "external", Map.of("url", "redis://elsewhere:6379"))));
    }

    @Test
    @Order(2)
    @DisplayName("a workload that is not there")
    void noWorkload() {
        refused(
                "Ready",
                "WorkloadNotFound",
                "no-such-shop",
                spec -> with(spec, "workload", Map.of("name", "no-such-shop")));
        shop.sessionCluster().delete();
        await("deleted")
                .atMost(Cluster.seconds(60))
                .until(() -> shop.sessionCluster().get() == null);
    }

    @Test
    @Order(3)
    @DisplayName("a port that no container has")
    void noSuchPort() {
        refused("Ready", "PortNotFound", "8080", spec -> with(spec, "port", 9999));
    }

    @Test
    @Order(4)
    @DisplayName("an external store that cannot be reached")
    void unreachableStore() {
        refused(
                "StoreReady",
                "StoreUnreachable",
                "no-store.e2e-spec",
                spec -> with(spec, "store", Map.of("external", Map.of("url", "redis://no-store.e2e-spec:6379"))));
    }

    @Test
    @Order(5)
    @DisplayName("an external store that refuses the password")
    void wrongPassword(Shop other) {
        cluster.client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("wrong")
                        .withNamespace(shop.namespace())
                        .endMetadata()
                        .addToStringData("username", "sojourn")
                        .addToStringData("password", "wrong")
                        .build())
                .serverSideApply();
        String url = "redis://" + Shop.NAME + "-store." + other.namespace() + ":6379";
        refused(
                "StoreReady",
                "StoreAuthFailed",
                "credentialsSecret",
                spec -> with(spec, "store", Map.of("external", Map.of("url", url, "credentialsSecret", "wrong"))));
    }

    @Test
    @Order(6)
    @DisplayName(
            "mended, it becomes ready; a second SessionCluster for the same workload is refused and disturbs nothing")
    void mendedThenTaken() {
        assertThat(shop.pods())
                .as("no refused spec has touched the application")
                .allSatisfy(pod -> assertThat(pod.getSpec().getInitContainers()).isEmpty());
        shop.makeSessionAware();

        Map<String, Object> spec = new LinkedHashMap<>(Map.of("workload", Map.of("name", Shop.NAME), "port", 8080));
        var second = new GenericKubernetesResource();
        second.setApiVersion("sojourn.dev/v1alpha1");
        second.setKind("SessionCluster");
        second.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder()
                .withName("second")
                .withNamespace(shop.namespace())
                .build());
        second.setAdditionalProperty("spec", spec);
        var resource = cluster.client()
                .genericKubernetesResources(Shop.SESSION_CLUSTER)
                .inNamespace(shop.namespace())
                .resource(second);
        resource.serverSideApply();
        try {
            await("the second is refused")
                    .atMost(Cluster.seconds(60))
                    .untilAsserted(() -> assertThat(Shop.conditionOf(resource.get(), "Ready"))
                            .startsWith("False/WorkloadTaken")
                            .contains(Shop.NAME));
            assertThat(shop.condition("Ready")).startsWith("True");
        } finally {
            resource.delete();
            await("the second is gone").atMost(Cluster.seconds(60)).until(() -> resource.get() == null);
        }
        assertThat(shop.deployment().get().getSpec().getTemplate().getMetadata().getLabels())
                .as("the first still has its workload")
                .containsEntry("sojourn.dev/cluster", Shop.NAME);
    }

    @Test
    @Order(7)
    @DisplayName("a store that was not mentioned does not become another one")
    void unmentionedStore() {
        refusedByTheServer("spec.store", spec -> with(spec, "store", Map.of("managed", Map.of("topology", "Sharded"))));
    }

    @Test
    @Order(8)
    @DisplayName("a health check's path that the application does not have stops at the first new Envoy, and 5 users"
            + " click on")
    void wrongHealthCheckPath() throws Exception {
        try (var load = Load.start(shop.address(), 5)) {
            shop.applySessionCluster(spec -> checkedAt(spec, "/no-such-path"));
            await("the status says what is wrong")
                    .atMost(Cluster.seconds(180))
                    .untilAsserted(() -> assertThat(shop.condition("ProxyReady"))
                            .startsWith("False/ProxyFindsNoPod")
                            .contains("2 of 2 Envoys are ready", "healthCheckPath (/no-such-path)", "-c edge"));
            System.out.println("  ProxyReady=" + shop.condition("ProxyReady"));
            assertThat(shop.condition("Ready")).startsWith("False/ProxyFindsNoPod");
            load.awaitClicks();
            shop.applySessionCluster(spec -> checkedAt(spec, "/healthz"));
            shop.awaitProxyRolledOut();
            shop.awaitSaysReady();
            load.awaitClicks();
            Verdict.nobodyNoticed("a wrong healthCheckPath was mended", load.stop());
        }
    }

    private static Map<String, Object> checkedAt(Map<String, Object> spec, String path) {
        Shop.child(spec, "proxy").put("healthCheckPath", path);
        return spec;
    }

    private void refusedByTheServer(String names, UnaryOperator<Map<String, Object>> change) {
        assertThatThrownBy(() -> shop.applySessionCluster(change))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(names);
    }

    private void refused(String type, String reason, String names, UnaryOperator<Map<String, Object>> change) {
        shop.applySessionCluster(change);
        await(reason)
                .atMost(Cluster.seconds(60))
                .untilAsserted(() -> assertThat(shop.condition(type))
                        .startsWith("False/" + reason)
                        .contains(names));
        System.out.println("  " + type + "=" + shop.condition(type));
        assertThat(shop.condition("Ready")).startsWith("False");
    }

    private static Map<String, Object> with(Map<String, Object> spec, String key, Object value) {
        spec.put(key, value);
        return spec;
    }

    private static Map<String, Object> without(Map<String, Object> spec, String key) {
        spec.remove(key);
        return spec;
    }
}

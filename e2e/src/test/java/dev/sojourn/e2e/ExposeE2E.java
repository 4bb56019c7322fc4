package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("thirdparty")
@ExtendWith(World.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("An Ingress and an HTTPRoute lead to the proxy")
class ExposeE2E {
    private static final String NAMESPACE = "e2e-exposed";
    private static final String ROUTES =
            Cluster.TOP.resolve("build/third-party/httproutes.yaml").toString();

    private Cluster cluster;
    private Shop shop;

    @BeforeAll
    void setUp(Cluster world) {
        cluster = world;
        shop = new Shop(world, NAMESPACE, 30085);
        shop.deployApplication();
    }

    @AfterAll
    void tearDown() {
        try {
            shop.close();
        } finally {
            Shell.run("kubectl", "delete", "--ignore-not-found", "-f", ROUTES);
        }
    }

    @Test
    @DisplayName("as soon as the cluster knows what that is, left alone while nothing changes, gone when not asked for")
    void exposed() {
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "proxy").put("expose", expose());
            return spec;
        });
        awaitProxy("False/GatewayApiNotInstalled");
        // Everything else is done meanwhile.
        await("an Ingress").atMost(Cluster.seconds(60)).until(() -> ingress().get() != null);
        assertThat(ingress().get().getSpec().getRules().get(0).getHost()).isEqualTo("shop.example.com");

        Shell.run("kubectl", "apply", "--server-side", "-f", ROUTES);
        awaitProxy("True/ProxyRuns");
        assertThat(shop.condition("Ready")).startsWith("True");
        var rule = route().get().getSpec().getRules().get(0);
        assertThat(rule.getBackendRefs().get(0).getName()).isEqualTo(Shop.NAME + "-proxy");
        assertThat(rule.getBackendRefs().get(0).getPort()).isEqualTo(80);

        var versions = versions();
        // What the API server has filled in must not be taken for a change, or each look would write.
        shop.applySessionCluster(spec -> {
            var proxy = Shop.child(spec, "proxy");
            proxy.put("expose", expose());
            proxy.put("limits", Map.of("requests", Map.of("rate", "10000/s")));
            return spec;
        });
        shop.awaitProxyRolledOut();
        assertThat(versions()).isEqualTo(versions);

        shop.applySessionCluster(spec -> spec);
        await("neither is there")
                .atMost(Cluster.seconds(60))
                .until(() -> ingress().get() == null && route().get() == null);
    }

    private static Map<String, Object> expose() {
        return Map.of(
                "ingress",
                Map.of("className", "nginx", "host", "shop.example.com", "tlsSecret", "shop-tls"),
                "httpRoute",
                Map.of(
                        "parentRefs",
                        List.of(Map.of("name", "public", "namespace", "gateways")),
                        "hostnames",
                        List.of("shop.example.com")));
    }

    private void awaitProxy(String prefix) {
        // The operator asks the API server once a minute what kinds it has.
        await("ProxyReady " + prefix)
                .atMost(Cluster.seconds(240))
                .pollInterval(Cluster.seconds(1))
                .untilAsserted(() -> assertThat(shop.condition("ProxyReady")).startsWith(prefix));
    }

    private List<String> versions() {
        return List.of(ingress(), route()).stream()
                .map(Resource::get)
                .map(HasMetadata.class::cast)
                .map(object -> Objects.requireNonNull(object).getMetadata().getResourceVersion())
                .toList();
    }

    private Resource<Ingress> ingress() {
        return cluster.client()
                .network()
                .v1()
                .ingresses()
                .inNamespace(NAMESPACE)
                .withName(Shop.NAME + "-proxy");
    }

    private Resource<HTTPRoute> route() {
        return cluster.client()
                .resources(HTTPRoute.class)
                .inNamespace(NAMESPACE)
                .withName(Shop.NAME + "-proxy");
    }
}

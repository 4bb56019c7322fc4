package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An Ingress and an HTTPRoute lead to the proxy, and pods are as a cluster wants them")
class ExposeE2E extends ThirdParty {
    private static final String ROUTES =
            Cluster.TOP.resolve("build/third-party/httproutes.yaml").toString();

    @BeforeAll
    void start() {
        shop.deployApplication();
    }

    @Override
    void takeAway() {
        Shell.run("kubectl", "delete", "--ignore-not-found", "-f", ROUTES);
    }

    @Test
    @DisplayName("as soon as the cluster knows what that is, left alone while nothing changes, gone when not asked for")
    void exposed() {
        shop.applySessionCluster(ExposeE2E::exposed);
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
            Shop.child(exposed(spec), "proxy").put("limits", Map.of("requests", Map.of("rate", "10000/s")));
            return spec;
        });
        shop.awaitProxyRolledOut();
        assertThat(versions()).isEqualTo(versions);

        shop.applySessionCluster(spec -> spec);
        await("neither is there")
                .atMost(Cluster.seconds(60))
                .until(() -> ingress().get() == null && route().get() == null);
    }

    private static Map<String, Object> exposed(Map<String, Object> spec) {
        var proxy = Shop.child(spec, "proxy");
        proxy.put("expose", expose());
        proxy.put("pod", pod());
        Shop.child(Shop.child(spec, "store"), "managed").put("pod", pod());
        return spec;
    }

    /** All that can be set: each is something that the API server might complete. */
    private static Map<String, Object> pod() {
        var linux = Map.of("key", "kubernetes.io/os", "operator", "In", "values", List.of("linux"));
        var preferred = Map.of("weight", 1, "preference", Map.of("matchExpressions", List.of(linux)));
        return Map.of(
                "labels", Map.of("team", "shop"),
                "annotations", Map.of("backup", "none"),
                "nodeSelector", Map.of("kubernetes.io/os", "linux"),
                "tolerations", List.of(Map.of("key", "dedicated", "value", "shop", "effect", "NoSchedule")),
                "affinity",
                        Map.of(
                                "nodeAffinity",
                                Map.of("preferredDuringSchedulingIgnoredDuringExecution", List.of(preferred))),
                "priorityClassName", "system-cluster-critical",
                "imagePullSecrets", List.of("registry"));
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
        var apps = cluster.client().apps();
        // Those have a status, with which their version changes.
        var deployment = apps.deployments().inNamespace(SHOP).withName(Shop.NAME + "-proxy");
        var statefulSet = apps.statefulSets().inNamespace(SHOP).withName(Shop.NAME + "-store");
        return List.of(
                ingress().get().getMetadata().getResourceVersion(),
                route().get().getMetadata().getResourceVersion(),
                String.valueOf(deployment.get().getMetadata().getGeneration()),
                String.valueOf(statefulSet.get().getMetadata().getGeneration()));
    }

    private Resource<Ingress> ingress() {
        return cluster.client().network().v1().ingresses().inNamespace(SHOP).withName(Shop.NAME + "-proxy");
    }

    private Resource<HTTPRoute> route() {
        return cluster.client().resources(HTTPRoute.class).inNamespace(SHOP).withName(Shop.NAME + "-proxy");
    }
}

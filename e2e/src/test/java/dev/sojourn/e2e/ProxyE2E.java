package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ExtendWith(World.class)
@ResourceLock(World.SHOP)
@DisplayName(
        "HTTPS at Envoy: a new certificate, new limits and new Envoys while 20 users click, and not one request fails")
class ProxyE2E {
    private static final int USERS = 20;
    /** Beside those that shops take. */
    private static final int HTTPS_NODE_PORT = 30089;

    private static final Map<String, Object> TLS = Map.of("secretName", "shop-tls", "redirect", true);

    /** The users are privileged: told by what their client says of itself. */
    private static final Map<String, Object> LIMITS = Map.of(
            "requests",
            Map.of("rate", "2/h"),
            "deny",
            List.of(Map.of("pathPrefix", "/forbidden")),
            "exempt",
            List.of(Map.of(
                    "header",
                    Map.of("name", "user-agent", "value", "Java-http-client/" + System.getProperty("java.version")))));

    @TempDir
    Path directory;

    @AfterEach
    void asItWas(Shop shop) {
        shop.applySessionCluster(spec -> spec);
        shop.awaitProxyRolledOut();
    }

    @Test
    @DisplayName("all in one run")
    void underLoad(Shop shop, Cluster cluster) throws Exception {
        shop.applySessionCluster(spec -> with(spec, "tls", TLS));
        await("the missing Secret is said")
                .atMost(Cluster.seconds(30))
                .until(() -> shop.condition("ProxyReady").startsWith("False/TlsSecretNotFound"));
        var certificates = new Certificates(cluster, shop.namespace(), "shop-tls", directory);
        certificates.put("first");
        shop.awaitProxyRolledOut();

        var https = URI.create("https://127.0.0.1:" + HTTPS_NODE_PORT);
        var client = HttpClient.newBuilder().sslContext(Certificates.trusting());
        try (var load = Load.start(client, https, USERS)) {
            var stranger = new Stranger(https);
            assertThat(stranger.get("/healthz")).isEqualTo(200);

            certificates.put("second");
            certificates.hurry(Shop.NAME);
            await("new connections get the new certificate")
                    .atMost(Cluster.seconds(90))
                    .until(() -> certificates.servedAt(HTTPS_NODE_PORT).equals("CN=second"));

            shop.applySessionCluster(spec -> with(with(spec, "tls", TLS), "limits", LIMITS));
            await("the limits hold")
                    .atMost(Cluster.seconds(30))
                    .until(() -> stranger.get("/forbidden") == 403 && stranger.get("/healthz") == 429);
            shop.applySessionCluster(spec -> with(spec, "tls", TLS));
            await("the limits are gone").atMost(Cluster.seconds(30)).until(() -> stranger.get("/healthz") == 200);

            cluster.client()
                    .apps()
                    .deployments()
                    .inNamespace(shop.namespace())
                    .withName(Shop.NAME + "-proxy")
                    .rolling()
                    .restart();
            shop.awaitProxyRolledOut();
            load.awaitClicks();

            Verdict.nobodyNoticed("certificate, limits and Envoys changed", load.stop());
        }
    }

    /** Somebody without privileges. */
    private record Stranger(HttpClient client, URI base) {
        Stranger(URI base) {
            this(HttpClient.newBuilder().sslContext(Certificates.trusting()).build(), base);
        }

        int get(String path) throws IOException, InterruptedException {
            var request = HttpRequest.newBuilder(base.resolve(path)).header("User-Agent", "stranger");
            return client.send(request.build(), BodyHandlers.discarding()).statusCode();
        }
    }

    private static Map<String, Object> with(Map<String, Object> spec, String key, Object value) {
        var proxy = Shop.child(spec, "proxy");
        proxy.put(key, value);
        Shop.child(proxy, "service").put("httpsNodePort", HTTPS_NODE_PORT);
        return spec;
    }
}

package dev.sojourn.operator.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sojourn.operator.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The edge says whether its pod is ready, by what a real Envoy beside it finds. */
class EnvoyReachesIT extends BehindEnvoy {

    private static final String PODS = """
            {"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "7"}, "items": [{
              "apiVersion": "v1", "kind": "Pod",
              "metadata": {"name": "web-1", "namespace": "shop", "uid": "1", "resourceVersion": "7"},
              "status": {"podIP": "127.0.0.1", "phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}]}
            """;

    private static final String KUBECONFIG = """
            {"apiVersion": "v1", "kind": "Config", "current-context": "test",
             "clusters": [{"name": "test", "cluster": {"server": "http://127.0.0.1:%d"}}],
             "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
             "users": [{"name": "test", "user": {}}]}
            """;

    private int readiness;

    @Test
    void onceAPodHasAnsweredAtTheHealthCheckPathAndThenForGood() throws Exception {
        readiness = FreePort.take();
        application.refusal = "404 Not Found";
        start(with("{healthCheckPath: /healthz}"));
        var apiServer = apiServer();
        var edge = edge(apiServer.getAddress().getPort());
        try {
            envoy.until(
                    "it says what the pod answers",
                    () -> ready().body().contains("answers 404 Not Found to GET /healthz"));
            assertThat(ready().status()).isEqualTo(503);
            application.refusal = "";
            envoy.until("it is ready", () -> ready().status() == 200);
            application.refusal = "404 Not Found";
            envoy.until("the pod is not well", () -> envoy.stat("cluster.app.membership_healthy") == 0);
            assertThat(ready().status()).isEqualTo(200);
        } finally {
            edge.destroy();
            edge.waitFor();
            apiServer.stop(0);
        }
        edge = edge(FreePort.take());
        try {
            // Started over, while nobody tells it of pods: Envoy knows.
            envoy.until("it is ready again", () -> ready().status() == 200);
        } finally {
            edge.destroy();
        }
    }

    private Http1.Response ready() throws IOException {
        try (var client = Http1.plain(readiness)) {
            return client.get("/readyz");
        }
    }

    private Process edge(int apiServer) throws IOException {
        var daemon = System.getenv("SOJOURN_DAEMON");
        assumeTrue(daemon != null, "no daemon: set SOJOURN_DAEMON");
        var kubeconfig = Files.writeString(directory.resolve("kubeconfig"), KUBECONFIG.formatted(apiServer));
        var builder = new ProcessBuilder(daemon, "edge").inheritIO();
        var env = builder.environment();
        env.put("KUBECONFIG", kubeconfig.toString());
        env.put("SOJOURN_EDGE_NAMESPACE", "shop");
        env.put("SOJOURN_EDGE_SELECTOR", "sojourn.dev/cluster=web");
        env.put("SOJOURN_EDGE_PORT", "" + application.port());
        env.put(
                "SOJOURN_EDGE_OUT",
                directory.resolve("xds").resolve(EnvoyCluster.ENDPOINTS_FILE).toString());
        env.put("SOJOURN_EDGE_ADMIN", "127.0.0.1:" + envoy.port(EnvoyListener.ADMIN_PORT));
        env.put("SOJOURN_EDGE_HEALTH_CHECK_PATH", "/healthz");
        env.put("SOJOURN_HTTP", "127.0.0.1:" + readiness);
        return builder.start();
    }

    /** Lists one pod, which is ready, and has nothing to add to whoever watches. */
    private static HttpServer apiServer() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/v1/namespaces/shop/pods", EnvoyReachesIT::answer);
        server.start();
        return server;
    }

    private static void answer(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("content-type", "application/json");
        if (exchange.getRequestURI().getQuery().contains("watch=true")) {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            return;
        }
        var body = PODS.getBytes(UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}

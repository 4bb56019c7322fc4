package dev.sojourn.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A Prometheus that the Prometheus Operator runs, in a namespace of its own. */
final class PrometheusServer implements AutoCloseable {
    static final String NAMESPACE = "e2e-monitoring";
    private static final Path OPERATOR = Cluster.TOP.resolve("build/third-party/prometheus-operator.yaml");
    private static final Path PROMETHEUS = Cluster.TOP.resolve("e2e/src/test/resources/prometheus.yaml");

    private final Cluster cluster;
    private final Path operator;
    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private PortForward forward = PortForward.NONE;

    PrometheusServer(Cluster cluster, Path scratch) throws IOException {
        this.cluster = cluster;
        // In a namespace of its own; and without the Service in kube-system that it would make for kubelets.
        operator = Files.writeString(
                scratch.resolve("operator.yaml"),
                Files.readString(OPERATOR)
                        .replace("namespace: default", "namespace: " + NAMESPACE)
                        .replaceAll("(?m)^ *- --kubelet-service=.*\n", ""));
    }

    void start() {
        Shell.run("kubectl", "create", "namespace", NAMESPACE);
        // Server-side: its CustomResourceDefinitions are too large for an annotation.
        Shell.run("kubectl", "apply", "--server-side", "--force-conflicts", "-f", operator.toString());
        Shell.run("kubectl", "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all");
        Shell.run("kubectl", "apply", "-f", PROMETHEUS.toString());
        await("Prometheus runs")
                .atMost(Cluster.seconds(300))
                .pollInterval(Cluster.seconds(1))
                .until(() -> {
                    var set = cluster.client()
                            .apps()
                            .statefulSets()
                            .inNamespace(NAMESPACE)
                            .withName("prometheus-e2e")
                            .get();
                    return set != null
                            && set.getStatus() != null
                            && Integer.valueOf(1).equals(set.getStatus().getReadyReplicas());
                });
        forward = PortForward.to(NAMESPACE, "pod/prometheus-e2e-0", 9090);
    }

    /** How many series an expression has. */
    int ask(String expression) throws IOException, InterruptedException {
        return get("/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8))
                .at("/data/result")
                .size();
    }

    /** The rules that alert, as Prometheus has them. */
    List<JsonNode> alerts() throws IOException, InterruptedException {
        var alerts = new ArrayList<JsonNode>();
        get("/api/v1/rules?type=alert")
                .at("/data/groups")
                .forEach(group -> group.path("rules").forEach(alerts::add));
        return alerts;
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(forward.address() + path))
                .timeout(Duration.ofSeconds(30))
                .build();
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException("Prometheus answered " + answer.statusCode() + " to " + path + ": " + answer.body());
        }
        return json.readTree(answer.body());
    }

    @Override
    public void close() {
        forward.close();
        Shell.run("kubectl", "delete", "--ignore-not-found", "--wait", "-f", PROMETHEUS.toString());
        Shell.run("kubectl", "delete", "--ignore-not-found", "--wait", "-f", operator.toString());
        cluster.deleteNamespace(NAMESPACE);
    }
}

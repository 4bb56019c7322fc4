package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.cert.Leaf;
import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.owner.ApiServer;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What others are told of a pod once it has its answer. */
class WebhookServerTest {

    private final Vertx vertx = Vertx.vertx();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ApiServer api = new ApiServer(name -> name.equals("web") ? 200 : 404, Map.of("web", """
            {"apiVersion": "sojourn.dev/v1alpha1", "kind": "SessionCluster", "metadata": {"name": "web", "namespace": "shop"},
             "spec": {"workload": {"name": "web"}, "port": 8080}}"""));
    private final int port = FreePort.take();

    WebhookServerTest() throws Exception {}

    @BeforeEach
    void listen() throws Exception {
        var config = InPod.with(Map.of("SOJOURN_WEBHOOK_PORT", String.valueOf(port)));
        var clusters = new SessionClusters(api.client(), config);
        var server = new WebhookServer(vertx, config, clusters, new Events(api.client()), registry);
        await(server.serveWith(Leaf.of("localhost").pair()));
    }

    @AfterEach
    void close() throws Exception {
        await(vertx.close());
        api.close();
    }

    @Test
    void podsAreCountedByNamespaceAndOutcome() throws Exception {
        ask(pod("shop", "web"));
        ask(pod("shop", "web"));
        ask(pod("other", "wbe"));
        awaitCount("injected", "shop", 2);
        awaitCount("unknown_cluster", "other", 1);
    }

    /** A series that begins with its first failure has never increased: the alert knows. One for each outcome of each namespace would be many. */
    @Test
    void whatHasNotHappenedHasNoSeries() throws Exception {
        ask(pod("shop", "web"));
        awaitCount("injected", "shop", 1);
        assertThat(counts()).hasSize(1);
    }

    @Test
    void aDryRunIsNotCountedAndNobodyIsTold() throws Exception {
        ask(pod("shop", "wbe").put("dryRun", true));
        ask(pod("shop", "web"));
        awaitCount("injected", "shop", 1);
        assertThat(counts()).hasSize(1);
        assertThat(events()).isZero();
    }

    @Test
    void aJobsPodIsCountedApartAndNobodyIsTold() throws Exception {
        ask(owned(pod("shop", "web"), "Job"));
        awaitCount("job", "shop", 1);
        ask(owned(pod("shop", "wbe"), "ReplicaSet"));
        awaitEvents(1);
        assertThat(api.asked).noneMatch(asked -> asked.body().contains("JobPod"));
    }

    @Test
    void ofAPodWithoutASessionClusterItsMakerIsTold() throws Exception {
        ask(owned(pod("shop", "wbe"), "ReplicaSet"));
        awaitEvents(1);
        var event = new JsonObject(api.asked.stream()
                .filter(asked -> asked.what().startsWith("PATCH"))
                .findFirst()
                .orElseThrow()
                .body());
        assertThat(event.getString("reason")).isEqualTo("InjectionRefused");
        assertThat(event.getString("type")).isEqualTo("Warning");
        assertThat(event.getString("message")).contains("there is no SessionCluster shop/wbe");
        var about = event.getJsonObject("involvedObject");
        assertThat(about.getString("kind")).isEqualTo("ReplicaSet");
        assertThat(about.getString("name")).isEqualTo("web-1");
        assertThat(about.getString("uid")).isEqualTo("u-1");
    }

    @Test
    void aPodThatIsVeryLargeIsInjected() throws Exception {
        var request = pod("shop", "web");
        var object = request.getJsonObject("object");
        object.getJsonObject("metadata").put("annotations", new JsonObject().put("large", "x".repeat(1_000_000)));
        var env = new JsonArray();
        for (var n = 0; n < 10_000; n++) {
            env.add(new JsonObject().put("name", "VARIABLE_" + n).put("value", "value"));
        }
        object.getJsonObject("spec").getJsonArray("containers").getJsonObject(0).put("env", env);
        ask(request);
        awaitCount("injected", "shop", 1);
    }

    private static JsonObject pod(String namespace, String cluster) {
        var container = new JsonObject()
                .put("name", "app")
                .put("ports", new JsonArray().add(new JsonObject().put("containerPort", 8080)));
        return new JsonObject()
                .put("uid", "42")
                .put("namespace", namespace)
                .put(
                        "object",
                        new JsonObject()
                                .put(
                                        "metadata",
                                        new JsonObject()
                                                .put("generateName", "web-1-")
                                                .put("labels", new JsonObject().put("sojourn.dev/cluster", cluster)))
                                .put("spec", new JsonObject().put("containers", new JsonArray().add(container))));
    }

    private static JsonObject owned(JsonObject request, String kind) {
        request.getJsonObject("object")
                .getJsonObject("metadata")
                .put(
                        "ownerReferences",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("apiVersion", "apps/v1")
                                        .put("kind", kind)
                                        .put("name", "web-1")
                                        .put("uid", "u-1")
                                        .put("controller", true)));
        return request;
    }

    private void ask(JsonObject request) throws Exception {
        var options = new HttpClientOptions().setSsl(true).setTrustAll(true).setVerifyHost(false);
        var answer = await(vertx.createHttpClient(options)
                .request(HttpMethod.POST, port, "localhost", "/inject")
                .compose(asking ->
                        asking.send(new JsonObject().put("request", request).toString()))
                .compose(response -> response.body()));
        assertThat(answer.toJsonObject().getJsonObject("response").getBoolean("allowed"))
                .isTrue();
    }

    private List<String> counts() {
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith("sojourn_injections_total"))
                .toList();
    }

    private long events() {
        return api.asked.stream()
                .filter(asked -> asked.what().startsWith("PATCH"))
                .count();
    }

    /** The pod has its answer before anybody else is told. */
    private void awaitCount(String outcome, String namespace, int count) {
        var line =
                "sojourn_injections_total{namespace=\"%s\",outcome=\"%s\",} %d.0".formatted(namespace, outcome, count);
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!counts().contains(line)) {
            assertThat(System.nanoTime()).as("%s in %s", line, counts()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private void awaitEvents(int number) {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (events() < number) {
            assertThat(System.nanoTime()).as("%d events", number).isLessThan(end);
            Thread.onSpinWait();
        }
        assertThat(events()).isEqualTo(number);
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}

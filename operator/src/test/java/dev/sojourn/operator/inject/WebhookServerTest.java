package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.cert.Leaf;
import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.owner.ApiServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others are told of a pod once it has its answer. */
class WebhookServerTest {

    private final Vertx vertx = Vertx.vertx();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ApiServer api = new ApiServer(
            name -> Set.of("new", "shop", "other").contains(name)
                    ? 200
                    : Set.of("web", "away").contains(name) ? 500 : 404,
            Map.of(
                    "new", cluster("new"),
                    "shop", "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\"}",
                    "other", "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\"}"));
    private final int port = FreePort.take();

    WebhookServerTest() throws Exception {}

    @BeforeEach
    void listen() throws Exception {
        var config = InPod.with(Map.of("SOJOURN_WEBHOOK_PORT", String.valueOf(port)));
        // In memory there is one, and the API server has nothing to say of it.
        var clusters = new SessionClusters(api.client(), config) {
            @Override
            Optional<SessionCluster> find(String namespace, String name) {
                if (name.equals("broken")) {
                    throw new IllegalStateException("what nobody thought of");
                }
                return Optional.of(name)
                        .filter("web"::equals)
                        .map(there -> Serialization.unmarshal(cluster(there), SessionCluster.class));
            }
        };
        var server = new WebhookServer(
                vertx,
                config,
                clusters,
                new Namespaces(api.client(), config, clusters),
                new Events(api.client()),
                registry);
        await(server.serveWith(Leaf.of("localhost").pair()));
    }

    @AfterEach
    void close() throws Exception {
        await(vertx.close());
        api.close();
    }

    @Test
    void ofWhatIsNotInMemoryTheApiServerIsAsked() throws Exception {
        ask(pod("shop", "new"));
        awaitCount("injected", "shop", 1);
    }

    /** "There is none" would have the pod start without its sidecar, whatever the registration's failurePolicy says. */
    @Test
    void whetherAPodStartsWithoutItsSidecarWhenTheApiServerDoesNotAnswerIsNotTheWebhooksToSay() throws Exception {
        var answer = answer(pod("shop", "away"));
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(await(answer.body()).toString()).contains("the API server was not to be asked");
        awaitCount("failed", "shop", 1);
        assertThat(events()).isZero();
    }

    @Test
    void norIsItWhenTheInjectionFails() throws Exception {
        var answer = answer(pod("shop", "broken"));
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(await(answer.body()).toString()).contains("what nobody thought of");
        awaitCount("failed", "shop", 1);
    }

    /** Of settings that memory has not heard of. */
    @Test
    void aSidecarWithSettingsOfBeforeIsBetterThanNone() throws Exception {
        var request = pod("shop", "web");
        request.getJsonObject("object")
                .getJsonObject("metadata")
                .put("annotations", new JsonObject().put("sojourn.dev/config", "0123456789"));
        ask(request);
        awaitAsked("GET /apis/sojourn.dev/v1alpha1/namespaces/shop/sessionclusters/web");
        awaitCount("injected", "shop", 1);
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

    /** The port asks nobody who they are. Of a namespace that there is the same is told as evidence that all before is over. */
    @Test
    void whatNoApiServerAsksAboutIsNeitherCountedNorTold() throws Exception {
        ask(owned(pod("nowhere", "wbe"), "ReplicaSet"));
        ask(owned(pod("kube-system", "wbe"), "DaemonSet"));
        awaitAsked("GET /api/v1/namespaces/nowhere");
        ask(owned(pod("shop", "wbe"), "ReplicaSet"));
        awaitCount("unknown_cluster", "shop", 1);
        awaitEvents(1);
        assertThat(counts()).hasSize(1);
    }

    @Test
    void aNamespaceGetsNoMoreEventsThanItCanRead() throws Exception {
        for (var n = 0; n < 60; n++) {
            ask(owned(named(pod("shop", "wbe"), "web-" + n), "StatefulSet"));
        }
        ask(owned(pod("other", "wbe"), "ReplicaSet"));
        awaitEvents(51);
        awaitCount("unknown_cluster", "shop", 60);
    }

    @Test
    void noPodsNameBeginsALineOfTheLog() throws Exception {
        var lines = new CopyOnWriteArrayList<String>();
        var handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new PatternFormatter("%m").format(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        var logger = Logger.getLogger("dev.sojourn.operator");
        logger.addHandler(handler);
        try {
            var request = owned(named(pod("shop", "w\nWARN b"), "web\nWARN"), "ReplicaSet");
            ask(request);
            awaitCount("unknown_cluster", "shop", 1);
            awaitEvents(1);
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines).anyMatch(line -> line.contains("web?WARN")).noneMatch(line -> line.contains("\n"));
    }

    /** Of any text that is a part of the URL: the API server shows webhooks labels that it has not looked at. */
    @Test
    void aLabelThatIsNoNameAsksTheApiServerForNothing() throws Exception {
        ask(pod("shop", "web?watch=true"));
        ask(pod("shop", "../../other/sessionclusters/web"));
        awaitCount("unknown_cluster", "shop", 2);
        assertThat(api.asked).noneMatch(asked -> asked.what().contains("sessionclusters"));
    }

    @Test
    void aNamespaceThatIsNoNameIsRefused() throws Exception {
        for (var namespace : List.of("shop\nWARN", "../other", "")) {
            assertThat(answer(pod(namespace, "web")).statusCode()).isEqualTo(400);
        }
        ask(pod("shop", "web"));
        awaitCount("injected", "shop", 1);
        assertThat(counts()).hasSize(1);
    }

    /** In memory they would take ten times as much as on the wire, and two of 4 MiB ended the operator. */
    @Test
    void aReviewOfMorePartsThanAPodHasIsRefused() throws Exception {
        var request = pod("shop", "web");
        var parts = new JsonArray();
        for (var n = 0; n < 130_000; n++) {
            parts.add(new JsonObject());
        }
        request.getJsonObject("object").put("parts", parts);
        assertThat(answer(request).statusCode()).isEqualTo(400);
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

    /** What the API server takes, and what it shows us before it takes it or not: either may be somebody's pod. */
    @ParameterizedTest
    @ValueSource(strings = {"web-1-", "web.", "w", "web.example.org-", "Not_A_Name", ""})
    void aPodIsNeverRefusedForItsName(String generateName) throws Exception {
        var request = pod("shop", "web");
        request.getJsonObject("object").getJsonObject("metadata").put("generateName", generateName);
        ask(owned(request, "ReplicaSet"));
        awaitCount("injected", "shop", 1);
    }

    private static String cluster(String name) {
        return """
                {"apiVersion": "sojourn.dev/v1alpha1", "kind": "SessionCluster", "metadata": {"name": "%s", "namespace": "shop"},
                 "spec": {"workload": {"name": "web"}, "port": 8080}}""".formatted(name);
    }

    private static JsonObject named(JsonObject request, String name) {
        request.getJsonObject("object").getJsonObject("metadata").put("name", name);
        return request;
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
        var answer = await(answer(request).body());
        assertThat(answer.toJsonObject().getJsonObject("response").getBoolean("allowed"))
                .isTrue();
    }

    private HttpClientResponse answer(JsonObject request) throws Exception {
        var options = new HttpClientOptions().setSsl(true).setTrustAll(true).setVerifyHost(false);
        return await(vertx.createHttpClient(options)
                .request(HttpMethod.POST, port, "localhost", "/inject")
                .compose(asking ->
                        asking.send(new JsonObject().put("request", request).toString()))
                .compose(response -> response.body().map(response)));
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

    private void awaitAsked(String what) {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (api.asked.stream().noneMatch(asked -> asked.what().equals(what))) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
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

package dev.sojourn.operator.inject;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sojourn.operator.cert.KeyPairPem;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.event.Events;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.ObserverMethod;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** HTTPS for the API server. It begins to listen with the first certificate, and takes later ones without a restart. */
@ApplicationScoped
public class WebhookServer {

    private static final Logger LOG = Logger.getLogger(WebhookServer.class);

    /** A pod is at most 1.5 MiB in etcd, and a review holds little else. */
    private static final int MAX_REVIEW_BYTES = 4 * 1024 * 1024;

    /** Twenty times what a large pod has. In memory one, an empty object perhaps, takes ten times and more what it did on the wire. */
    private static final int MAX_REVIEW_TOKENS = 250_000;

    /** More than API servers ask at a time, and less than a tenth of the memory that there is. */
    private static final int MAX_ALL_BYTES = 4 * MAX_REVIEW_BYTES;

    /** API servers send all of it at once. */
    private static final Duration READING = Duration.ofSeconds(10);

    /**
     * For all of asking the API server: to be let on a thread, to connect, the answer. It waits itself for ours for 5 s by default, and for 3 s at
     * least: the chart refuses less.
     */
    private static final long ASKING_MILLIS = 2_000;

    /** Pods that wait for that, by their bytes: hundreds. */
    private static final int MAX_WAITING_BYTES = MAX_REVIEW_BYTES;

    /** An API server keeps 25 that ask nothing. Each takes 8 KiB. */
    private static final int MAX_CONNECTIONS = 1000;

    private final Vertx vertx;
    private final OperatorConfig config;
    private final ObjectMapper json = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxTokenCount(MAX_REVIEW_TOKENS)
                    .build())
            .build());
    private final Injector injector;
    private final Admission fromMemory;
    private final Admission asking;
    private final Calls calls;
    private final Telling telling;
    private final Bodies bodies;
    private final Connections connections = new Connections(MAX_CONNECTIONS);
    private final Questions questions = new Questions(Duration.ofSeconds(1));
    private @Nullable HttpServer server;

    public WebhookServer(
            Vertx vertx,
            OperatorConfig config,
            SessionClusters clusters,
            Namespaces namespaces,
            Events events,
            MeterRegistry metrics) {
        this.vertx = vertx;
        this.config = config;
        this.calls = new Calls(vertx, MAX_WAITING_BYTES);
        this.telling = new Telling(calls, namespaces, events, metrics);
        this.bodies = new Bodies(vertx, MAX_REVIEW_BYTES, MAX_ALL_BYTES, READING);
        this.injector = new Injector(new SidecarSpec(
                config.sidecarImage(), config.imagePullPolicy(), config.ipFamily(), config.assignedUsers()));
        this.fromMemory = new Admission(injector, clusters::find);
        this.asking = new Admission(injector, clusters::ask);
    }

    public synchronized Future<?> serveWith(KeyPairPem keyPair) {
        var certificate = new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(keyPair.certificate()))
                .addKeyValue(Buffer.buffer(keyPair.key()));
        if (server != null) {
            var ssl = new HttpServerOptions().setKeyCertOptions(certificate).getSslOptions();
            return server.updateSSLOptions(ssl);
        }
        var options = new HttpServerOptions()
                .setPort(config.webhook().port())
                .setSsl(true)
                .setIdleTimeout(300)
                .setKeyCertOptions(certificate);
        Warmup.run(injector);
        var starting = vertx.createHttpServer(options)
                .connectionHandler(connections::opened)
                .requestHandler(this::handle);
        server = starting;
        return starting.listen()
                .onSuccess(up -> LOG.infof("webhook listens port=%d", up.actualPort()))
                .onFailure(error -> server = null);
    }

    /** Before all else ends, which the answers need. */
    void stop(@Observes @Priority(ObserverMethod.DEFAULT_PRIORITY - 2) ShutdownEvent event) {
        if (server != null) {
            if (!questions.end()) {
                LOG.warn(
                        "the webhook closes before all are answered: webhook.failurePolicy says what becomes of their pods");
            }
            server.close();
        }
    }

    private void handle(HttpServerRequest request) {
        questions.begun(request);
        connections.asks(request.connection());
        if (request.method() != HttpMethod.POST || !"/inject".equals(request.path())) {
            request.response().setStatusCode(404).end();
            return;
        }
        bodies.read(request, body -> answer(request, body));
    }

    private void answer(HttpServerRequest request, Buffer body) {
        var review = parse(body);
        var asked = review.path("request");
        if (asked.path("uid").isMissingNode()) {
            request.response().setStatusCode(400).end("not an AdmissionReview");
            return;
        }
        if (!Dns1123.isLabel(asked.path("namespace").asText())) {
            // Unlike the pod's own names it has been looked at: no API server asks so.
            request.response().setStatusCode(400).end("request.namespace: not the name of a namespace");
            return;
        }
        decide(review, body.length())
                .onSuccess(decided -> send(request, review, decided))
                .onFailure(error -> fail(request, review, error));
    }

    private void send(HttpServerRequest request, JsonNode review, Admission.Answer answer) {
        request.response()
                .putHeader("content-type", "application/json")
                .end(answer.review().toString());
        telling.tell(review.path("request"), answer);
    }

    /** Whether the pod starts without its sidecar then is up to the registration's failurePolicy: none comes here that does not ask for one. */
    private void fail(HttpServerRequest request, JsonNode review, Throwable error) {
        var message = OneLine.of(String.valueOf(error.getMessage()));
        request.response().setStatusCode(500).end(message);
        telling.tell(review.path("request"), Admission.Answer.failed(message));
    }

    private Future<Admission.Answer> decide(JsonNode review, int bytes) {
        Admission.Answer known;
        try {
            known = fromMemory.review(review);
        } catch (RuntimeException e) {
            LOG.error("injection failed", OneLine.of(e));
            return Future.failedFuture("injection failed: " + e);
        }
        // Not on the event loop: others wait for their answers there.
        return known.outdated()
                ? calls.call(bytes, () -> asking.review(review))
                        .timeout(ASKING_MILLIS, TimeUnit.MILLISECONDS)
                        .recover(error -> unasked(known, error))
                : Future.succeededFuture(known);
    }

    /** A sidecar with settings of before is better than no pod. That there is no SessionCluster may be what memory has not heard of yet. */
    private static Future<Admission.Answer> unasked(Admission.Answer known, Throwable error) {
        var why = "the API server was not to be asked for the SessionCluster: " + error.getMessage();
        if (known.injects()) {
            LOG.warnf("%s, going by what is in memory", OneLine.of(why));
            return Future.succeededFuture(known);
        }
        return Future.failedFuture(why);
    }

    private JsonNode parse(Buffer body) {
        try {
            return Optional.ofNullable(json.readTree(body.getBytes())).orElse(MissingNode.getInstance());
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        } catch (java.io.IOException e) {
            throw new IllegalStateException("reading from memory", e);
        }
    }
}

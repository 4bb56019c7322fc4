package dev.sojourn.operator.sidecar;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.inject.SidecarSpec;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Asks the sidecars of a workload whether they reach the store: only they know. A certificate that the operator takes, or a network policy
 * that lets it through, may be in their way. Nobody waits for it: a look says what the last round found, and begins the next.
 */
@ApplicationScoped
public class SidecarObserver {

    /** Pods come and go in bursts, and each is a reconciliation: one round serves them all. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** So many at once: a workload may have hundreds of pods. */
    private static final int LANES = 16;

    private static final int PATIENCE_MILLIS = 2000;

    /** Whoever has a pod decides what answers there; more than this is not read. */
    private static final int LONGEST_ANSWER = 8192;

    private final HttpClient http;
    private final int port;
    private final InstantSource clock = InstantSource.system();
    private final Map<ResourceID, Round> rounds = new ConcurrentHashMap<>();

    /** One that can be asked. */
    public record Sidecar(String pod, String ip) {}

    private record Round(SidecarLook found, boolean underway, long atMillis) {

        static final Round NONE = new Round(SidecarLook.NONE, false, 0);
    }

    @Inject
    public SidecarObserver(Vertx vertx) {
        this(vertx, SidecarSpec.HTTP_PORT);
    }

    SidecarObserver(Vertx vertx, int port) {
        this.http = vertx.createHttpClient(new HttpClientOptions()
                .setKeepAlive(false)
                .setConnectTimeout(PATIENCE_MILLIS)
                .setMaxHeaderSize(LONGEST_ANSWER));
        this.port = port;
    }

    public SidecarLook observe(SessionCluster primary, List<Sidecar> sidecars) {
        var id = ResourceID.fromResource(primary);
        var last = rounds.getOrDefault(id, Round.NONE);
        if (last.underway() || last.atMillis() + FRESH.toMillis() > clock.millis()) {
            return last.found();
        }
        rounds.put(id, new Round(last.found(), true, clock.millis()));
        var answers = new ConcurrentHashMap<String, SidecarHealth>();
        var waiting = new ConcurrentLinkedQueue<>(sidecars);
        var lanes = IntStream.range(0, Math.min(LANES, sidecars.size()))
                .mapToObj(lane -> askOneByOne(waiting, answers))
                .toList();
        Future.join(lanes)
                .onComplete(x -> rounds.computeIfPresent(
                        id,
                        (same, round) ->
                                new Round(new SidecarLook(sidecars.size(), answers), false, round.atMillis())));
        return last.found();
    }

    public void forget(SessionCluster primary) {
        rounds.remove(ResourceID.fromResource(primary));
    }

    private Future<Void> askOneByOne(Queue<Sidecar> waiting, Map<String, SidecarHealth> answers) {
        var sidecar = waiting.poll();
        return sidecar == null
                ? Future.succeededFuture()
                : ask(sidecar.ip())
                        .onSuccess(text ->
                                SidecarHealth.parse(text).ifPresent(health -> answers.put(sidecar.pod(), health)))
                        .transform(x -> askOneByOne(waiting, answers));
    }

    private Future<String> ask(String ip) {
        var page = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setHost(ip)
                .setPort(port)
                .setURI("/storez");
        return http.request(page)
                .compose(request -> answer(request)
                        // Also for one that takes the connection and says nothing, or speaks very slowly.
                        .timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                        .onFailure(x -> request.reset()));
    }

    /** What goes wrong fails the answer; Vert.x would log it as well. */
    private static Future<String> answer(HttpClientRequest request) {
        request.connection().exceptionHandler(x -> {});
        return request.send().compose(response -> {
            response.exceptionHandler(x -> {});
            return isOurs(response)
                    ? response.body().map(Buffer::toString)
                    : Future.failedFuture("no sidecar's answer");
        });
    }

    private static boolean isOurs(HttpClientResponse response) {
        var length = response.getHeader(HttpHeaders.CONTENT_LENGTH);
        return response.statusCode() == 200
                && length != null
                && length.length() <= 4
                && Integer.parseInt(length) <= LONGEST_ANSWER;
    }
}

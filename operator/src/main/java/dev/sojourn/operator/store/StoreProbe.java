package dev.sojourn.operator.store;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks a store brought along whether it can do what the sidecars will ask of it. */
@ApplicationScoped
public class StoreProbe {

    /** A reconciler thread waits no longer; a store farther away than this is too far for sessions. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Pods come and go in bursts, and each is a reconciliation: one probe serves them all. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** Below it scripts cannot expire keys the way ours do. */
    private static final RedisVersion OLDEST = new RedisVersion(6, 2);

    private final Vertx vertx;
    private final InstantSource clock;
    private final Map<Target, Result> results = new ConcurrentHashMap<>();

    public StoreProbe(Vertx vertx) {
        this.vertx = vertx;
        this.clock = InstantSource.system();
    }

    /** Where and as whom. Never logged: it holds the password. */
    public record Target(
            String url,
            @Nullable String username,
            @Nullable String password,
            @Nullable String caCertificate) {

        @Override
        public String toString() {
            return url;
        }
    }

    /** What was found; the names are condition reasons. */
    public enum Outcome {
        StoreAnswers,
        StoreUnreachable,
        StoreAuthFailed,
        StoreTooOld
    }

    /** What was found, in words, and when. */
    public record Result(Outcome outcome, String message, long atMillis) {}

    public Result probe(Target target) {
        results.values().removeIf(result -> result.atMillis() + FRESH.toMillis() < clock.millis());
        return results.computeIfAbsent(target, this::ask);
    }

    private Result ask(Target target) {
        var client = Redis.createClient(vertx, options(target));
        try {
            var answer = client.connect()
                    .compose(connection -> authenticate(connection, target).compose(x -> examine(connection, target)));
            return answer.toCompletionStage().toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            return failed(target, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            return result(Outcome.StoreUnreachable, target + " did not answer within " + PATIENCE.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return result(Outcome.StoreUnreachable, "the probe of " + target + " was interrupted");
        } finally {
            client.close();
        }
    }

    private static RedisOptions options(Target target) {
        var net = new NetClientOptions().setConnectTimeout((int) PATIENCE.toMillis());
        if (target.url().startsWith("rediss://")) {
            net.setSsl(true).setHostnameVerificationAlgorithm("HTTPS");
            if (target.caCertificate() != null) {
                net.setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(target.caCertificate())));
            }
        }
        return new RedisOptions()
                .setConnectionString(target.url())
                // We log in ourselves, to tell a refused password from everything else.
                .setProtocolNegotiation(false)
                .setNetClientOptions(net);
    }

    private static Future<?> authenticate(RedisConnection connection, Target target) {
        if (target.password() == null) {
            return Future.succeededFuture();
        }
        var auth = Request.cmd(Command.AUTH);
        if (target.username() != null) {
            auth.arg(target.username());
        }
        return connection.send(auth.arg(target.password()));
    }

    private Future<Result> examine(RedisConnection connection, Target target) {
        return connection
                .send(Request.cmd(Command.INFO).arg("server"))
                .map(info -> RedisVersion.parse(info.toString()))
                .compose(version -> version.isBefore(OLDEST)
                        ? Future.succeededFuture(result(
                                Outcome.StoreTooOld,
                                target + " is Redis " + version + "; at least " + OLDEST + " is needed"))
                        : runsScripts(connection)
                                .map(x -> result(Outcome.StoreAnswers, target + " answers, Redis " + version)));
    }

    private static Future<Response> runsScripts(RedisConnection connection) {
        return connection.send(Request.cmd(Command.EVAL).arg("return 1").arg(0));
    }

    private Result failed(Target target, Throwable cause) {
        var message = String.valueOf(cause.getMessage());
        var words = message.contains("Unknown RESP type") ? "it does not speak the Redis protocol" : message;
        var refused = words.startsWith("WRONGPASS")
                || words.startsWith("NOAUTH")
                || words.startsWith("NOPERM")
                || words.contains("AUTH <password> called without any password");
        return refused
                ? result(
                        Outcome.StoreAuthFailed,
                        target + " refuses us: " + words
                                + "; check the keys username and password of spec.store.external.credentialsSecret")
                : result(Outcome.StoreUnreachable, target + " cannot be reached: " + words);
    }

    private Result result(Outcome outcome, String message) {
        return new Result(outcome, message, clock.millis());
    }
}

package dev.sojourn.operator.store;

import static java.util.stream.Collectors.joining;

import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreConnections.Tls;
import io.vertx.core.Future;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Asks a store brought along whether it can do what the sidecars will ask of it. */
@ApplicationScoped
public class StoreProbe {

    /** Pods come and go in bursts, and each is a reconciliation: one probe serves them all. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** What a store's servers have dropped is known for as long after it was asked last: longer than looks are apart. */
    private static final Duration KEPT = DroppedKeys.LATELY;

    /** Below it scripts cannot expire keys the way ours do. */
    private static final RedisVersion OLDEST = new RedisVersion(6, 2);

    private final StoreConnections connections;
    private final InstantSource clock;
    private final Map<Target, Result> results = new ConcurrentHashMap<>();
    private final Map<Target, Memory> memories = new ConcurrentHashMap<>();

    private record Memory(ServersMemory servers, long askedAtMillis) {}

    @Inject
    public StoreProbe(StoreConnections connections) {
        this(connections, InstantSource.system());
    }

    StoreProbe(StoreConnections connections, InstantSource clock) {
        this.connections = connections;
        this.clock = clock;
    }

    /**
     * Where and as whom.
     *
     * @param namespace of the pods that will use it; null: the operator's own
     */
    public record Target(
            String url,
            @Nullable String namespace,
            Login login,
            Login sentinelLogin,
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

    /**
     * What was found, in words, and when.
     *
     * @param servers how full they are, of those that are named and say so; of a cluster the others may be fuller
     */
    public record Result(Outcome outcome, String message, long atMillis, List<ServerMemory> servers) {

        public Result {
            servers = List.copyOf(servers);
        }

        public Result(Outcome outcome, String message, long atMillis) {
            this(outcome, message, atMillis, List.of());
        }
    }

    public Result probe(Target target) {
        results.values().removeIf(result -> result.atMillis() + FRESH.toMillis() < clock.millis());
        var known = results.get(target);
        if (known != null) {
            return known;
        }
        // Not while the map is held: a store that hangs would hold up those who ask for others. Two who ask at once
        // both do.
        memories.values().removeIf(memory -> memory.askedAtMillis() + KEPT.toMillis() < clock.millis());
        var memory = memories.compute(
                target,
                (same, before) -> new Memory(before == null ? new ServersMemory() : before.servers(), clock.millis()));
        var answer = ask(target, memory.servers());
        var result = new Result(
                answer.outcome(),
                answer.message(),
                answer.atMillis(),
                memory.servers().servers(clock.instant()));
        results.put(target, result);
        return result;
    }

    /** One of several servers that answers is enough: the sidecars look for the others themselves. All at once: one may hang. */
    private Result ask(Target target, ServersMemory memory) {
        var url = StoreUrl.parse(target.url(), target.namespace());
        var asked = url.servers().stream()
                .map(server -> ask(server, url, target, memory))
                .toList();
        try {
            connections.await(Future.any(asked));
            return asked.stream()
                    .filter(Future::succeeded)
                    .map(Future::result)
                    .findFirst()
                    .orElseThrow();
        } catch (StoreException e) {
            // That one says no is worth more than that another says nothing.
            var said = asked.stream()
                    .filter(Future::failed)
                    .map(Future::cause)
                    .filter(cause -> !(cause instanceof TimeoutException))
                    .map(StoreProbe::words)
                    .findFirst();
            return failed(target, said.orElse(String.valueOf(e.getMessage())));
        }
    }

    /** Some say nothing but what they are. */
    static String words(Throwable cause) {
        var message = cause.getMessage();
        return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
    }

    private Future<Result> ask(String server, StoreUrl url, Target target, ServersMemory memory) {
        var tls = new Tls(url.tls(), target.caCertificate());
        var serving = url.kind() == StoreUrl.Kind.Sentinel
                ? primary(server, url, tls, target).map(primary -> StoreUrl.seenFrom(target.namespace(), primary))
                : Future.succeededFuture(server);
        return serving.compose(address -> with(
                address,
                tls,
                target.login(),
                connection -> select(connection, url.database())
                        .compose(x -> info(connection))
                        .onSuccess(info -> memory.look(address, connection.peer(), Info.parse(info), clock.instant()))
                        .compose(info -> examine(connection, RedisVersion.parse(info), target))));
    }

    private Future<String> primary(String sentinel, StoreUrl url, Tls tls, Target target) {
        var name = String.valueOf(url.primary());
        var question = Request.of("SENTINEL").arg("get-master-addr-by-name").arg(name);
        return with(
                sentinel,
                tls,
                target.sentinelLogin(),
                connection -> connection
                        .send(question)
                        .compose(answer -> address(answer)
                                .map(address -> Future.succeededFuture(address.toString()))
                                .orElseGet(() -> Future.failedFuture(
                                        "Sentinel " + sentinel + " knows no address of a primary named " + name))));
    }

    private static Optional<Address> address(Reply answer) {
        var parts = answer.items();
        return parts.size() < 2
                ? Optional.empty()
                : Address.of(parts.get(0).text(), parts.get(1).text());
    }

    private <T> Future<T> with(String server, Tls tls, Login login, Function<StoreConnection, Future<T>> use) {
        return connections.with(server, tls, login, StoreConnections.SHORT_ANSWER, use);
    }

    private Future<Result> examine(StoreConnection connection, RedisVersion version, Target target) {
        return version.isBefore(OLDEST)
                ? Future.succeededFuture(result(
                        Outcome.StoreTooOld, target + " is Redis " + version + "; at least " + OLDEST + " is needed"))
                : runsScripts(connection).map(x -> result(Outcome.StoreAnswers, target + " answers, Redis " + version));
    }

    /** Only where another is named, as the sidecars do: it takes a right of its own. */
    private static Future<?> select(StoreConnection connection, String database) {
        return database.equals("0")
                ? Future.succeededFuture()
                : connection.send(Request.of("SELECT").arg(database));
    }

    /** Of a server that refuses to say, or has no such command, nothing is known: whether it runs scripts is what counts. */
    private static Future<String> info(StoreConnection connection) {
        // All of it may be long where there are many databases or modules.
        var sections = connection
                .send(Stream.of("server", "memory", "stats")
                        .map(section -> Request.of("INFO").arg(section))
                        .toList())
                .stream()
                .map(section -> section.map(Reply::text).otherwise(""))
                .toList();
        return Future.all(sections)
                .map(x -> sections.stream().map(Future::result).collect(joining("\n")));
    }

    private static Future<Reply> runsScripts(StoreConnection connection) {
        return connection.send(Request.of("EVAL").arg("return 1").arg(0));
    }

    private Result failed(Target target, String words) {
        var refused = words.startsWith("WRONGPASS")
                || words.startsWith("NOAUTH")
                || words.startsWith("NOPERM")
                || words.contains("AUTH <password> called without any password");
        var mend = words.startsWith("NOPERM")
                ? "; give its user the rights that store.md lists under Permissions"
                : "; check the keys username and password of its credentialsSecret"
                        + (target.url().contains("-sentinel://") ? " and sentinelCredentialsSecret" : "");
        return refused
                ? result(Outcome.StoreAuthFailed, target + " refuses us: " + words + mend)
                : result(
                        Outcome.StoreUnreachable,
                        target + " cannot be reached by the operator: " + words
                                + "; check the address, its TLS (caSecret), and that network policies let the operator's"
                                + " namespace out, and in there");
    }

    private Result result(Outcome outcome, String message) {
        return new Result(outcome, message, clock.millis());
    }
}

package dev.sojourn.operator.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreConnections.Tls;
import io.fabric8.kubernetes.api.model.Secret;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Asks the servers of a managed store how they are. */
@ApplicationScoped
public class StoreObserver {

    /** Pods come and go in bursts, and each is a reconciliation: one look serves them all. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    private final StoreConnections connections;
    private final StoreMetrics metrics;
    private final InstantSource clock = InstantSource.system();
    private final Map<String, Look> looks = new ConcurrentHashMap<>();

    private record Look(List<StoreNode> nodes, long atMillis) {}

    public StoreObserver(StoreConnections connections, StoreMetrics metrics) {
        this.connections = connections;
        this.metrics = metrics;
    }

    /** @return those that answer, in the order of their pods */
    public List<StoreNode> observe(SessionCluster primary, ManagedStoreSpec managed, Optional<Secret> secret) {
        var password = secret.map(Secret::getData).map(data -> data.get("password"));
        if (password.isEmpty()) {
            return List.of();
        }
        var key = key(primary);
        var last = looks.get(key);
        if (last != null && last.atMillis() + FRESH.toMillis() > clock.millis()) {
            return last.nodes();
        }
        var login = new Login(StoreAcl.USER, new String(Base64.getDecoder().decode(password.get()), UTF_8));
        var nodes = ask(primary, managed, login);
        looks.put(key, new Look(nodes, clock.millis()));
        metrics.tell(key, nodes);
        return nodes;
    }

    public void forget(SessionCluster primary) {
        looks.remove(key(primary));
        metrics.forget(key(primary));
    }

    private static String key(SessionCluster primary) {
        return primary.getMetadata().getNamespace() + "/"
                + primary.getMetadata().getName();
    }

    private List<StoreNode> ask(SessionCluster primary, ManagedStoreSpec managed, Login login) {
        var asked = IntStream.range(0, managed.pods())
                .mapToObj(i -> ask(Names.store(primary) + "-" + i, Names.storeService(primary), login))
                .toList();
        try {
            Future.join(asked)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(StoreConnections.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Those that did not answer in time are those that are missing below.
            return answers(asked);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return answers(asked);
    }

    private static List<StoreNode> answers(List<Future<@Nullable StoreNode>> asked) {
        return asked.stream()
                .filter(Future::succeeded)
                .map(Future::result)
                .filter(Objects::nonNull)
                .toList();
    }

    private Future<@Nullable StoreNode> ask(String pod, String service, Login login) {
        return connections.with(
                pod + "." + service + ":" + Names.STORE_PORT,
                Tls.NONE,
                login,
                connection -> connection
                        .send(Request.cmd(Command.INFO))
                        .map(info -> StoreNode.parse(pod, String.valueOf(info))));
    }
}

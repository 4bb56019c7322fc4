package dev.sojourn.operator.store;

import static java.util.stream.Collectors.toMap;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreConnections.Tls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.vertx.core.Future;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;

/** Asks the servers of a managed store how they are, all at once. */
@ApplicationScoped
public class StoreObserver {

    private static final Logger LOG = Logger.getLogger(StoreObserver.class);

    /** Pods come and go in bursts, and each is a reconciliation: one look serves them all. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** {@code shop-store-10} comes after {@code shop-store-9}. */
    private static final Comparator<Server> BY_ORDINAL =
            Comparator.<Server>comparingInt(server -> server.pod().length()).thenComparing(Server::pod);

    private final StoreConnections connections;
    private final StoreMetrics metrics;
    private final InstantSource clock = InstantSource.system();
    private final Map<ResourceID, Timed> looks = new ConcurrentHashMap<>();
    private final Map<ResourceID, DroppedKeys> dropped = new ConcurrentHashMap<>();

    private record Timed(StoreLook look, long atMillis) {}

    record Server(String pod, Address address) {}

    /** @param view whom it sees, where it is one of a cluster and knows that already */
    record Answer(StoreNode node, String view) {}

    public StoreObserver(StoreConnections connections, StoreMetrics metrics) {
        this.connections = connections;
        this.metrics = metrics;
    }

    /**
     * Servers that are no cluster, by the names of their pods.
     *
     * @param replicas how many pods there are by the StatefulSet
     */
    public StoreLook observe(SessionCluster primary, int replicas, Secret secret) {
        var id = ResourceID.fromResource(primary);
        var last = looks.get(id);
        if (last != null && last.atMillis() + FRESH.toMillis() > clock.millis()) {
            return last.look();
        }
        var servers = podNames(primary, replicas).stream()
                .map(pod -> new Server(pod, new Address(pod + "." + Names.storeService(primary), Names.STORE_PORT)))
                .toList();
        var look = StoreSecret.login(secret)
                .map(login -> ask(servers, login, StoreObserver::alone))
                .map(answers -> new StoreLook(nodes(answers), dropping(id, nodes(answers)), List.of(), Map.of()))
                .orElse(StoreLook.NONE);
        looks.put(id, new Timed(look, clock.millis()));
        tell(primary, replicas, look.nodes());
        return look;
    }

    /**
     * A cluster: anew each time, for its next step is decided by the answers; and all pods, those that are to go included.
     *
     * @param replicas how many pods there should be by the StatefulSet: one without an address, or that is not made, is not among the pods
     */
    public StoreLook observe(SessionCluster primary, int replicas, List<Pod> pods, Secret secret) {
        var servers = pods.stream()
                .filter(pod -> pod.getStatus() != null && pod.getStatus().getPodIP() != null)
                .map(pod -> new Server(
                        pod.getMetadata().getName(), new Address(pod.getStatus().getPodIP(), Names.STORE_PORT)))
                .sorted(BY_ORDINAL)
                .toList();
        var answers = StoreSecret.systemLogin(secret)
                .map(login -> ask(servers, login, StoreObserver::inCluster))
                .orElse(List.of());
        tell(primary, replicas, nodes(answers));
        var dropping = dropping(ResourceID.fromResource(primary), nodes(answers));
        return new StoreLook(nodes(answers), dropping, views(answers), placement(pods));
    }

    Set<String> dropping(ResourceID sessionCluster, List<StoreNode> nodes) {
        var keys = dropped.computeIfAbsent(sessionCluster, id -> new DroppedKeys());
        var now = clock.instant();
        nodes.forEach(node -> keys.look(node.pod(), node.pod(), node.evicted(), now));
        return keys.lately(now);
    }

    /** Of a single one there is no replica that could be out of step; and it may well run where the operator's network does not reach it. */
    private void tell(SessionCluster primary, int replicas, List<StoreNode> nodes) {
        var expected = replicas > 1 ? podNames(primary, replicas) : List.<String>of();
        metrics.tell(ResourceID.fromResource(primary), expected, nodes);
    }

    private static List<String> podNames(SessionCluster primary, int replicas) {
        return IntStream.range(0, replicas)
                .mapToObj(i -> Names.store(primary) + "-" + i)
                .toList();
    }

    public void forget(SessionCluster primary) {
        var id = ResourceID.fromResource(primary);
        looks.remove(id);
        dropped.remove(id);
        metrics.forget(id);
    }

    /** @return what those said that answered in time, in the order in which they were named */
    List<Answer> ask(List<Server> servers, Login login, Function<StoreConnection, Future<String>> view) {
        var asked = servers.stream()
                .map(server -> connections.with(
                        server.address().toString(),
                        Tls.NONE,
                        login,
                        StoreConnections.LONG_ANSWER,
                        connection -> answer(server, connection, view)))
                .toList();
        try {
            connections.await(Future.join(asked));
        } catch (StoreException e) {
            LOG.debugf("not all of %s answer: %s", servers, e.getMessage());
        }
        return asked.stream().filter(Future::succeeded).map(Future::result).toList();
    }

    private static Future<Answer> answer(
            Server server, StoreConnection connection, Function<StoreConnection, Future<String>> view) {
        var info = connection.send(Request.of("INFO")).map(Reply::text);
        var seen = view.apply(connection);
        return info.compose(text -> seen.map(members -> new Answer(StoreNode.parse(server.pod(), text), members)));
    }

    static Future<String> alone(StoreConnection connection) {
        return Future.succeededFuture("");
    }

    /** One that loads its data says how it is, but not yet whom it sees. */
    static Future<String> inCluster(StoreConnection connection) {
        return connection
                .send(Request.of("CLUSTER").arg("NODES"))
                .map(Reply::text)
                .otherwise("");
    }

    private static List<StoreNode> nodes(List<Answer> answers) {
        return answers.stream().map(Answer::node).toList();
    }

    private static List<String> views(List<Answer> answers) {
        return answers.stream()
                .map(Answer::view)
                .filter(view -> !view.isEmpty())
                .toList();
    }

    private static Map<String, String> placement(List<Pod> pods) {
        return pods.stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .collect(toMap(
                        pod -> pod.getMetadata().getName(), pod -> pod.getSpec().getNodeName()));
    }
}

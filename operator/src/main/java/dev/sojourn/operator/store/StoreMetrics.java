package dev.sojourn.operator.store;

import static java.util.stream.Collectors.toMap;

import dev.sojourn.operator.metrics.ClusterGauge;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** What the servers of managed stores said last, for Prometheus: one series per pod. */
@ApplicationScoped
public class StoreMetrics {

    private final ClusterGauge primary;
    private final ClusterGauge inStep;
    private final ClusterGauge memory;
    private final ClusterGauge memoryLimit;
    private final ClusterGauge keys;
    private final ClusterGauge evicted;
    private final ClusterGauge lag;

    public StoreMetrics(MeterRegistry registry) {
        primary = new ClusterGauge(registry, "sojourn.store.primary", "1: takes writes, 0: a replica");
        inStep = new ClusterGauge(
                registry, "sojourn.store.in.step", "1: has what its primary has, 0: has not, or does not answer");
        memory = new ClusterGauge(registry, "sojourn.store.memory.bytes", "used_memory");
        memoryLimit = new ClusterGauge(
                registry, "sojourn.store.memory.limit.bytes", "maxmemory: above it sessions are dropped early");
        keys = new ClusterGauge(registry, "sojourn.store.keys", "sessions, tombstones and indexes");
        evicted = new ClusterGauge(
                registry, "sojourn.store.evicted.keys", "dropped for want of memory since the server started");
        lag = new ClusterGauge(registry, "sojourn.store.replica.lag.bytes", "how far a replica is behind its primary");
    }

    /** @param expected the pods of all servers that should answer */
    void tell(ResourceID sessionCluster, List<String> expected, List<StoreNode> nodes) {
        primary.tell(sessionCluster, each(nodes, node -> node.primary() ? 1 : 0));
        inStep.tell(sessionCluster, steps(expected, nodes));
        memory.tell(sessionCluster, each(nodes, StoreNode::memory));
        memoryLimit.tell(sessionCluster, each(nodes, StoreNode::memoryLimit));
        keys.tell(sessionCluster, each(nodes, StoreNode::keys));
        evicted.tell(sessionCluster, each(nodes, StoreNode::evicted));
        lag.tell(sessionCluster, lags(nodes));
    }

    void forget(ResourceID sessionCluster) {
        Stream.of(primary, inStep, memory, memoryLimit, keys, evicted, lag)
                .forEach(gauge -> gauge.forget(sessionCluster));
    }

    private static Map<Tags, Long> each(List<StoreNode> nodes, ToLongFunction<StoreNode> number) {
        return nodes.stream().collect(toMap(node -> tags(node.pod()), number::applyAsLong));
    }

    /** One that is silent for good, as its container ends again and again or has no node to run on, could not say that it lags. */
    private static Map<Tags, Long> steps(List<String> expected, List<StoreNode> nodes) {
        var steps = new HashMap<>(each(nodes, node -> node.inStep() ? 1 : 0));
        expected.forEach(pod -> steps.putIfAbsent(tags(pod), 0L));
        return steps;
    }

    /** One that was replaced a moment ago may still take itself for the primary of the same replica. */
    private static Map<Tags, Long> lags(List<StoreNode> nodes) {
        return nodes.stream()
                .flatMap(node -> node.lags().entrySet().stream())
                .collect(toMap(lag -> tags(lag.getKey()), Map.Entry::getValue, Math::max));
    }

    private static Tags tags(String pod) {
        return Tags.of("pod", pod);
    }
}

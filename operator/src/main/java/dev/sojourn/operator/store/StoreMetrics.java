package dev.sojourn.operator.store;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** What the servers of managed stores said last, for Prometheus: one series per pod. */
@ApplicationScoped
public class StoreMetrics {

    private final Map<ResourceID, List<StoreNode>> stores = new ConcurrentHashMap<>();
    private final MultiGauge primary;
    private final MultiGauge inStep;
    private final MultiGauge memory;
    private final MultiGauge memoryLimit;
    private final MultiGauge keys;
    private final MultiGauge lag;

    public StoreMetrics(MeterRegistry registry) {
        primary = gauge(registry, "sojourn.store.primary", "1: takes writes, 0: a replica");
        inStep = gauge(registry, "sojourn.store.in.step", "1: has what its primary has");
        memory = gauge(registry, "sojourn.store.memory.bytes", "used_memory");
        memoryLimit =
                gauge(registry, "sojourn.store.memory.limit.bytes", "maxmemory: above it sessions are dropped early");
        keys = gauge(registry, "sojourn.store.keys", "sessions, tombstones and indexes");
        lag = gauge(registry, "sojourn.store.replica.lag.bytes", "how far a replica is behind its primary");
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    void tell(ResourceID sessionCluster, List<StoreNode> nodes) {
        stores.put(sessionCluster, nodes);
        publish();
    }

    void forget(ResourceID sessionCluster) {
        if (stores.remove(sessionCluster) != null) {
            publish();
        }
    }

    private synchronized void publish() {
        primary.register(rows(node -> node.primary() ? 1 : 0), true);
        inStep.register(rows(node -> node.inStep() ? 1 : 0), true);
        memory.register(rows(StoreNode::memory), true);
        memoryLimit.register(rows(StoreNode::memoryLimit), true);
        keys.register(rows(StoreNode::keys), true);
        lag.register(lags(), true);
    }

    /** A number of a server. */
    private interface Number {
        long of(StoreNode node);
    }

    private List<MultiGauge.Row<?>> rows(Number number) {
        return each().<MultiGauge.Row<?>>map(
                        one -> MultiGauge.Row.of(tags(one.store(), one.node().pod()), number.of(one.node())))
                .toList();
    }

    private List<MultiGauge.Row<?>> lags() {
        return each().flatMap(one -> one.node().lags().entrySet().stream()
                        .<MultiGauge.Row<?>>map(
                                lag -> MultiGauge.Row.of(tags(one.store(), lag.getKey()), lag.getValue())))
                .toList();
    }

    private record One(ResourceID store, StoreNode node) {}

    private Stream<One> each() {
        return stores.entrySet().stream()
                .flatMap(store -> store.getValue().stream().map(node -> new One(store.getKey(), node)));
    }

    private static Tags tags(ResourceID store, String pod) {
        return Tags.of("namespace", store.getNamespace().orElse(""), "sessioncluster", store.getName(), "pod", pod);
    }
}

package dev.sojourn.operator.metrics;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A gauge with series of each SessionCluster. What is told of one touches no other's, however many there are; and a series that stays is
 * never registered anew: it would be missing from a scrape in between, Prometheus would take it for ended, and the {@code for} of an alert
 * would begin again.
 */
public final class ClusterGauge {

    private final MeterRegistry registry;
    private final String name;
    private final String description;
    private final Map<ResourceID, Map<Tags, Series>> clusters = new HashMap<>();

    private record Series(Gauge gauge, AtomicLong value) {}

    public ClusterGauge(MeterRegistry registry, String name, String description) {
        this.registry = registry;
        this.name = name;
        this.description = description;
    }

    /** @param values of all series that it has from now on, by what tells them apart */
    public synchronized void tell(ResourceID sessionCluster, Map<Tags, Long> values) {
        var all = clusters.computeIfAbsent(sessionCluster, id -> new HashMap<>());
        all.entrySet().removeIf(series -> {
            var hasGone = !values.containsKey(series.getKey());
            if (hasGone) {
                registry.remove(series.getValue().gauge());
            }
            return hasGone;
        });
        values.forEach((tags, value) -> all.computeIfAbsent(tags, added -> register(sessionCluster, tags, value))
                .value()
                .set(value));
    }

    public synchronized void forget(ResourceID sessionCluster) {
        tell(sessionCluster, Map.of());
        clusters.remove(sessionCluster);
    }

    private Series register(ResourceID sessionCluster, Tags tags, long first) {
        var value = new AtomicLong(first);
        var gauge = Gauge.builder(name, value::get)
                .description(description)
                .tags("namespace", sessionCluster.getNamespace().orElse(""), "sessioncluster", sessionCluster.getName())
                .tags(tags)
                .register(registry);
        return new Series(gauge, value);
    }
}

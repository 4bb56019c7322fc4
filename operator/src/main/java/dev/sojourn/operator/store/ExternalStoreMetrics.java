package dev.sojourn.operator.store;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import dev.sojourn.operator.metrics.ClusterGauge;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** What the servers of stores brought along said last, for Prometheus: one series per server that was asked. */
@ApplicationScoped
public class ExternalStoreMetrics {

    private final ClusterGauge dropped;

    public ExternalStoreMetrics(MeterRegistry registry) {
        // Not what the server counts: behind one name there may be several in turn.
        dropped = new ClusterGauge(
                registry,
                "sojourn.store.external.evicted.keys",
                "dropped for want of memory since the operator first looked, whoever's they were");
    }

    /** @param servers of all stores that the SessionCluster names */
    public void tell(ResourceID sessionCluster, List<ServerMemory> servers) {
        dropped.tell(
                sessionCluster,
                servers.stream()
                        .filter(server -> server.dropped() != null)
                        .collect(toMap(
                                server -> Tags.of("server", server.server()),
                                server -> requireNonNull(server.dropped()),
                                Math::max)));
    }

    public void forget(ResourceID sessionCluster) {
        dropped.forget(sessionCluster);
    }
}

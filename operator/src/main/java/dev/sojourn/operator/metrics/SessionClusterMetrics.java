package dev.sojourn.operator.metrics;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * What the statuses say, for Prometheus. Only the leader writes statuses: a standby has no series of them. Made at the start, and not with
 * the first SessionCluster: by the count of failures an alert sees that there is an operator.
 */
@Startup
@ApplicationScoped
public class SessionClusterMetrics {

    private static final List<String> STATES = List.of("True", "False");

    private final Map<ResourceID, SessionClusterStatus> statuses = new ConcurrentHashMap<>();
    private final MultiGauge conditions;
    private final MultiGauge injected;
    private final MultiGauge wanted;
    private final Counter failures;

    public SessionClusterMetrics(MeterRegistry registry) {
        conditions = gauge(registry, "sojourn.sessioncluster.condition", "1 for the status that the condition has");
        injected = gauge(registry, "sojourn.sessioncluster.pods.injected", "pods that run with the sidecar");
        wanted = gauge(registry, "sojourn.sessioncluster.pods.wanted", "pods that the workload wants");
        // Registered before the first failure: a series that begins at 1 has never increased.
        failures = Counter.builder("sojourn.reconcile.failures")
                .description("reconciliations that ended in an error and are tried again")
                .register(registry);
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    public void tell(SessionCluster sessionCluster, SessionClusterStatus status) {
        statuses.put(ResourceID.fromResource(sessionCluster), status);
        publish();
    }

    public void forget(SessionCluster sessionCluster) {
        statuses.remove(ResourceID.fromResource(sessionCluster));
        publish();
    }

    public void countFailure() {
        failures.increment();
    }

    private synchronized void publish() {
        conditions.register(
                statuses.entrySet().stream()
                        .<MultiGauge.Row<?>>flatMap(one -> one.getValue().conditions().stream()
                                .flatMap(condition -> rows(tags(one.getKey()), condition)))
                        .toList(),
                true);
        injected.register(rows(SessionClusterStatus::injectedPods), true);
        wanted.register(rows(SessionClusterStatus::totalPods), true);
    }

    /** One of them is 1, so that "not True" is a series too, and not the lack of one. */
    private static Stream<MultiGauge.Row<?>> rows(Tags tags, Condition condition) {
        return STATES.stream()
                .map(state -> MultiGauge.Row.of(
                        tags.and("type", condition.getType(), "status", state),
                        state.equals(condition.getStatus()) ? 1 : 0));
    }

    /** A number of a status. */
    private interface Number {
        long of(SessionClusterStatus status);
    }

    private List<MultiGauge.Row<?>> rows(Number number) {
        return statuses.entrySet().stream()
                .<MultiGauge.Row<?>>map(one -> MultiGauge.Row.of(tags(one.getKey()), number.of(one.getValue())))
                .toList();
    }

    private static Tags tags(ResourceID id) {
        return Tags.of("namespace", id.getNamespace().orElse(""), "sessioncluster", id.getName());
    }
}

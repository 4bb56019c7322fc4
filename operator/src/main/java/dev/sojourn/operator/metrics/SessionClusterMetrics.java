package dev.sojourn.operator.metrics;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.status.Finding;
import io.fabric8.kubernetes.api.model.Condition;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the statuses say, for Prometheus. Only the leader writes statuses: a standby has no series of them. Made at the start, and not with
 * the first SessionCluster: by the count of failures an alert sees that there is an operator.
 */
@Startup
@ApplicationScoped
public class SessionClusterMetrics {

    private final ClusterGauge conditions;
    private final ClusterGauge injected;
    private final ClusterGauge wanted;
    private final Counter failures;
    private final MeterRegistry registry;

    public SessionClusterMetrics(MeterRegistry registry) {
        this.registry = registry;
        conditions = new ClusterGauge(
                registry, "sojourn.sessioncluster.condition", "1 for the status that the condition has");
        injected = new ClusterGauge(registry, "sojourn.sessioncluster.pods.injected", "pods that run with the sidecar");
        wanted = new ClusterGauge(
                registry,
                "sojourn.sessioncluster.pods.wanted",
                "pods that the workload wants; at least 1 of one that had the sidecar and has gone");
        // Registered before the first failure: a series that begins at 1 has never increased.
        failures = Counter.builder("sojourn.reconcile.failures")
                .description("reconciliations that ended in an error and are tried again")
                .register(registry);
    }

    public void tell(SessionCluster sessionCluster, SessionClusterStatus status) {
        var id = ResourceID.fromResource(sessionCluster);
        conditions.tell(id, states(status.conditions()));
        injected.tell(id, Map.of(Tags.empty(), (long) status.injectedPods()));
        wanted.tell(id, Map.of(Tags.empty(), wanted(status)));
    }

    public void forget(SessionCluster sessionCluster) {
        var id = ResourceID.fromResource(sessionCluster);
        conditions.forget(id);
        injected.forget(id);
        wanted.forget(id);
    }

    /** By namespace only: what was deleted is named nowhere else for long, and series of theirs would pile up. */
    public void countDeletedStore(SessionCluster sessionCluster) {
        registry.counter(
                        "sojourn.stores.deleted",
                        "namespace",
                        sessionCluster.getMetadata().getNamespace())
                .increment();
    }

    public void countFailure() {
        failures.increment();
    }

    /**
     * Nobody wants pods of a workload that is not there. But one that once had the sidecar (only then is there anything that pods are given)
     * and has gone leaves Envoys without an endpoint: by a pod that is wanted an alert tells it from one that is still to come.
     */
    private static long wanted(SessionClusterStatus status) {
        var isMissed = status.injection() != null
                && status.conditions().stream()
                        .anyMatch(
                                condition -> ConditionType.InjectionReady.name().equals(condition.getType())
                                        && "WorkloadNotFound".equals(condition.getReason()));
        return isMissed ? Math.max(1, status.totalPods()) : status.totalPods();
    }

    /** One of each condition's is 1, so that "not True" is a series too, and not the lack of one. */
    private static Map<Tags, Long> states(List<Condition> conditions) {
        var states = new HashMap<Tags, Long>();
        for (var condition : conditions) {
            for (var state : Finding.Status.values()) {
                states.put(
                        Tags.of("type", condition.getType(), "status", state.name()),
                        state.name().equals(condition.getStatus()) ? 1L : 0L);
            }
        }
        return states;
    }
}

package dev.sojourn.operator.reconcile;

import static java.util.stream.Collectors.joining;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.event.Events;
import io.fabric8.kubernetes.api.model.Pod;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** How far the roll-backs of deleted SessionClusters are, and what they wait for. */
@ApplicationScoped
public class Farewells {

    private final Events events;

    /**
     * By uid: one may go without us, whose finalizer somebody takes away, and another have its name. Lost with the operator: the next one waits
     * anew, which costs nothing but time.
     */
    private final Map<String, Farewell> underWay = new ConcurrentHashMap<>();

    public Farewells(Events events) {
        this.events = events;
    }

    /** @param pods that still have the sidecar */
    boolean isOver(SessionCluster primary, List<Workload> workloads, List<Pod> pods, Instant now) {
        var id = primary.getMetadata().getUid();
        var before = underWay.get(id);
        var farewell = Farewell.next(before, pods.size(), now);
        underWay.put(id, farewell);
        var isOver = farewell.isOver(now, ending(pods));
        tell(primary, before, isOver, workloads, pods);
        if (isOver) {
            underWay.remove(id);
        }
        return isOver;
    }

    private static Optional<Instant> ending(List<Pod> pods) {
        return pods.stream()
                .flatMap(pod -> Optional.ofNullable(pod.getMetadata().getDeletionTimestamp()).stream())
                .map(Instant::parse)
                .max(Comparator.naturalOrder());
    }

    private void tell(
            SessionCluster primary,
            @Nullable Farewell before,
            boolean isOver,
            List<Workload> workloads,
            List<Pod> pods) {
        if (pods.isEmpty() || (before != null && !isOver)) {
            return;
        }
        var message = pods.size() + " pods still have the sidecar: "
                + PodNames.of(
                        pods.stream().map(pod -> pod.getMetadata().getName()).toList());
        if (isOver) {
            events.warning(
                    primary,
                    "RollBackHangs",
                    message + "; none has gone for " + Farewell.LONGEST.toMinutes() + " minutes, and store and proxy go"
                            + " now: requests to these pods wait for a store that is not there; delete them");
        } else {
            events.normal(
                    primary,
                    "RollingBack",
                    message + "; store and proxy stay until they are gone, or none of them goes for "
                            + Farewell.LONGEST.toMinutes() + " minutes"
                            + workloads.stream()
                                    .flatMap(workload -> workload.held().stream())
                                    .map(held -> "; " + held)
                                    .collect(joining()));
        }
    }
}

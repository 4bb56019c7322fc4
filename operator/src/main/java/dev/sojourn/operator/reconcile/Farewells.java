package dev.sojourn.operator.reconcile;

import static java.util.stream.Collectors.joining;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.metrics.SessionClusterMetrics;
import io.fabric8.kubernetes.api.model.HasMetadata;
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

    /** The garbage collector's: it takes the SessionCluster from the owners of all that is its. */
    private static final String ORPHAN = "orphan";

    /** The garbage collector's too: it deletes all that is the SessionCluster's at once, whatever waits for it. */
    private static final String FOREGROUND = "foregroundDeletion";

    private final Events events;
    private final SessionClusterMetrics metrics;

    /**
     * By uid: one may go without us, whose finalizer somebody takes away, and another have its name. Lost with the operator: the next one waits
     * anew, which costs nothing but time.
     */
    private final Map<String, Farewell> underWay = new ConcurrentHashMap<>();

    public Farewells(Events events, SessionClusterMetrics metrics) {
        this.events = events;
        this.metrics = metrics;
    }

    /**
     * A managed store that goes with the SessionCluster, and all sessions in it.
     *
     * @param atOnce nothing can keep it any more
     */
    record GoingStore(boolean atOnce) {

        /** @param there its StatefulSet; where it has gone already, what pods were told of says that there was one */
        static Optional<GoingStore> of(SessionCluster primary, Optional<? extends HasMetadata> there) {
            if (primary.getMetadata().getFinalizers().contains(ORPHAN)) {
                return Optional.empty();
            }
            if (there.isEmpty()) {
                return Optional.ofNullable(primary.getStatus())
                        .map(SessionClusterStatus::injection)
                        .filter(given -> KeptStore.isNamed(primary, given))
                        .map(given -> new GoingStore(true));
            }
            return there.filter(set -> set.hasOwnerReferenceFor(primary))
                    .map(set -> new GoingStore(
                            isForeground(primary) || set.getMetadata().getDeletionTimestamp() != null));
        }
    }

    private static boolean isForeground(SessionCluster primary) {
        return primary.getMetadata().getFinalizers().contains(FOREGROUND);
    }

    /**
     * @param store where there is one
     * @param pods that still have the sidecar
     */
    boolean isOver(
            SessionCluster primary, Optional<GoingStore> store, List<Workload> workloads, List<Pod> pods, Instant now) {
        var id = primary.getMetadata().getUid();
        var before = underWay.get(id);
        var farewell = Farewell.next(before, pods.size(), now);
        underWay.put(id, farewell);
        if (before == null) {
            store.ifPresent(going -> tell(primary, going, pods.isEmpty()));
        }
        var isOver = farewell.isOver(now, ending(pods));
        tell(primary, before, isOver, workloads, pods);
        if (isOver) {
            underWay.remove(id);
        }
        return isOver;
    }

    /** Its series and the alerts on them end now: somebody may have meant another one. */
    private void tell(SessionCluster primary, GoingStore store, boolean isNow) {
        metrics.countDeletedStore(primary);
        events.warning(
                primary,
                "StoreGoes",
                "StatefulSet " + Names.store(primary) + " goes with this SessionCluster, and all sessions in it"
                        + when(primary, store, isNow));
    }

    private static String when(SessionCluster primary, GoingStore store, boolean isNow) {
        if (store.atOnce()) {
            return ", now: it was deleted before its pods could roll back, as --cascade=foreground has it, and nothing"
                    + " keeps it any more";
        }
        return isNow
                ? ", now"
                : ", when no pod has the sidecar any more; if that is not meant, before then: kubectl delete"
                        + " sessioncluster "
                        + primary.getMetadata().getName()
                        + " --cascade=orphan --wait=false, which has it stay; then make the SessionCluster"
                        + " anew, as it was";
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
                    message
                            + (isForeground(primary)
                                    ? "; store and proxy go now, for the deletion is one in the foreground"
                                    : "; store and proxy stay until they are gone, or none of them goes for "
                                            + Farewell.LONGEST.toMinutes() + " minutes")
                            + workloads.stream()
                                    .flatMap(workload -> workload.held().stream())
                                    .map(held -> "; " + held)
                                    .collect(joining()));
        }
    }
}

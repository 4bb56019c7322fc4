package dev.sojourn.operator.reconcile;

import static java.util.Comparator.comparing;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Which of the SessionClusters that name one workload has it. Pure. The one whose label its template has: its pods keep their sessions there,
 * and an older SessionCluster that comes to name it would log everybody out. Where the label has gone, with a template that was replaced,
 * the one that had it. Else the oldest.
 */
final class Claim {

    /** The reason of those that do not have it. */
    static final String TAKEN = "WorkloadTaken";

    private static final Comparator<SessionCluster> FIRST = comparing(Claim::mayHaveHad)
            .thenComparing(Claim::isOfThisSpec)
            .reversed()
            .thenComparing(cluster -> cluster.getMetadata().getCreationTimestamp())
            .thenComparing(cluster -> cluster.getMetadata().getName());

    private Claim() {}

    /** @param claimants all that name it */
    static Optional<String> holder(List<SessionCluster> claimants, Optional<Workload> workload) {
        var names = claimants.stream()
                .filter(cluster -> cluster.getMetadata().getDeletionTimestamp() == null)
                .sorted(FIRST)
                .map(cluster -> cluster.getMetadata().getName())
                .toList();
        return workload.map(there -> there.labels().get(Names.CLUSTER_LABEL))
                .filter(names::contains)
                .or(() -> names.stream().findFirst());
    }

    /** Pods were given something for it, and it was not told that the workload is another one's. */
    private static boolean mayHaveHad(SessionCluster cluster) {
        return Optional.ofNullable(cluster.getStatus())
                .filter(status -> status.injection() != null)
                .filter(status -> !isTaken(status))
                .isPresent();
    }

    private static boolean isTaken(SessionClusterStatus status) {
        return status.conditions().stream()
                .anyMatch(condition -> ConditionType.InjectionReady.name().equals(condition.getType())
                        && TAKEN.equals(condition.getReason()));
    }

    /** One that has just been changed may have had another workload before. */
    private static boolean isOfThisSpec(SessionCluster cluster) {
        return Optional.ofNullable(cluster.getStatus())
                .map(SessionClusterStatus::observedGeneration)
                .filter(seen -> Objects.equals(seen, cluster.getMetadata().getGeneration()))
                .isPresent();
    }
}

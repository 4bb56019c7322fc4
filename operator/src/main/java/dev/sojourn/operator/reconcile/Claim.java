package dev.sojourn.operator.reconcile;

import static java.util.Comparator.comparing;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Optional;

/**
 * Which of the SessionClusters that name one workload has it. Pure. The one whose label its template has: its pods keep their sessions there,
 * and an older SessionCluster that comes to name it would log everybody out. Else the oldest.
 */
final class Claim {

    private Claim() {}

    /** @param claimants all that name it */
    static Optional<String> holder(List<SessionCluster> claimants, Optional<Workload> workload) {
        var names = claimants.stream()
                .map(SessionCluster::getMetadata)
                .filter(meta -> meta.getDeletionTimestamp() == null)
                .sorted(comparing(ObjectMeta::getCreationTimestamp).thenComparing(ObjectMeta::getName))
                .map(ObjectMeta::getName)
                .toList();
        return workload.map(there -> there.labels().get(Names.CLUSTER_LABEL))
                .filter(names::contains)
                .or(() -> names.stream().findFirst());
    }
}

package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Map;
import java.util.Optional;

/** A managed store that stayed when its SessionCluster was deleted ({@code --cascade=orphan}), as a new one of that name finds it. */
final class LeftStore {

    private LeftStore() {}

    /** One whose owner is another SessionCluster is about to go with that. */
    static boolean isLeft(StatefulSet store) {
        return store.getMetadata().getDeletionTimestamp() == null
                && Optional.ofNullable(store.getMetadata().getOwnerReferences()).stream()
                        .flatMap(owners -> owners.stream().map(OwnerReference::getKind))
                        .noneMatch(HasMetadata.getKind(SessionCluster.class)::equals);
    }

    /** The command for those who do not need its sessions. */
    static String deletion(StatefulSet store) {
        var labels = Optional.ofNullable(store.getMetadata().getLabels()).orElse(Map.of());
        return "kubectl delete statefulset,service,secret,configmap,networkpolicy,poddisruptionbudget -l "
                + Names.OWNED_BY_LABEL + "=" + labels.get(Names.OWNED_BY_LABEL) + ","
                + Names.COMPONENT_LABEL + "=" + labels.get(Names.COMPONENT_LABEL);
    }
}

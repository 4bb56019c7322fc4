package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Optional;

/**
 * The managed store that sessions are in, and that a new spec names no more. It would be deleted with its volumes, whether there are pods or
 * not, and nothing brings its sessions back: of a store that is brought along they stay where they are. Pure.
 */
final class DroppedStore {

    private DroppedStore() {}

    /** Sessions that are to go are given up by whoever names the StatefulSet by its UID: that holds for this one store, and for no later one. */
    static Optional<Refusal> refusal(SessionCluster sessionCluster, Observation seen) {
        if (sessionCluster.getSpec().store().managed() != null
                || seen.accepted()
                        .filter(given -> KeptStore.isNamed(sessionCluster, given))
                        .isEmpty()) {
            return Optional.empty();
        }
        var isMain = seen.accepted()
                .filter(given -> KeptStore.isMain(sessionCluster, given))
                .isPresent();
        // Of one on their way from it, or to it, whoever lets it go has been told by sidecars that it is empty.
        return isMain || seen.keepers().isEmpty() ? refusal(sessionCluster, seen, isMain) : Optional.empty();
    }

    private static Optional<Refusal> refusal(SessionCluster sessionCluster, Observation seen, boolean isMain) {
        return seen.store()
                .filter(set -> !LeftStore.isLeft(set) && !isGivenUp(sessionCluster, set))
                .map(set -> new Refusal(
                        ConditionType.InjectionReady,
                        "StepSkipped",
                        "spec.store: the managed store " + (isMain ? "has the" : "may have")
                                + " sessions, is named no more, and would be deleted with them; "
                                + (isMain
                                        ? "to take them along, first let it be the store again and the new one"
                                                + " spec.store.next"
                                        : "no pod is there whose sidecar could say that it is empty: name it again until"
                                                + " one has said so")
                                + "; if they may go: kubectl annotate --overwrite sessioncluster "
                                + sessionCluster.getMetadata().getName() + " " + Names.GIVEN_UP_ANNOTATION + "="
                                + set.getMetadata().getUid()));
    }

    private static boolean isGivenUp(SessionCluster sessionCluster, StatefulSet store) {
        return Optional.ofNullable(sessionCluster.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.GIVEN_UP_ANNOTATION))
                .filter(uid -> uid.equals(store.getMetadata().getUid()))
                .isPresent();
    }
}

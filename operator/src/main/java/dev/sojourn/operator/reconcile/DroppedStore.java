package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Optional;
import java.util.stream.Stream;

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
                        .filter(given -> isManaged(sessionCluster, given))
                        .isEmpty()) {
            return Optional.empty();
        }
        return seen.store()
                .filter(set -> !LeftStore.isLeft(set) && !isGivenUp(sessionCluster, set))
                .map(set -> new Refusal(
                        ConditionType.InjectionReady,
                        "StepSkipped",
                        "spec.store: the managed store has the sessions, is named no more, and would be deleted with them;"
                                + " to take them along, first let it be the store again and the new one spec.store.next;"
                                + " if they may go: kubectl annotate --overwrite sessioncluster "
                                + sessionCluster.getMetadata().getName() + " " + Names.GIVEN_UP_ANNOTATION + "="
                                + set.getMetadata().getUid()));
    }

    /** Of any topology: a spec that names none has the default one. */
    private static boolean isManaged(SessionCluster sessionCluster, InjectionSettings given) {
        return Stream.of(Topology.values())
                .map(topology -> Names.storeUrl(sessionCluster, topology))
                .anyMatch(given.storeUrl()::equals);
    }

    private static boolean isGivenUp(SessionCluster sessionCluster, StatefulSet store) {
        return Optional.ofNullable(sessionCluster.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.GIVEN_UP_ANNOTATION))
                .filter(uid -> uid.equals(store.getMetadata().getUid()))
                .isPresent();
    }
}

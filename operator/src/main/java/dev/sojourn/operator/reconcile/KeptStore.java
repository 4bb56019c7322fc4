package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The managed store that pods were told of, where a new spec names none. As long as that spec is refused the store has the sessions, and is
 * looked at, tended and judged as it was accepted. Pure.
 */
final class KeptStore {

    private KeptStore() {}

    /** @return the managed store as the spec describes it, or, where it names none, as far as is known of the one that was accepted */
    static Optional<ManagedStoreSpec> of(
            SessionCluster sessionCluster, Optional<StatefulSet> store, Optional<InjectionSettings> accepted) {
        return Optional.ofNullable(sessionCluster.getSpec().store().managed())
                .or(() -> store.filter(set -> !LeftStore.isLeft(set))
                        .flatMap(set -> accepted.flatMap(given -> topology(sessionCluster, given))
                                .map(topology -> described(topology, set))));
    }

    /** Whether sessions are kept in it, and not only on their way from it or to it. */
    static boolean isMain(SessionCluster sessionCluster, InjectionSettings given) {
        return topology(sessionCluster, given.storeUrl()).isPresent();
    }

    /** Whether pods were told of it at all. */
    static boolean isNamed(SessionCluster sessionCluster, InjectionSettings given) {
        return topology(sessionCluster, given).isPresent();
    }

    /** Of one that was made by an earlier release it is not known which of its pods are to be primaries. */
    static boolean isShapeKnown(StatefulSet set) {
        return annotation(set, Names.SHARDS_ANNOTATION).isPresent();
    }

    private static Optional<Topology> topology(SessionCluster sessionCluster, InjectionSettings given) {
        return Stream.of(Optional.of(given.store()), Optional.ofNullable(given.otherStore()))
                .flatMap(Optional::stream)
                .flatMap(access -> topology(sessionCluster, access.url()).stream())
                .findFirst();
    }

    /** Of any topology: a spec that names none has the default one. */
    private static Optional<Topology> topology(SessionCluster sessionCluster, String url) {
        return Stream.of(Topology.values())
                .filter(topology -> url.equals(Names.storeUrl(sessionCluster, topology)))
                .findFirst();
    }

    private static ManagedStoreSpec described(Topology topology, StatefulSet set) {
        int pods = set.getSpec() == null ? 1 : set.getSpec().getReplicas();
        return switch (topology) {
            case Standalone -> ManagedStoreSpec.of(topology, null, null);
            case Replicated -> ManagedStoreSpec.of(topology, pods - 1, null);
            case Sharded ->
                ManagedStoreSpec.of(
                        topology,
                        annotation(set, Names.COPIES_ANNOTATION).orElse(1),
                        annotation(set, Names.SHARDS_ANNOTATION).orElse(pods / 2));
        };
    }

    private static Optional<Integer> annotation(StatefulSet set, String name) {
        return Optional.ofNullable(set.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(name))
                .map(Integer::valueOf);
    }
}

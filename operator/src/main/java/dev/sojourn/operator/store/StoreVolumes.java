package dev.sojourn.operator.store;

import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.StorageSpec;
import dev.sojourn.operator.status.Words;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.EditReplacePatchable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How large the volumes of a store's pods are. A StatefulSet hands them out once and cannot be told of another size: where they are to grow
 * each claim is asked for more, and the set is made anew around its pods, which go on.
 */
public final class StoreVolumes {

    static final String CLAIM = "data";

    private StoreVolumes() {}

    static Quantity wanted(ManagedStoreSpec managed) {
        var storage = Objects.requireNonNullElseGet(managed.storage(), () -> new StorageSpec(null, null));
        return new Quantity(storage.size());
    }

    /** Above 0 if they are to grow, below if they are to shrink. */
    static int growth(StatefulSet there, ManagedStoreSpec managed) {
        return size(there)
                .map(size -> Quantity.getAmountInBytes(wanted(managed)).compareTo(Quantity.getAmountInBytes(size)))
                .orElse(0);
    }

    /**
     * Whether it is time for it: made anew, a set has no more pods than are wanted, and shards that are still to be emptied would be gone with
     * their sessions.
     */
    static boolean canGrow(StatefulSet there, ManagedStoreSpec managed) {
        return growth(there, managed) > 0 && there.getSpec().getReplicas() <= managed.pods();
    }

    /** What a set hands out: one that is there cannot be told of another size. */
    static Quantity handedOut(Optional<StatefulSet> there, ManagedStoreSpec managed) {
        return there.flatMap(StoreVolumes::size).orElseGet(() -> wanted(managed));
    }

    private static Optional<Quantity> size(StatefulSet there) {
        return there.getSpec() == null
                ? Optional.empty()
                : there.getSpec().getVolumeClaimTemplates().stream()
                        .filter(claim -> CLAIM.equals(claim.getMetadata().getName()))
                        .map(claim ->
                                claim.getSpec().getResources().getRequests().get("storage"))
                        .findFirst();
    }

    /** Why they cannot have the size that is wanted. Whether a storage class lets its volumes grow is the API server's to say, which is asked. */
    public static Optional<String> trouble(
            SessionCluster primary, ManagedStoreSpec managed, StatefulSet there, KubernetesClient client) {
        int growth = growth(there, managed);
        if (growth < 0) {
            return size(there)
                    .map(size -> field(managed) + ": the volumes have " + size + " and cannot shrink; write " + size
                            + " or more");
        }
        if (growth == 0) {
            return Optional.empty();
        }
        try {
            claims(primary, client).forEach(claim -> ask(claim.dryRun(), managed));
            return Optional.empty();
        } catch (KubernetesClientException e) {
            return Optional.of(field(managed) + ": the volumes cannot grow: " + Words.of(e) + "; write "
                    + size(there).orElseThrow() + " as before, or move to another store");
        }
    }

    private static String field(ManagedStoreSpec managed) {
        return "spec.store.managed.storage.size: " + wanted(managed);
    }

    /** The claims first: who is interrupted finds the set as it was, and asks once more. */
    static void grow(SessionCluster primary, ManagedStoreSpec managed, StatefulSet there, KubernetesClient client) {
        claims(primary, client).forEach(claim -> ask(claim, managed));
        client.apps()
                .statefulSets()
                .inNamespace(there.getMetadata().getNamespace())
                .withName(there.getMetadata().getName())
                .withPropagationPolicy(DeletionPropagation.ORPHAN)
                .delete();
    }

    /** Those of pods that are not there now too: they come back to them. */
    private static Stream<Resource<PersistentVolumeClaim>> claims(SessionCluster primary, KubernetesClient client) {
        return client.persistentVolumeClaims()
                .inNamespace(primary.getMetadata().getNamespace())
                .withLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .resources();
    }

    private static void ask(EditReplacePatchable<PersistentVolumeClaim> claim, ManagedStoreSpec managed) {
        var size = wanted(managed).toString();
        var patch = "{\"spec\": {\"resources\": {\"requests\": {\"storage\": \"" + size + "\"}}}}";
        claim.patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }
}

package dev.sojourn.operator.api;

import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Optional;

/** The names that all parts of Sojourn share, and those of the objects made for a SessionCluster. */
public final class Names {

    /** On pod templates: selects and injects. Never on our own pods. */
    public static final String CLUSTER_LABEL = "sojourn.dev/cluster";
    /** On pod templates: rolls the pods when their settings change. */
    public static final String CONFIG_ANNOTATION = "sojourn.dev/config";
    /** On pods, by the webhook. */
    public static final String INJECTED_ANNOTATION = "sojourn.dev/injected";
    /** On pods, by the webhook: the sidecar's image as it was given, whatever others have made of it since. */
    public static final String INJECTED_IMAGE_ANNOTATION = "sojourn.dev/injected-image";
    /** On pods, by the webhook: why it left the pod alone. */
    public static final String NOT_INJECTED_ANNOTATION = "sojourn.dev/not-injected";
    /** On pods, by their operator, at any time: what the sidecar may do by itself. */
    public static final String LIMITS_ANNOTATION = "sojourn.dev/limits";
    /** On a SessionCluster, by whoever wrote it: the UID of the managed store's StatefulSet that may be deleted with the sessions in it. */
    public static final String GIVEN_UP_ANNOTATION = "sojourn.dev/given-up-store";
    /** On our own objects: the SessionCluster they serve. */
    public static final String OWNED_BY_LABEL = "sojourn.dev/owned-by";
    /** On our own pod templates: rolls them when their configuration changes. */
    public static final String CHECKSUM_ANNOTATION = "sojourn.dev/checksum";

    /** On a store's StatefulSet: what of it cannot change. */
    public static final String FIXED_ANNOTATION = "sojourn.dev/fixed";

    /** On a Sharded store's StatefulSet: how many primaries it was last meant to have, which its number of pods does not tell. */
    public static final String SHARDS_ANNOTATION = "sojourn.dev/shards";

    /** On a Sharded store's StatefulSet: how many copies beside each. */
    public static final String COPIES_ANNOTATION = "sojourn.dev/copies";

    public static final String MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";
    public static final String COMPONENT_LABEL = "app.kubernetes.io/component";
    public static final String MANAGER = "sojourn";

    public static final String SIDECAR_CONTAINER = "sojourn";
    public static final int STORE_PORT = 6379;
    public static final int SENTINEL_PORT = 26379;
    /** Where the members of a Valkey cluster talk to each other. */
    public static final int CLUSTER_BUS_PORT = 16379;
    /** What Sentinels call the one primary that they watch. */
    public static final String PRIMARY = "sojourn";

    private Names() {}

    public static String store(HasMetadata sessionCluster) {
        return sessionCluster.getMetadata().getName() + "-store";
    }

    public static String proxy(HasMetadata sessionCluster) {
        return sessionCluster.getMetadata().getName() + "-proxy";
    }

    /** Whether the store or the proxy of this SessionCluster is called so, or would be. */
    public static boolean isOwn(HasMetadata sessionCluster, WorkloadRef workload) {
        var own = switch (workload.kind()) {
            case Deployment -> proxy(sessionCluster);
            case StatefulSet -> store(sessionCluster);
        };
        return workload.name().equals(own);
    }

    /** Whether it was made for this SessionCluster. One of the user's may have the name. */
    public static boolean isMadeFor(HasMetadata sessionCluster, HasMetadata object) {
        return Optional.ofNullable(object.getMetadata().getLabels())
                .map(labels -> labels.get(OWNED_BY_LABEL))
                .filter(sessionCluster.getMetadata().getName()::equals)
                .isPresent();
    }

    /** The name of all store pods together; theirs are {@code <pod>.<this>}. */
    public static String storeService(HasMetadata sessionCluster) {
        return store(sessionCluster) + "." + sessionCluster.getMetadata().getNamespace() + ".svc";
    }

    /** One name stands for all pods: their number is no setting of the sidecars. */
    public static String storeUrl(HasMetadata sessionCluster, Topology topology) {
        var service = storeService(sessionCluster);
        return switch (topology) {
            case Standalone -> "redis://" + service + ":" + STORE_PORT;
            case Replicated -> "redis-sentinel://" + service + ":" + SENTINEL_PORT + "#" + PRIMARY;
            case Sharded -> "redis-cluster://" + service + ":" + STORE_PORT;
        };
    }

    public static Map<String, String> labels(HasMetadata sessionCluster, String component) {
        return Map.of(
                MANAGED_BY_LABEL, MANAGER,
                COMPONENT_LABEL, component,
                OWNED_BY_LABEL, sessionCluster.getMetadata().getName());
    }
}

package dev.sojourn.operator.reconcile;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.Names;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The merge patches of the user's pod template: one label and one annotation, and nothing else ever. */
final class TemplatePatch {

    static final String RELEASE = patch(null, null);

    private TemplatePatch() {}

    /** Empty when the template already says so. */
    static Optional<String> inject(Workload workload, String cluster, String hash) {
        var isThere = cluster.equals(workload.labels().get(Names.CLUSTER_LABEL))
                && hash.equals(workload.annotations().get(Names.CONFIG_ANNOTATION));
        return isThere ? Optional.empty() : Optional.of(patch(cluster, hash));
    }

    /** Empty when the template is not this SessionCluster's. */
    static Optional<String> release(Workload workload, String cluster) {
        var isOurs = cluster.equals(workload.labels().get(Names.CLUSTER_LABEL));
        return isOurs ? Optional.of(RELEASE) : Optional.empty();
    }

    /** A null takes the key away. */
    private static String patch(@Nullable String label, @Nullable String annotation) {
        var root = new ObjectNode(JsonNodeFactory.instance);
        var metadata = root.putObject("spec").putObject("template").putObject("metadata");
        metadata.putObject("labels").put(Names.CLUSTER_LABEL, label);
        metadata.putObject("annotations").put(Names.CONFIG_ANNOTATION, annotation);
        return root.toString();
    }
}

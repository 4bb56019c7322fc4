package dev.sojourn.operator.dependent;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import org.jspecify.annotations.Nullable;

/** What a container asks for that stands beside the one whose resources the user may set. */
public final class HelperResources {

    /** So much that no helper is ever throttled for long. */
    public static final Quantity CPU_LIMIT = new Quantity("200m");

    private HelperResources() {}

    /**
     * A quota on {@code limits.cpu} refuses a pod of which one container has no limit: whoever limits the one limits its helper. By
     * default neither is, for throttling would be felt in every request.
     *
     * @param users those of the container that it stands beside
     */
    public static ResourceRequirements beside(@Nullable ResourceRequirements users, ResourceRequirements own) {
        var isLimited =
                users != null && users.getLimits() != null && users.getLimits().containsKey("cpu");
        return isLimited
                ? new ResourceRequirementsBuilder(own)
                        .addToLimits("cpu", CPU_LIMIT)
                        .build()
                : own;
    }
}

package dev.sojourn.operator.dependent;

import dev.sojourn.operator.api.InjectionSpec.Resources;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ProxySpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a container asks for that stands beside another one: a default, but for what the user names. */
public final class HelperResources {

    /** So much that no helper is ever throttled for long. */
    public static final Quantity CPU_LIMIT = new Quantity("200m");

    private HelperResources() {}

    /** Of the edge beside Envoy, and of what writes Envoy's first files. */
    public static ResourceRequirements edge(ProxySpec proxy) {
        return beside(proxy.resources(), amounts("10m", "24Mi", "96Mi"), proxy.edgeResources());
    }

    /** Of the Sentinel beside a server: it does next to nothing, but has to get its turn on a node that is full, or it decides nothing (TILT). */
    public static ResourceRequirements sentinel(ManagedStoreSpec store) {
        return beside(store.resources(), amounts("50m", "16Mi", "64Mi"), store.sentinelResources());
    }

    private static ResourceRequirements amounts(String cpu, String memory, String memoryLimit) {
        return new ResourceRequirementsBuilder()
                .withRequests(Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory)))
                .withLimits(Map.of("memory", new Quantity(memoryLimit)))
                .build();
    }

    /**
     * A quota on {@code limits.cpu} refuses a pod of which one container has no limit: whoever limits the one limits its helper. By
     * default neither is, for throttling would be felt in every request.
     *
     * @param other those of the container that it stands beside
     * @param named what the user names of its own
     */
    private static ResourceRequirements beside(
            @Nullable ResourceRequirements other, ResourceRequirements own, @Nullable Resources named) {
        var resources = new ResourceRequirementsBuilder(own);
        if (other != null && other.getLimits() != null && other.getLimits().containsKey("cpu")) {
            resources.addToLimits("cpu", CPU_LIMIT);
        }
        if (named != null) {
            resources.addToRequests(named.requests()).addToLimits(named.limits());
        }
        return resources.build();
    }
}

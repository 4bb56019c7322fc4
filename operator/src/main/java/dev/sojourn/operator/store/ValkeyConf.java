package dev.sojourn.operator.store;

import dev.sojourn.operator.api.ManagedStoreSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.math.BigDecimal;
import java.util.Map;

/** The managed store's configuration, and the resources that it depends on. */
final class ValkeyConf {

    private static final ResourceRequirements DEFAULT_RESOURCES = new ResourceRequirementsBuilder()
            .withRequests(Map.of("cpu", new Quantity("50m"), "memory", new Quantity("128Mi")))
            .withLimits(Map.of("memory", new Quantity("512Mi")))
            .build();

    private ValkeyConf() {}

    static ResourceRequirements resources(ManagedStoreSpec spec) {
        return spec.resources() != null ? spec.resources() : DEFAULT_RESOURCES;
    }

    static String render(ManagedStoreSpec spec) {
        var conf = new StringBuilder()
                .append("port 6379\n")
                .append("protected-mode no\n")
                .append("dir /data\n")
                .append("aclfile /acl/users.acl\n")
                // The log is the only copy on disk: a snapshot would fork at the worst moment, under memory pressure.
                .append("appendonly yes\n")
                .append("appendfsync everysec\n")
                .append("save \"\"\n")
                .append("lazyfree-lazy-expire yes\n")
                .append("tcp-keepalive 60\n");
        var limits = resources(spec).getLimits();
        var memory = limits == null ? null : limits.get("memory");
        if (memory != null) {
            // The rest is for the log's rewrite and clients' buffers. Every session has a TTL: the nearest to its end
            // goes first.
            var bytes =
                    memory.getNumericalAmount().multiply(new BigDecimal("0.7")).toBigInteger();
            conf.append("maxmemory ").append(bytes).append('\n').append("maxmemory-policy volatile-ttl\n");
        }
        return conf.toString();
    }
}

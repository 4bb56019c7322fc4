package dev.sojourn.operator.store;

import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
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
        topology(spec, conf);
        var limits = resources(spec).getLimits();
        var memory = limits == null ? null : limits.get("memory");
        if (memory != null) {
            // The rest is for the log's rewrite and clients' buffers. What has been unused for longest goes first, a
            // session: claims, leases and tombstones have the shortest TTLs, and must outlive it.
            var bytes =
                    memory.getNumericalAmount().multiply(new BigDecimal("0.7")).toBigInteger();
            conf.append("maxmemory ").append(bytes).append('\n').append("maxmemory-policy volatile-lru\n");
        }
        return conf.toString();
    }

    private static void topology(ManagedStoreSpec spec, StringBuilder conf) {
        if (spec.copies() > 0) {
            conf.append("repl-diskless-sync yes\n")
                    .append("repl-diskless-sync-delay 1\n")
                    // A replica that was away for a restart catches up from here, instead of being sent everything.
                    .append("repl-backlog-size 64mb\n");
        }
        if (spec.topology() == Topology.Replicated) {
            // A primary that is cut off from all replicas stops taking what the next primary would not have.
            conf.append("min-replicas-to-write 1\n").append("min-replicas-max-lag 5\n");
        }
        if (spec.topology() == Topology.Sharded) {
            conf.append("cluster-enabled yes\n")
                    .append("cluster-config-file /data/nodes.conf\n")
                    .append("cluster-node-timeout 3000\n")
                    .append("cluster-preferred-endpoint-type hostname\n")
                    // The sessions of a shard that is down are no reason to refuse the others.
                    .append("cluster-require-full-coverage no\n")
                    // Who follows whom is the operator's to say: it knows the nodes.
                    .append("cluster-allow-replica-migration no\n");
        }
    }
}

package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.address;
import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The whole of {@code envoy.yaml}. Everything is static but the endpoints, which the edge writes into a file: Envoy starts, and goes on,
 * without the operator.
 */
final class EnvoyBootstrap {

    /**
     * An idle connection with TLS costs 21 KiB, and what is under way more: of a body there may be as much as a window of HTTP/2 or what is
     * kept for another try. So a flood of connections ends here and not at the kernel's out-of-memory killer; one of uploads that no pod
     * takes may still end there.
     */
    private static final int CONNECTION_BYTES = 32_768;

    /** Where Envoy's memory has no limit; without any number Envoy warns. */
    private static final int MAX_CONNECTIONS = 50_000;

    private EnvoyBootstrap() {}

    static String render(SessionCluster sessionCluster, IpFamily ipFamily) {
        var spec = sessionCluster.getSpec();
        var name = sessionCluster.getMetadata().getNamespace() + "."
                + sessionCluster.getMetadata().getName();
        return EnvoyYaml.render(fields(
                "node", fields("id", name, "cluster", name),
                "admin", admin(),
                "overload_manager", overloadManager(maxConnections(ProxyContainers.memory(spec))),
                "static_resources",
                        fields(
                                "listeners", EnvoyListener.all(sessionCluster, ipFamily),
                                "clusters", List.of(EnvoyCluster.application(spec), EnvoyCluster.admin()))));
    }

    /** Beyond the limit: one that is full must still be told to drain. */
    private static Map<String, Object> admin() {
        return fields("address", address("127.0.0.1", EnvoyListener.ADMIN_PORT), "ignore_global_conn_limit", true);
    }

    /** Above it Envoy accepts no more. */
    private static long maxConnections(Optional<Quantity> memory) {
        return memory.map(limit -> Quantity.getAmountInBytes(limit).longValue() / CONNECTION_BYTES)
                .map(fitting -> Math.max(1, Math.min(fitting, MAX_CONNECTIONS)))
                .orElse((long) MAX_CONNECTIONS);
    }

    private static Map<String, Object> overloadManager(long maxConnections) {
        return fields(
                "resource_monitors",
                List.of(extension(
                        "envoy.resource_monitors.global_downstream_max_connections",
                        typed(
                                "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
                                "max_active_downstream_connections",
                                maxConnections))));
    }
}

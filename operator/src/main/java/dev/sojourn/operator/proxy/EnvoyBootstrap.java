package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.address;
import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import java.util.List;
import java.util.Map;

/**
 * The whole of {@code envoy.yaml}. Everything is static but the endpoints, which the edge writes into a file: Envoy starts, and goes on,
 * without the operator.
 */
final class EnvoyBootstrap {

    /** Above it Envoy accepts no more; without it Envoy warns, and a flood ends in the kernel's out-of-memory killer. */
    private static final int MAX_DOWNSTREAM_CONNECTIONS = 50_000;

    private EnvoyBootstrap() {}

    static String render(SessionCluster sessionCluster, IpFamily ipFamily) {
        var spec = sessionCluster.getSpec();
        var name = sessionCluster.getMetadata().getNamespace() + "."
                + sessionCluster.getMetadata().getName();
        return EnvoyYaml.render(fields(
                "node", fields("id", name, "cluster", name),
                "admin", admin(),
                "overload_manager", overloadManager(),
                "static_resources",
                        fields(
                                "listeners", EnvoyListener.all(sessionCluster, ipFamily),
                                "clusters", List.of(EnvoyCluster.application(spec), EnvoyCluster.admin()))));
    }

    /** Beyond the limit: one that is full must still be told to drain. */
    private static Map<String, Object> admin() {
        return fields("address", address("127.0.0.1", EnvoyListener.ADMIN_PORT), "ignore_global_conn_limit", true);
    }

    private static Map<String, Object> overloadManager() {
        return fields(
                "resource_monitors",
                List.of(extension(
                        "envoy.resource_monitors.global_downstream_max_connections",
                        typed(
                                "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
                                "max_active_downstream_connections",
                                MAX_DOWNSTREAM_CONNECTIONS))));
    }
}

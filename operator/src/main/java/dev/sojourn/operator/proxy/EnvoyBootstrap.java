package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.address;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import java.util.List;
import java.util.Map;

/**
 * The whole of {@code envoy.yaml}. Everything is static but the endpoints, which the edge writes into a file: Envoy starts, and goes on,
 * without the operator.
 */
final class EnvoyBootstrap {

    private EnvoyBootstrap() {}

    static String render(SessionCluster sessionCluster, IpFamily ipFamily) {
        var spec = sessionCluster.getSpec();
        var name = sessionCluster.getMetadata().getNamespace() + "."
                + sessionCluster.getMetadata().getName();
        return EnvoyYaml.render(fields(
                "node", fields("id", name, "cluster", name),
                "admin", admin(),
                "overload_manager", EnvoyMemory.overloadManager(spec),
                "static_resources",
                        fields(
                                "listeners", EnvoyListener.all(sessionCluster, ipFamily),
                                "clusters", List.of(EnvoyCluster.application(spec), EnvoyCluster.admin()))));
    }

    /** Beyond the limit: one that is full must still be told to drain. */
    private static Map<String, Object> admin() {
        return fields("address", address("127.0.0.1", EnvoyListener.ADMIN_PORT), "ignore_global_conn_limit", true);
    }
}

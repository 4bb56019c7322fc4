package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.address;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.DrainSpec;
import dev.sojourn.operator.api.ProxySpec.Stickiness;
import dev.sojourn.operator.api.SessionClusterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The application's pods as Envoy sees them: the edge says which there are and which drain, Envoy finds out which answer. */
final class EnvoyCluster {

    static final String APPLICATION = "app";
    static final String ADMIN = "admin";
    static final String ENDPOINTS_DIRECTORY = "/sojourn/xds";
    static final String ENDPOINTS_FILE = "eds.json";

    /** Below Tomcat's 20 s keep-alive: the side that closes first must be the one that would send next. */
    private static final String IDLE_TIMEOUT = "15s";

    /** How often a pod is asked that does not answer yet: sooner than its readiness comes here by way of the API server. */
    private static final String STARTING_INTERVAL = "0.1s";

    /** As Linux numbers them. */
    private static final int IPPROTO_TCP = 6;

    private static final int TCP_USER_TIMEOUT = 18;

    private static final int UNACKNOWLEDGED_MILLIS = 60_000;

    private EnvoyCluster() {}

    static Map<String, Object> application(SessionClusterSpec spec) {
        var cluster = fields(
                "name",
                APPLICATION,
                "type",
                "EDS",
                "connect_timeout",
                // Longer than a lost SYN takes to be sent again, 1 s: one lost packet is no failed try. A pod on a
                // dead node costs a new user that much, until the second failure ejects it.
                "1.5s",
                "upstream_connection_options",
                fields("tcp_keepalive", fields("keepalive_probes", 3, "keepalive_time", 5, "keepalive_interval", 2)),
                // Envoy's 1 MiB for each upload that its pod does not read: a few hundred of them were all of its
                // memory.
                "per_connection_buffer_limit_bytes",
                EnvoyListener.BUFFER_BYTES,
                "upstream_bind_config",
                fields("socket_options", List.of(userTimeout())),
                "ignore_health_on_host_removal",
                true,
                "eds_cluster_config",
                fields("service_name", APPLICATION, "eds_config", EnvoyYaml.file(ENDPOINTS_DIRECTORY, ENDPOINTS_FILE)));
        cluster.put("common_lb_config", commonLoadBalancing(spec));
        cluster.put(
                "load_balancing_policy",
                fields("policies", List.of(fields("typed_extension_config", loadBalancer(spec)))));
        cluster.put("health_checks", List.of(healthCheck(spec.proxy().healthCheckPath())));
        cluster.put("outlier_detection", outlierDetection());
        cluster.put("circuit_breakers", fields("thresholds", List.of(limits())));
        cluster.put("typed_extension_protocol_options", http1());
        return cluster;
    }

    /** Envoy itself, so that some of its admin interface can be served to others. */
    static Map<String, Object> admin() {
        var endpoint = fields("endpoint", fields("address", address("127.0.0.1", EnvoyListener.ADMIN_PORT)));
        return fields(
                "name",
                ADMIN,
                "type",
                "STATIC",
                "connect_timeout",
                "1s",
                "load_assignment",
                fields("cluster_name", ADMIN, "endpoints", List.of(fields("lb_endpoints", List.of(endpoint)))));
    }

    /**
     * Of a node that is gone nobody resets its connections: a request that was sent to it would wait for the stream's own end, 5 minutes.
     * Bytes that are not acknowledged for so long end the connection. Where all were, and it is the answer that is missing, keepalive's
     * probes are such bytes, and this says for how long, not their number. An application that does not read on for so long, with its
     * buffers full, loses its connection too: so it is not less.
     */
    private static Map<String, Object> userTimeout() {
        return fields(
                "description",
                "TCP_USER_TIMEOUT",
                "level",
                IPPROTO_TCP,
                "name",
                TCP_USER_TIMEOUT,
                "int_value",
                UNACKNOWLEDGED_MILLIS,
                "state",
                "STATE_PREBIND");
    }

    private static Map<String, Object> commonLoadBalancing(SessionClusterSpec spec) {
        var config = fields(
                // Never spray over pods that drain, however many do.
                "healthy_panic_threshold",
                fields("value", 0),
                // Or what a check finds within a second of the edge's last word waits for that second's end: the old
                // pod would get nothing any more, and the new one nothing yet.
                "update_merge_window",
                "0s");
        if (spec.proxy().stickiness() == Stickiness.Cookie) {
            // Not DEGRADED: who is sticky leaves, too, while another is healthy. Where none is, the edge calls them
            // that.
            var statuses = new ArrayList<>(List.of("UNKNOWN", "HEALTHY"));
            if (spec.drain().mode() == DrainSpec.Mode.Sticky) {
                statuses.add("DRAINING");
            }
            config.put("override_host_status", fields("statuses", statuses));
        }
        return config;
    }

    private static Map<String, Object> loadBalancer(SessionClusterSpec spec) {
        if (spec.proxy().stickiness() == Stickiness.Hash) {
            return EnvoyYaml.extension(
                    "envoy.load_balancing_policies.ring_hash",
                    typed(
                            "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
                            "minimum_ring_size",
                            1024,
                            "consistent_hashing_lb_config",
                            fields("hash_balance_factor", 150)));
        }
        return EnvoyYaml.extension(
                "envoy.load_balancing_policies.least_request",
                typed(
                        "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
                        "choice_count",
                        2,
                        // A cold JVM is slow: it gets its full share after half a minute.
                        "slow_start_config",
                        fields("slow_start_window", "30s", "min_weight_percent", fields("value", 10))));
    }

    /**
     * Never none: a draining pod says {@code x-envoy-immediate-health-check-fail} with its responses, which Envoy heeds only where it
     * checks actively.
     */
    private static Map<String, Object> healthCheck(@Nullable String path) {
        var check = fields(
                "timeout",
                "1s",
                // Not shorter: where no edge runs, a pod that drains is back in with the next check that succeeds.
                "interval",
                "5s",
                // A roll-out deletes an old pod as soon as the new one is ready. Envoy must have seen that by then.
                "unhealthy_interval",
                STARTING_INTERVAL,
                // Between the failures that take a pod out: one that stands still for a moment must not be.
                "unhealthy_edge_interval",
                "1s",
                // The default of 60 s would keep a pod that missed its first check out for a minute.
                "no_traffic_interval",
                STARTING_INTERVAL,
                "no_traffic_healthy_interval",
                "5s",
                "unhealthy_threshold",
                3,
                "healthy_threshold",
                1);
        if (path == null) {
            check.put("tcp_health_check", fields());
        } else {
            check.put("http_health_check", fields("path", path));
        }
        return check;
    }

    /** Only for errors of the way to a pod: an application that answers 500 is up, and would be everywhere. */
    private static Map<String, Object> outlierDetection() {
        return fields(
                "consecutive_5xx",
                0,
                "enforcing_consecutive_5xx",
                0,
                "enforcing_consecutive_gateway_failure",
                0,
                "enforcing_success_rate",
                0,
                "split_external_local_origin_errors",
                true,
                "enforcing_local_origin_success_rate",
                0,
                "consecutive_local_origin_failure",
                2,
                "interval",
                "1s",
                "base_ejection_time",
                "5s",
                "max_ejection_percent",
                50,
                "always_eject_one_host",
                true);
    }

    private static Map<String, Object> limits() {
        return fields(
                "max_connections",
                10_000,
                "max_pending_requests",
                10_000,
                "max_requests",
                10_000,
                "retry_budget",
                fields("budget_percent", fields("value", 20), "min_retry_concurrency", 10));
    }

    private static Map<String, Object> http1() {
        var name = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
        return fields(
                name,
                typed(
                        name,
                        "common_http_protocol_options",
                        fields("idle_timeout", IDLE_TIMEOUT),
                        "explicit_http_config",
                        fields("http_protocol_options", fields())));
    }
}

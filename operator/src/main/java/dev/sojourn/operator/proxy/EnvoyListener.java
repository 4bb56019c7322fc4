package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.address;
import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.ProxySpec.Stickiness;
import dev.sojourn.operator.api.SessionClusterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Listeners, their filters and routes. */
final class EnvoyListener {

    /** Envoy's own cookie, that names a pod. Nothing depends on it: a wrong or old one costs a load of the session. */
    static final String ROUTE_COOKIE = "sojourn-route";

    /** Nothing has reached the application yet, or it said so: safe for every method. */
    private static final String RETRY_ALWAYS = "connect-failure,refused-stream,reset-before-request";

    /** The application may have seen it: only for methods that may be repeated. */
    private static final String RETRY_IDEMPOTENT = "connect-failure,refused-stream,reset,gateway-error";

    private EnvoyListener() {}

    static Map<String, Object> application(SessionClusterSpec spec) {
        var filters = spec.proxy().stickiness() == Stickiness.Cookie ? List.of(stickyByCookie()) : List.<Object>of();
        var idempotent = fields(
                "match",
                fields(
                        "prefix",
                        "/",
                        "headers",
                        List.of(fields(
                                "name",
                                ":method",
                                "string_match",
                                fields("safe_regex", fields("regex", "GET|HEAD|OPTIONS"))))),
                "route",
                route(spec, RETRY_IDEMPOTENT));
        var others = fields("match", fields("prefix", "/"), "route", route(spec, RETRY_ALWAYS));
        return http("http", EnvoyBootstrap.HTTP_PORT, filters, List.of(idempotent, others));
    }

    /** One HTTP listener with one route table. */
    static Map<String, Object> http(String name, int port, List<Object> filters, List<Object> routes) {
        var allFilters = new ArrayList<>(filters);
        allFilters.add(extension("envoy.filters.http.router", typed("envoy.extensions.filters.http.router.v3.Router")));
        var manager = typed(
                "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                "stat_prefix",
                name,
                "codec_type",
                "AUTO",
                "use_remote_address",
                true,
                "normalize_path",
                true,
                "merge_slashes",
                true,
                "path_with_escaped_slashes_action",
                "UNESCAPE_AND_REDIRECT",
                "common_http_protocol_options",
                fields("idle_timeout", "3600s"),
                "http2_protocol_options",
                fields(
                        "max_concurrent_streams",
                        100,
                        "initial_stream_window_size",
                        65_536,
                        "initial_connection_window_size",
                        1_048_576),
                "request_headers_timeout",
                "10s",
                "drain_timeout",
                "5s",
                "upgrade_configs",
                List.of(fields("upgrade_type", "websocket")),
                "http_filters",
                allFilters,
                "route_config",
                fields(
                        "name",
                        name,
                        "virtual_hosts",
                        List.of(fields("name", name, "domains", List.of("*"), "routes", routes))));
        var chain = fields("filters", List.of(extension("envoy.filters.network.http_connection_manager", manager)));
        return fields(
                "name",
                name,
                "address",
                address("0.0.0.0", port),
                "per_connection_buffer_limit_bytes",
                32_768,
                "filter_chains",
                List.of(chain));
    }

    private static Map<String, Object> route(SessionClusterSpec spec, String retryOn) {
        var route = fields(
                "cluster",
                EnvoyCluster.APPLICATION,
                // The application decides how long a request may take; uploads and event streams last.
                "timeout",
                "0s",
                "retry_policy",
                fields(
                        "retry_on",
                        retryOn,
                        "num_retries",
                        3,
                        "retry_host_predicate",
                        List.of(extension(
                                "envoy.retry_host_predicates.previous_hosts",
                                typed("envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate"))),
                        "host_selection_retry_max_attempts",
                        5,
                        "retry_back_off",
                        fields("base_interval", "0.005s", "max_interval", "0.05s")));
        if (spec.proxy().stickiness() == Stickiness.Hash) {
            // Without a ttl Envoy makes no cookie: a user without a session goes anywhere.
            var cookie = fields("name", spec.session().cookie());
            route.put("hash_policy", List.of(fields("cookie", cookie, "terminal", true)));
        }
        return route;
    }

    /** Never strict: a cookie whose pod is gone must not end in a 503, any other pod can serve. */
    private static Object stickyByCookie() {
        var state = typed(
                "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState",
                "cookie",
                fields(
                        "name",
                        ROUTE_COOKIE,
                        "path",
                        "/",
                        "ttl",
                        "0s",
                        "attributes",
                        List.of(fields("name", "SameSite", "value", "Lax"))));
        return extension(
                "envoy.filters.http.stateful_session",
                typed(
                        "envoy.extensions.filters.http.stateful_session.v3.StatefulSession",
                        "strict",
                        false,
                        "stat_prefix",
                        "sticky",
                        "session_state",
                        extension("envoy.http.stateful_session.cookie", state)));
    }
}

package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.ProxySpec.Stickiness;
import dev.sojourn.operator.api.SessionClusterSpec;
import java.util.List;
import java.util.Map;

/** Where requests go, when they are tried again, and what is let through. */
final class EnvoyRoutes {

    static final String APPLICATION = "app";
    static final String RDS_FILE = "rds.yaml";

    /** Answered by Envoy itself for as long as it takes connections. */
    static final String SERVING = "/serving";

    /** Nothing has reached the application yet, or {@link #REFUSED} says so: safe for every method. */
    private static final String RETRY_ALWAYS = "connect-failure,refused-stream,reset-before-request,retriable-headers";

    /** The application may have seen it: only for methods that may be repeated. */
    private static final String RETRY_IDEMPOTENT =
            "connect-failure,refused-stream,reset,gateway-error,retriable-headers";

    /** The agent's, on what comes to a pod that is about to end. */
    private static final String REFUSED = "x-sojourn-refused";

    /**
     * Of a request's body what Envoy keeps, so that it can be sent once more: until a pod answers, and so for each upload that is on its
     * way, which then costs up to 173 KB of Envoy's memory instead of 119 (with 256 KiB: 400). Of the longer ones it keeps nothing, and
     * fails them where the first pod that it tries cannot be reached.
     */
    private static final int KEPT_BODY_BYTES = 65_536;

    private EnvoyRoutes() {}

    /** A file of its own, which the edge keeps up to date: Envoy exchanges routes without the end of a connection. */
    static String render(SessionClusterSpec spec) {
        var table = typed("envoy.config.route.v3.RouteConfiguration");
        table.putAll(application(spec));
        return EnvoyYaml.resources(table);
    }

    static Map<String, Object> application(SessionClusterSpec spec) {
        var idempotent = fields(
                "prefix",
                "/",
                "headers",
                List.of(fields(
                        "name", ":method", "string_match", fields("safe_regex", fields("regex", "GET|HEAD|OPTIONS")))));
        var host = host(
                APPLICATION,
                List.of(
                        fields("match", idempotent, "route", route(spec, RETRY_IDEMPOTENT)),
                        fields("match", fields("prefix", "/"), "route", route(spec, RETRY_ALWAYS))));
        host.put("request_body_buffer_limit", KEPT_BODY_BYTES);
        var table = table(APPLICATION, host);
        var limits = EnvoyLimits.of(spec);
        if (!limits.isEmpty()) {
            table.put("typed_per_filter_config", limits);
        }
        return table;
    }

    /** 308 keeps method and body, where 301 would make a GET of a POST. Without a port Envoy keeps the request's, unless that is 80. */
    static Map<String, Object> redirect(int httpsPort) {
        var redirect =
                fields("https_redirect", true, "response_code", "PERMANENT_REDIRECT", "port_redirect", httpsPort);
        return table(
                "redirect", host("redirect", List.of(fields("match", fields("prefix", "/"), "redirect", redirect))));
    }

    static Map<String, Object> ready() {
        var serving = fields("match", fields("path", SERVING), "direct_response", fields("status", 200));
        return table("ready", host("ready", List.of(serving, adminRoute("/ready"), adminRoute("/stats/prometheus"))));
    }

    private static Map<String, Object> adminRoute(String path) {
        return fields("match", fields("path", path), "route", fields("cluster", EnvoyCluster.ADMIN));
    }

    private static Map<String, Object> host(String name, List<Object> routes) {
        return fields("name", name, "domains", List.of("*"), "routes", routes);
    }

    private static Map<String, Object> table(String name, Map<String, Object> host) {
        return fields("name", name, "virtual_hosts", List.of(host));
    }

    private static Map<String, Object> route(SessionClusterSpec spec, String retryOn) {
        var route = fields(
                "cluster",
                EnvoyCluster.APPLICATION,
                // The application decides how long a request may take, as long as something moves in it
                // (stream_idle_timeout): uploads and event streams last.
                "timeout",
                "0s",
                "retry_policy",
                fields(
                        "retry_on",
                        retryOn,
                        "retriable_headers",
                        List.of(fields("name", REFUSED, "present_match", true)),
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
}

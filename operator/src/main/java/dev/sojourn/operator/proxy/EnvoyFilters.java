package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import java.util.ArrayList;
import java.util.List;

/** What a request goes through before it is routed. */
final class EnvoyFilters {

    /** Envoy's own cookie, that names a pod. Nothing depends on it: a wrong or old one costs a load of the session. */
    static final String ROUTE_COOKIE = "sojourn-route";

    private EnvoyFilters() {}

    /** Never strict: a cookie whose pod is gone must not end in a 503, any other pod can serve. */
    static Object stickyByCookie(boolean encrypted) {
        var attributes = new ArrayList<>(List.of(fields("name", "SameSite", "value", "Lax")));
        if (encrypted) {
            attributes.add(fields("name", "Secure"));
        }
        var state = typed(
                "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState",
                "cookie",
                fields("name", ROUTE_COOKIE, "path", "/", "ttl", "0s", "attributes", attributes));
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

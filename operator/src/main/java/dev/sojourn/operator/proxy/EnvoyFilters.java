package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.SessionCluster;
import java.util.ArrayList;
import java.util.List;

/** What a request goes through before it is routed. */
final class EnvoyFilters {

    private EnvoyFilters() {}

    /**
     * Envoy's own cookie, that names a pod. Nothing depends on it: a wrong or old one costs a load of the session. Each SessionCluster's has
     * a name of its own: browsers tell no ports apart, and two that share a host, on two paths of it, would take each other's cookie for
     * theirs, find no such pod, and put their own in its place, with every request.
     */
    static String routeCookie(SessionCluster sessionCluster) {
        var meta = sessionCluster.getMetadata();
        var whose = InjectionSettings.sha256(meta.getNamespace() + "/" + meta.getName());
        return "sojourn-route-" + whose.substring(0, 10);
    }

    /** Never strict: a cookie whose pod is gone must not end in a 503, any other pod can serve. */
    static Object stickyByCookie(String name, boolean encrypted) {
        var attributes = new ArrayList<>(List.of(fields("name", "SameSite", "value", "Lax")));
        if (encrypted) {
            attributes.add(fields("name", "Secure"));
        }
        var state = typed(
                "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState",
                "cookie",
                fields("name", name, "path", "/", "ttl", "0s", "attributes", attributes));
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

package dev.sojourn.operator.inject;

import java.util.Set;

/** The proxies of service meshes, by the names of their containers. Their webhooks put them into pods, before ours is asked or after. */
final class Mesh {

    private static final Set<String> PROXIES = Set.of("istio-proxy", "linkerd-proxy");

    private Mesh() {}

    static boolean isProxy(String container) {
        return PROXIES.contains(container);
    }
}

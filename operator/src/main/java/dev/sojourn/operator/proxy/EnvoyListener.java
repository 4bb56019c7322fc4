package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.ProxySpec.Stickiness;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where Envoy listens, and how it speaks HTTP there. */
final class EnvoyListener {

    /** Loopback only: it can change Envoy. What others may read is served at {@link #READY_PORT}. */
    static final int ADMIN_PORT = 9901;

    static final int HTTP_PORT = 8080;
    static final int HTTPS_PORT = 8443;
    static final int READY_PORT = 15902;

    /** What Envoy takes from one side of a request before the other has taken what it has: more than that is the kernel's. */
    static final int BUFFER_BYTES = 32_768;

    private EnvoyListener() {}

    static List<Object> all(SessionCluster sessionCluster, IpFamily ipFamily) {
        var spec = sessionCluster.getSpec();
        var tls = spec.proxy().tls();
        var redirects = tls != null && tls.redirect();
        var plain =
                redirects ? inline(EnvoyRoutes.redirect(spec.proxy().service().httpsPort())) : fromFile();
        var listeners = new ArrayList<>();
        listeners.add(
                listener("http", wildcard(ipFamily, HTTP_PORT), chain(application("http", sessionCluster, plain))));
        if (tls != null) {
            var chain = chain(application("https", sessionCluster, fromFile()));
            chain.put("transport_socket", EnvoyTls.downstream());
            listeners.add(listener("https", wildcard(ipFamily, HTTPS_PORT), chain));
        }
        listeners.add(ready(ipFamily));
        return listeners;
    }

    /**
     * For kubelet, load balancers and Prometheus: of the admin interface /ready and the metrics, nothing else. Beyond the limit: were one that is full
     * unready for it, all would be, one after the other, and load balancers would end what they have open.
     */
    private static Map<String, Object> ready(IpFamily ipFamily) {
        var ready = listener(
                "ready",
                wildcard(ipFamily, READY_PORT),
                chain(manager("ready", List.of(), inline(EnvoyRoutes.ready()))));
        ready.put("ignore_global_conn_limit", true);
        ready.put("bypass_overload_manager", true);
        return ready;
    }

    private static Map<String, Object> application(
            String name, SessionCluster sessionCluster, Map<String, Object> routes) {
        var spec = sessionCluster.getSpec();
        var filters = new ArrayList<>(EnvoyLimits.filters());
        if (spec.proxy().stickiness() == Stickiness.Cookie) {
            filters.add(EnvoyFilters.stickyByCookie(EnvoyFilters.routeCookie(sessionCluster), name.equals("https")));
        }
        var manager = manager(name, filters, routes);
        manager.put("xff_num_trusted_hops", spec.proxy().trustedProxies());
        if (spec.proxy().accessLog()) {
            manager.put("access_log", EnvoyAccessLog.toStandardOutput());
        }
        return manager;
    }

    private static Map<String, Object> manager(String name, List<Object> filters, Map<String, Object> routes) {
        var allFilters = new ArrayList<>(filters);
        allFilters.add(extension("envoy.filters.http.router", typed("envoy.extensions.filters.http.router.v3.Router")));
        var manager = typed(
                "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                "stat_prefix",
                name,
                // Beside HTTP/1.1, HTTP/2 too where the client begins with it, encrypted or not.
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
                fields("idle_timeout", "3600s", "max_headers_count", 200),
                // A ticket of Kerberos has up to 64 KiB, which are 88 in base64: more than Envoy takes by itself.
                "max_request_headers_kb",
                96,
                "http_protocol_options",
                http1(),
                "http2_protocol_options",
                fields(
                        "max_concurrent_streams",
                        100,
                        "initial_stream_window_size",
                        65_536,
                        "initial_connection_window_size",
                        1_048_576,
                        // A WebSocket in a stream, RFC 8441. The application sees an Upgrade of HTTP/1.1.
                        "allow_connect",
                        true),
                "request_headers_timeout",
                "10s",
                // A stream on which nothing moves: a client that is gone, or holds buffers on purpose. WebSockets ping
                // more often.
                "stream_idle_timeout",
                "300s",
                // Between the two GOAWAYs of HTTP/2: longer than a client is away. Who ignores them holds up an end
                // that long.
                "drain_timeout",
                "1s",
                "upgrade_configs",
                List.of(fields("upgrade_type", "websocket")),
                "http_filters",
                allFilters);
        manager.putAll(routes);
        return manager;
    }

    private static Map<String, Object> http1() {
        return fields(
                // The health checks of old load balancers, which name no host either.
                "accept_http_10",
                true,
                "default_host_for_http_10",
                "localhost",
                // Apache's HttpClient offers TLS with every plain request. Envoy would refuse that as a wish for
                // another protocol; without the offer it is a request like any other.
                "ignore_http_11_upgrade",
                List.of(fields("prefix", "TLS/")));
    }

    private static Map<String, Object> inline(Map<String, Object> routes) {
        return fields("route_config", routes);
    }

    private static Map<String, Object> fromFile() {
        var file = EnvoyYaml.file(EnvoyCluster.ENDPOINTS_DIRECTORY, EnvoyRoutes.RDS_FILE);
        return fields("rds", fields("route_config_name", EnvoyRoutes.APPLICATION, "config_source", file));
    }

    private static Map<String, Object> chain(Map<String, Object> manager) {
        return fields("filters", List.of(extension("envoy.filters.network.http_connection_manager", manager)));
    }

    /** Where IPv6 comes first, clients may still come by IPv4. Envoy knows them by that address, and limits hold for it. */
    private static Map<String, Object> wildcard(IpFamily ipFamily, int port) {
        var socket = fields("address", ipFamily.wildcard(), "port_value", port);
        if (ipFamily == IpFamily.IPv6) {
            socket.put("ipv4_compat", true);
        }
        return fields("socket_address", socket);
    }

    private static Map<String, Object> listener(String name, Map<String, Object> address, Map<String, Object> chain) {
        return fields(
                "name",
                name,
                "address",
                address,
                "per_connection_buffer_limit_bytes",
                BUFFER_BYTES,
                "filter_chains",
                List.of(chain));
    }
}

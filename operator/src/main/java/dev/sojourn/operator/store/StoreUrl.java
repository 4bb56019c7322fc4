package dev.sojourn.operator.store;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is, in the forms that the sidecars take: {@code redis://host:port}, {@code redis-sentinel://host:port,host:port#name},
 * {@code redis-cluster://host:port,host:port}, each with {@code rediss} for TLS.
 *
 * @param servers {@code host:port} of servers, of Sentinels, or of some nodes of a cluster
 * @param primary what the Sentinels call the primary
 * @param database of the one server; 0 is where every connection begins
 */
record StoreUrl(
        Kind kind,
        boolean tls,
        List<String> servers,
        @Nullable String primary,
        String database) {

    enum Kind {
        Server(6379),
        Sentinel(26379),
        Cluster(6379);

        private final int port;

        Kind(int port) {
            this.port = port;
        }
    }

    /**
     * @param url as the schema of the CustomResourceDefinition lets it through
     * @param namespace of the pods that are given it; null: the operator's own
     */
    static StoreUrl parse(String url, @Nullable String namespace) {
        var scheme = url.substring(0, url.indexOf("://"));
        var rest = url.substring(scheme.length() + 3);
        var kind =
                scheme.endsWith("-sentinel") ? Kind.Sentinel : scheme.endsWith("-cluster") ? Kind.Cluster : Kind.Server;
        var end = rest.indexOf(kind == Kind.Sentinel ? '#' : '/');
        var servers = Arrays.stream((end < 0 ? rest : rest.substring(0, end)).split(","))
                .map(server -> hasPort(server) ? server : server + ":" + kind.port)
                .map(server -> seenFrom(namespace, server))
                .toList();
        var primary = kind == Kind.Sentinel && end >= 0 ? rest.substring(end + 1) : null;
        var database = kind == Kind.Server && end >= 0 ? rest.substring(end + 1) : "0";
        return new StoreUrl(kind, scheme.startsWith("rediss"), servers, primary, database);
    }

    /**
     * A name without a dot is a Service of the namespace where it is used: from here it would be one of the operator's own.
     *
     * @param server {@code host:port}
     */
    static String seenFrom(@Nullable String namespace, String server) {
        var host = server.substring(0, server.lastIndexOf(':'));
        var isWhole = namespace == null
                || host.isEmpty()
                || host.contains(".")
                || host.startsWith("[")
                || host.equals("localhost");
        return isWhole ? server : host + "." + namespace + ".svc" + server.substring(host.length());
    }

    /** An IPv6 address is in brackets, and has colons of its own. */
    private static boolean hasPort(String server) {
        return server.lastIndexOf(':') > server.lastIndexOf(']');
    }
}

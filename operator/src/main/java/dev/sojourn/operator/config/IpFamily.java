package dev.sojourn.operator.config;

/** The family of a pod's first address: the kubelet's probes, Prometheus and most Services use no other. */
public enum IpFamily {
    IPv4,
    IPv6;

    /** @param address without brackets */
    static IpFamily of(String address) {
        return address.indexOf(':') < 0 ? IPv4 : IPv6;
    }

    /** Where to listen on all addresses. Not {@code ::} everywhere: nobody can listen there on a node that has no IPv6. */
    public String wildcard() {
        return switch (this) {
            case IPv4 -> "0.0.0.0";
            case IPv6 -> "::";
        };
    }

    /** As {@code SOJOURN_HTTP} has it: an address of IPv6 in brackets. */
    public String wildcard(int port) {
        return withPort(wildcard(), port);
    }

    /** Where the pod reaches itself. */
    public String loopback(int port) {
        return switch (this) {
            case IPv4 -> withPort("127.0.0.1", port);
            case IPv6 -> withPort("::1", port);
        };
    }

    private String withPort(String address, int port) {
        return switch (this) {
            case IPv4 -> address + ":" + port;
            case IPv6 -> "[" + address + "]:" + port;
        };
    }
}

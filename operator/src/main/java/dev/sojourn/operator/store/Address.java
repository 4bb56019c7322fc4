package dev.sojourn.operator.store;

/**
 * Where a server listens.
 *
 * @param host a name or an address; one of IPv6 without brackets
 */
public record Address(String host, int port) {

    /** @param text {@code host:port} as servers write it: without brackets, whatever colons the host has of its own */
    public static Address ofServer(String text) {
        var colon = text.lastIndexOf(':');
        return new Address(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /** As URLs have it: an address of IPv6 in brackets, or the port would be taken for a part of it. */
    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}

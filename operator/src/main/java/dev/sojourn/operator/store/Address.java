package dev.sojourn.operator.store;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a server listens.
 *
 * @param host a name or an address; one of IPv6 without brackets
 */
public record Address(String host, int port) {

    private static final Pattern IN_URL =
            Pattern.compile("(\\[(?<v6>[0-9A-Fa-f:.%]+)]|(?<name>[^\\[\\]:/@\\s]+)):(?<port>.*)");

    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

    /** @param text {@code host:port} as servers write it: without brackets, whatever colons the host has of its own */
    public static Address ofServer(String text) {
        var colon = text.lastIndexOf(':');
        return new Address(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /** @param text as somebody wrote it in a URL: an address of IPv6 in brackets; nothing where it is none */
    static Optional<Address> parse(String text) {
        var parts = IN_URL.matcher(text);
        return parts.matches()
                ? of(parts.group("v6") == null ? parts.group("name") : parts.group("v6"), parts.group("port"))
                : Optional.empty();
    }

    /** @param host one of IPv6 without brackets; nothing where the two are no address */
    static Optional<Address> of(String host, String port) {
        return host.isBlank() || !PORT.matcher(port).matches()
                ? Optional.empty()
                : Optional.of(new Address(host, Integer.parseInt(port)))
                        .filter(address -> address.port() >= 1 && address.port() <= 65_535);
    }

    /** As URLs have it: an address of IPv6 in brackets, or the port would be taken for a part of it. */
    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}

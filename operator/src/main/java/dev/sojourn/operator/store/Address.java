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
            Pattern.compile("(\\[(?<v6>[0-9A-Fa-f:.%]+)]|(?<name>[^\\[\\]:/@\\s]+)):(?<port>\\d{1,5})");

    /** @param text {@code host:port} as servers write it: without brackets, whatever colons the host has of its own */
    public static Address ofServer(String text) {
        var colon = text.lastIndexOf(':');
        return new Address(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /** @param text as somebody wrote it in a URL: an address of IPv6 in brackets; nothing where it is none */
    static Optional<Address> parse(String text) {
        var parts = IN_URL.matcher(text);
        return parts.matches()
                ? Optional.of(parts)
                        .map(found -> new Address(
                                found.group("v6") == null ? found.group("name") : found.group("v6"),
                                Integer.parseInt(found.group("port"))))
                        .filter(address -> address.port() >= 1 && address.port() <= 65_535)
                : Optional.empty();
    }

    /** As URLs have it: an address of IPv6 in brackets, or the port would be taken for a part of it. */
    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}

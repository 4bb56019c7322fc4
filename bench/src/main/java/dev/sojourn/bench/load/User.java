package dev.sojourn.bench.load;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One user with one session: one request outstanding at most. */
final class User {
    final int index;
    final Expectation expectation;
    final List<Connection> connections;
    private final Map<String, String> cookies = new HashMap<>();
    long requests;
    long stamp;
    long sentAt;
    boolean waiting;
    Connection current;

    User(int index, List<InetSocketAddress> nodes) {
        this.index = index;
        expectation = new Expectation(index);
        connections = nodes.stream().map(Connection::new).toList();
        current = connections.get(0);
    }

    String request(String target) {
        String cookie = cookies.entrySet().stream()
                .map(one -> one.getKey() + "=" + one.getValue())
                .collect(Collectors.joining("; "));
        return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n"
                + (cookie.isEmpty() ? "" : "Cookie: " + cookie + "\r\n")
                + "\r\n";
    }

    void keep(Map<String, String> set) {
        cookies.putAll(set);
    }

    boolean hasSession() {
        return !cookies.isEmpty();
    }
}

package dev.sojourn.agent.it;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One user with one session cookie, whichever node answers. */
final class Browser {
    private static final HttpClient HTTP_1 = client(HttpClient.Version.HTTP_1_1);
    private static final HttpClient HTTP_2 = client(HttpClient.Version.HTTP_2);

    private final HttpClient client;
    private volatile @Nullable String cookie;

    Browser() {
        this(HTTP_1);
    }

    private Browser(HttpClient client) {
        this.client = client;
    }

    /** Over cleartext it asks for an upgrade with its first request, and is refused by a server without HTTP/2. */
    static Browser http2() {
        return new Browser(HTTP_2);
    }

    private static HttpClient client(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(Certificate.trusted())
                .connectTimeout(Duration.ofSeconds(30))
                .build();
    }

    @Nullable
    String cookie() {
        return cookie;
    }

    Browser withCookie(@Nullable String other) {
        Browser browser = new Browser(client);
        browser.cookie = other;
        return browser;
    }

    /** Asked with a copy of the cookie: who finds no session there keeps it, to ask again. */
    boolean isAnswered(TomcatNode node, String query, String body) throws Exception {
        return withCookie(cookie).response(node, "/app", query).body().equals(body);
    }

    /** The body, or an error for anything but 200 and redirects. */
    String get(TomcatNode node, String query) throws Exception {
        HttpResponse<String> response = response(node, "/app", query);
        if (response.statusCode() >= 400) {
            throw new AssertionError(query + " answered " + response.statusCode() + ": " + response.body());
        }
        return response.body();
    }

    HttpResponse<String> response(TomcatNode node, String context, String query) throws Exception {
        return seen(client.send(request(node, context, query), HttpResponse.BodyHandlers.ofString()));
    }

    /** Any path, and any status. */
    HttpResponse<String> path(TomcatNode node, String path) throws Exception {
        return send(to(node, path));
    }

    HttpResponse<String> head(TomcatNode node, String query) throws Exception {
        return send(to(node, "/app/do?" + query).method("HEAD", HttpRequest.BodyPublishers.noBody()));
    }

    HttpResponse<String> post(TomcatNode node, String path, String form) throws Exception {
        return send(to(node, path)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return seen(client.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    }

    /** A conversation over a socket, as far as the handshake. */
    WebSocket socket(TomcatNode node, String path, WebSocket.Listener listener) throws Exception {
        // A connection of its own: with the hundredth answer on one Tomcat closes it, and says so beside the upgrade.
        return client(HttpClient.Version.HTTP_1_1)
                .newWebSocketBuilder()
                .header("Cookie", String.valueOf(cookie))
                .buildAsync(URI.create(node.url.replaceFirst("http", "ws") + path), listener)
                .exceptionally(problem -> {
                    throw new AssertionError(
                            problem.getCause() instanceof WebSocketHandshakeException e
                                    ? "the handshake was answered " + e.getResponse()
                                    : "no handshake",
                            problem);
                })
                .get(60, TimeUnit.SECONDS);
    }

    /** A connection with the request on it, for clients that do not behave. */
    Socket raw(TomcatNode node, String query) throws IOException {
        Socket socket = connection(node);
        String request = "GET /app/do?" + query + " HTTP/1.1\r\nHost: localhost\r\nCookie: " + cookie + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** So many requests in one go, each ending with its number, the last of which closes; all that comes back. */
    String pipelined(TomcatNode node, String query, int count) throws IOException {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            String connection = i == count - 1 ? "close" : "keep-alive";
            requests.append("GET /app/do?" + query + i + " HTTP/1.1\r\nHost: localhost\r\nConnection: " + connection
                    + "\r\nCookie: " + cookie + "\r\n\r\n");
        }
        try (Socket socket = connection(node)) {
            socket.getOutputStream().write(requests.toString().getBytes(StandardCharsets.US_ASCII));
            return read(socket.getInputStream());
        }
    }

    static Socket connection(TomcatNode node) throws IOException {
        URI uri = URI.create(node.url);
        return node.isSecure()
                ? Certificate.trusted().getSocketFactory().createSocket(uri.getHost(), uri.getPort())
                : new Socket(uri.getHost(), uri.getPort());
    }

    /** Returns as soon as the headers are there. */
    HttpResponse<InputStream> streamed(TomcatNode node, String query) throws Exception {
        return seen(client.send(request(node, "/app", query), HttpResponse.BodyHandlers.ofInputStream()));
    }

    CompletableFuture<HttpResponse<String>> later(TomcatNode node, String query) {
        return later(node, "/app", query);
    }

    CompletableFuture<HttpResponse<String>> later(TomcatNode node, String context, String query) {
        return client.sendAsync(request(node, context, query), HttpResponse.BodyHandlers.ofString())
                .thenApply(this::seen);
    }

    private HttpRequest request(TomcatNode node, String context, String query) {
        return to(node, context + "/do?" + query).build();
    }

    private HttpRequest.Builder to(TomcatNode node, String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(node.url + path)).timeout(Duration.ofMinutes(3));
        if (node.isSecure()) {
            request.version(HttpClient.Version.HTTP_2);
        }
        if (cookie != null) {
            request.header("Cookie", cookie);
        }
        return request;
    }

    private <T> HttpResponse<T> seen(HttpResponse<T> response) {
        if (response.uri().getScheme().equals("https") && response.version() != HttpClient.Version.HTTP_2) {
            throw new AssertionError(response.uri() + " was answered in " + response.version());
        }
        response.headers().allValues("Set-Cookie").stream()
                .filter(value -> value.startsWith("JSESSIONID="))
                .forEach(value -> cookie = value.substring(0, value.indexOf(';')));
        return response;
    }

    static String read(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
}

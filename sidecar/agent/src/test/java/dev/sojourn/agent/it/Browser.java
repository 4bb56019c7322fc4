package dev.sojourn.agent.it;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One user with one session cookie, whichever node answers. */
final class Browser {
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private volatile @Nullable String cookie;

    @Nullable
    String cookie() {
        return cookie;
    }

    Browser withCookie(@Nullable String other) {
        Browser browser = new Browser();
        browser.cookie = other;
        return browser;
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
        return seen(CLIENT.send(request(node, context, query), HttpResponse.BodyHandlers.ofString()));
    }

    /** Returns as soon as the headers are there. */
    HttpResponse<InputStream> streamed(TomcatNode node, String query) throws Exception {
        return seen(CLIENT.send(request(node, "/app", query), HttpResponse.BodyHandlers.ofInputStream()));
    }

    CompletableFuture<HttpResponse<String>> later(TomcatNode node, String query) {
        return CLIENT.sendAsync(request(node, "/app", query), HttpResponse.BodyHandlers.ofString())
                .thenApply(this::seen);
    }

    private HttpRequest request(TomcatNode node, String context, String query) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node.url + context + "/do?" + query))
                .timeout(Duration.ofSeconds(30));
        if (cookie != null) {
            request.header("Cookie", cookie);
        }
        return request.build();
    }

    private <T> HttpResponse<T> seen(HttpResponse<T> response) {
        response.headers()
                .firstValue("Set-Cookie")
                .filter(value -> value.startsWith("JSESSIONID="))
                .ifPresent(value -> cookie = value.substring(0, value.indexOf(';')));
        return response;
    }

    static String read(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
}

package dev.sojourn.e2e.load;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One user's browser against the example application: keeps its cookies, follows no redirect by itself and repeats no request,
 * so that every failure that a user could see is seen.
 */
public final class Browser {
    private static final Pattern CLICKED =
            Pattern.compile("\\{\"user\":\"([^\"]*)\",\"clicks\":(\\d+),\"pod\":\"([^\"]*)\"}");

    private final HttpClient http;
    private final URI base;
    private final String user;
    private final Map<String, String> cookies = new TreeMap<>();

    /** @param base the address of the application, as in {@code http://127.0.0.1:30080} */
    public Browser(HttpClient http, URI base, String user) {
        this.http = http;
        this.base = base;
        this.user = user;
    }

    /** An answer, and a no: 503 with {@code Retry-After}, which only a pod says, without asking the application. */
    public static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;

        Refused(String body) {
            super("POST /click was refused: " + body.lines().findFirst().orElse(""));
        }
    }

    /** What the application said to a click. */
    public record Click(String user, int clicks, String pod) {}

    /** A new session for this user. */
    public void login() throws IOException, InterruptedException {
        cookies.clear();
        HttpResponse<String> response = post("/login", "user=" + URLEncoder.encode(user, StandardCharsets.UTF_8));
        if (response.statusCode() != 302) {
            throw new IOException("POST /login answered " + response.statusCode() + " instead of a redirect");
        }
    }

    /**
     * One more click.
     *
     * @throws LoggedOut if the application does not know this user any more
     * @throws Refused if it is not to be had now, and the application has done nothing
     * @throws IOException if the request failed in any other way
     */
    public Click click() throws IOException, InterruptedException, LoggedOut {
        HttpResponse<String> response = post("/click", "");
        if (response.statusCode() == 503
                && response.headers().firstValue("Retry-After").isPresent()) {
            throw new Refused(response.body());
        }
        if (response.statusCode() == 401) {
            throw new LoggedOut(user);
        }
        Matcher said = CLICKED.matcher(response.body());
        if (response.statusCode() != 200 || !said.matches()) {
            throw new IOException("POST /click answered " + response.statusCode() + ": "
                    + response.body().lines().findFirst().orElse(""));
        }
        return new Click(said.group(1), Integer.parseInt(said.group(2)), said.group(3));
    }

    /** Logs out. */
    public void logout() throws IOException, InterruptedException {
        post("/logout", "");
    }

    /** The cookies held, by name. */
    public Map<String, String> cookies() {
        return cookies;
    }

    private HttpResponse<String> post(String path, String form) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(base.resolve(path))
                .timeout(Duration.ofSeconds(30))
                .header("Accept", "application/json")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form));
        if (!cookies.isEmpty()) {
            var header = new StringBuilder();
            cookies.forEach((name, value) -> header.append(header.isEmpty() ? "" : "; ")
                    .append(name)
                    .append('=')
                    .append(value));
            request.header("Cookie", header.toString());
        }
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        for (String set : response.headers().allValues("set-cookie")) {
            String pair = set.split(";", 2)[0];
            int equals = pair.indexOf('=');
            cookies.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return response;
    }
}

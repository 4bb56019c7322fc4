package dev.sojourn.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The load against an application that errs on purpose. */
class LoadTest {
    private static final int REFUSED = 3;

    private final CountDownLatch enough = new CountDownLatch(30);
    private HttpServer server;
    private boolean saysRetryAfter;
    private int requests;
    private int clicks;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/login", exchange -> send(exchange, 302, ""));
        server.createContext("/click", this::click);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** Refuses one click, and much later goes back twice to just after it. */
    private void click(HttpExchange exchange) throws IOException {
        requests++;
        enough.countDown();
        if (requests == REFUSED) {
            if (saysRetryAfter) {
                exchange.getResponseHeaders().add("Retry-After", "1");
            }
            send(exchange, 503, "");
            return;
        }
        clicks = requests == 24 || requests == 27 ? REFUSED : clicks + 1;
        send(exchange, 200, "{\"user\":\"user-0\",\"clicks\":" + clicks + ",\"pod\":\"shop-0\"}");
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void aRequestWithoutAnAnswerExcusesOneSetbackAndNoMore() throws IOException, InterruptedException {
        Tally tally = tally();
        assertThat(tally.failures()).isEqualTo(1);
        assertThat(tally.raced()).isEqualTo(1);
        assertThat(tally.stale()).as(tally.firstProblem()).isEqualTo(1);
        assertThat(tally.corrupt()).isZero();
    }

    @Test
    void aRefusalExcusesNone() throws IOException, InterruptedException {
        saysRetryAfter = true;
        Tally tally = tally();
        assertThat(tally.failures()).isEqualTo(1);
        assertThat(tally.raced()).isZero();
        assertThat(tally.stale()).as(tally.firstProblem()).isEqualTo(2);
        assertThat(tally.corrupt()).isZero();
    }

    private Tally tally() throws IOException, InterruptedException {
        var base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        try (var load = Load.start(base, 1)) {
            assertThat(enough.await(60, TimeUnit.SECONDS)).isTrue();
            return load.stop();
        }
    }
}

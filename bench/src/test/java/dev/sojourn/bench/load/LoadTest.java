package dev.sojourn.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The measuring instrument against a server that errs on purpose. */
class LoadTest {
    private static final int USERS = 4;
    /** Instead of a status: the first line of an answer, and then the connection ends. */
    private static final int TORN = -1;

    private final Map<String, long[]> sessions = new ConcurrentHashMap<>();
    private final AtomicInteger answered = new AtomicInteger();
    private volatile Fault fault = (number, counterAndStamp) -> 200;
    private HttpServer server;

    /** May spoil a session before the request sees it; gives the status. */
    private interface Fault {
        int spoil(int number, long[] counterAndStamp);
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String cookie = exchange.getRequestHeaders().getFirst("Cookie");
        String id = cookie == null ? "S=" + sessions.size() : cookie;
        exchange.getResponseHeaders().add("Set-Cookie", id + "; Path=/");
        long[] session = sessions.computeIfAbsent(id, any -> new long[2]);
        int status = fault.spoil(answered.incrementAndGet(), session);
        String query = exchange.getRequestURI().getQuery();
        if (query.equals("end=1")) {
            send(exchange, status, session[0] + " " + session[0] + " " + session[1] + " whole", query);
            return;
        }
        long stamp = Long.parseLong(query.replaceAll(".*stamp=(\\d+).*", "$1"));
        String body = session[0] + " " + (session[0] + 1) + " " + session[1] + " whole";
        session[0]++;
        session[1] = stamp;
        send(exchange, status, body, query.substring(query.indexOf("as=") + 3));
    }

    private static void send(HttpExchange exchange, int status, String body, String as) throws IOException {
        if (status == TORN) {
            exchange.sendResponseHeaders(200, 100_000);
            OutputStream out = exchange.getResponseBody();
            out.write((body + "\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
        } else if (as.equals("redirect")) {
            exchange.getResponseHeaders().add("Location", "/next?answer=" + body.replace(' ', '+'));
            exchange.sendResponseHeaders(302, -1);
        } else if (as.equals("chunks") || as.equals("stream")) {
            exchange.sendResponseHeaders(status, 0);
            OutputStream out = exchange.getResponseBody();
            out.write((body + "\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
            out.write(new byte[100_000]);
        } else {
            exchange.sendResponseHeaders(status, body.length());
            exchange.getResponseBody().write(body.getBytes(StandardCharsets.US_ASCII));
        }
        exchange.close();
    }

    private Outcome load(long requests) throws IOException {
        InetSocketAddress node = server.getAddress();
        try (Load load = new Load(List.of(node, node), USERS, Routing.RANDOM, Script.session(1, 1), 1)) {
            return load.run(requests);
        }
    }

    @Test
    void allRight() throws IOException {
        Outcome outcome = load(200);
        assertEquals(200, outcome.requests());
        assertEquals(200, outcome.count(Verdict.RIGHT), outcome.firstFailure());
        assertEquals(USERS, sessions.size());
    }

    @Test
    void takesTheFirstLineForTheAnswerAndWhatFollowsForItsRest() throws IOException {
        InetSocketAddress node = server.getAddress();
        try (Load load = new Load(List.of(node, node, node), USERS, Routing.ROUND_ROBIN, Script.mixed(1, 1), 1)) {
            Outcome outcome = load.run(400);
            assertEquals(400, outcome.count(Verdict.RIGHT), outcome.firstFailure());
        }
    }

    @Test
    void anAnswerWithoutItsRestIsOneFailureAndNoOtherRequests() throws IOException {
        fault = (number, session) -> number == 50 || number == 400 ? TORN : 200;
        InetSocketAddress node = server.getAddress();
        try (Load load = new Load(List.of(node, node, node), USERS, Routing.ROUND_ROBIN, Script.mixed(1, 1), 1)) {
            Outcome outcome = load.run(400);
            assertEquals(2, outcome.count(Verdict.FAILED), outcome.firstFailure());
            assertEquals(400, outcome.count(Verdict.RIGHT), outcome.firstFailure());
        }
    }

    @Test
    void seesALostSession() throws IOException {
        fault = (number, session) -> {
            session[0] = number == 50 ? 0 : session[0];
            return 200;
        };
        Outcome outcome = load(100);
        assertEquals(1, outcome.count(Verdict.LOST));
        assertEquals(99, outcome.count(Verdict.RIGHT));
    }

    @Test
    void keepsWhatEachRunAndTheEndCameTo() throws IOException {
        AtomicBoolean first = new AtomicBoolean(true);
        fault = (number, session) -> {
            boolean isSecondClick = session[0] > 0 && first.getAndSet(false);
            session[0] = isSecondClick || number == 102 ? 0 : session[0];
            return number == 101 + USERS ? 500 : 200;
        };
        InetSocketAddress node = server.getAddress();
        try (Load load = new Load(List.of(node, node), USERS, Routing.RANDOM, Script.session(1, 1), 1)) {
            load.run(20);
            assertEquals(81, load.run(81).count(Verdict.RIGHT));
            load.end();
            assertEquals(List.of(1L, 0L, 1L), counts(load, Verdict.LOST));
            assertEquals(List.of(0L, 0L, 1L), counts(load, Verdict.FAILED));
        }
    }

    private static List<Long> counts(Load load, Verdict verdict) {
        return load.outcomes().stream().map(outcome -> outcome.count(verdict)).toList();
    }

    @Test
    void seesAStaleCopy() throws IOException {
        fault = (number, session) -> {
            if (number == 50) {
                session[0]--;
                session[1]--;
            }
            return 200;
        };
        assertEquals(1, load(100).count(Verdict.STALE));
    }

    @Test
    void seesAFailureAndGoesOn() throws IOException {
        fault = (number, session) -> number == 50 ? 500 : 200;
        Outcome outcome = load(100);
        assertEquals(1, outcome.count(Verdict.FAILED));
        assertEquals(99, outcome.count(Verdict.RIGHT));
    }
}

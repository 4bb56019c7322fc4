package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The pod leaves. */
interface DrainCases extends Nodes {
    String HEADER = "x-envoy-immediate-health-check-fail";
    String REFUSED = "x-sojourn-refused";
    String REFUSAL = "503 " + REFUSED;

    @Test
    default void aDrainingPodSaysSoAndTermWaitsForTheRequestInFlight() throws Exception {
        Daemon daemon = pods().daemon("c");
        // Nothing is cut off that takes its time.
        String settings = "drain.quiet=300ms,drain.deadline=60s";
        try (TomcatNode c =
                pods().tomcat("c", daemon.socket, Release.THIS, settings).awaitStarted()) {
            user().get(c, "op=set&name=x&value=1");
            assertFalse(user().response(c, "/app", "op=stateless")
                    .headers()
                    .firstValue(HEADER)
                    .isPresent());
            daemon.drain();
            Eventually.holds(
                    "responses say that the pod is leaving",
                    SOON,
                    () -> user().response(c, "/app", "op=stateless")
                            .headers()
                            .firstValue(HEADER)
                            .isPresent());
            CompletableFuture<HttpResponse<String>> inFlight = user().later(c, "op=gated&gate=term&name=x&value=last");
            Nodes.awaitInFlight(c, "term", 1);
            c.terminate();
            Eventually.holds("SIGTERM was seen", SOON, () -> c.logged().contains("sojourn: SIGTERM received at="));
            user().get(c, "op=open&gate=term");
            assertEquals(200, inFlight.get(60, TimeUnit.SECONDS).statusCode());
            assertEquals(143, c.exit(60));
            assertTrue(c.logged().matches("(?s).*sojourn: drain announced at=\\d+\n.*"), c.logged());
            assertTrue(c.logged().matches("(?s).*sojourn: draining done after \\d+ ms, 0 requests in flight\n.*"));
            assertTrue(c.logged().matches("(?s).*sojourn: SIGTERM handed on at=\\d+ waited=\\d+ inflight=0\n.*"));
            assertEquals("last", user().get(b(), "op=get&name=x"));
        }
    }

    /** Tomcat drops its connection, and calls nobody that its end could be seen by. Over HTTP/1.1 and what the server speaks beside it. */
    @Test
    default void nobodyWaitsForAnAsyncRequestThatHasFailed() throws Exception {
        try (TomcatNode c = pods().tomcat("failed", daemonA().socket, Release.THIS, "drain.deadline=20s")
                .awaitStarted()) {
            user().get(c, "op=create");
            // The last on each connection: what the next one there was given would end with that.
            user().later(c, "op=asyncthrow&name=x&value=1")
                    .handle((response, problem) -> "over")
                    .get(60, TimeUnit.SECONDS);
            try (Socket failed = user().raw(c, "op=asyncthrow&name=x&value=2")) {
                Browser.read(failed.getInputStream());
            }
            assertEquals("2", user().get(b(), "op=get&name=x"));
            c.terminate();
            assertEquals(143, c.exit(60));
            assertTrue(c.logged().contains(" ms, 0 requests in flight\n"), c.logged());
        }
    }

    /** What the connection's own thread has given up Tomcat does not come back to, whatever the application does. */
    @Test
    default void nobodyWaitsForAnAsyncStreamThatHasFailed() throws Exception {
        try (TomcatNode c = pods().tomcat("streams", daemonA().socket, Release.THIS, "drain.deadline=20s")
                .awaitStarted()) {
            for (Streams.Failure failure : Streams.Failure.values()) {
                user().get(c, "op=create");
                try (Streams streams = Streams.to(c)) {
                    streams.get("op=asyncgated&gate=" + failure + "&name=x&value=" + failure, user());
                    Nodes.awaitInFlight(c, failure.name(), 1);
                    streams.fail(failure);
                }
                new Browser().get(c, "op=open&gate=" + failure);
                Eventually.holds(
                        "it has ended after " + failure,
                        SOON,
                        () -> user().get(b(), "op=get&name=x").equals(failure.name()));
            }
            c.terminate();
            assertEquals(143, c.exit(60));
            assertTrue(c.logged().contains(" ms, 0 requests in flight\n"), c.logged());
        }
    }

    /**
     * A proxy that has not heard of the pod's end yet may send what never reached the application elsewhere, whatever its method; so nobody must be told
     * anything else, however far Tomcat has come with its own end.
     */
    @Test
    default void whoComesAsThePodEndsIsServedOrRefusedOrNotAnswered() throws Exception {
        Set<String> all = new TreeSet<>();
        // Between the refusal and the end of Tomcat is a moment, which on a busy machine nobody's request may fall
        // into.
        for (int pod = 0; pod < 5 && !all.contains(REFUSAL); pod++) {
            all.addAll(answersAsAPodEnds("leaving" + pod));
            assertTrue(Set.of("200", REFUSAL).containsAll(all), all::toString);
        }
        assertTrue(all.contains(REFUSAL), "nobody was refused as five pods ended");
    }

    /** By Tomcat's stop, which waits for the application; before that by Spring Boot's graceful shutdown, which waits for a request. */
    @Test
    default void whoComesWhileTomcatIsTakenApartIsRefused() throws Exception {
        Path held = pods().file("held", "");
        List<KeptAlive> kept = new ArrayList<>();
        try (TomcatNode c = pods().tomcat("held", daemonA().socket, Release.THIS, "drain.deadline=200ms")
                .awaitStarted()) {
            for (int i = 0; i < 3; i++) {
                KeptAlive connection = KeptAlive.to(c);
                kept.add(connection);
                assertEquals(200, connection.get("op=stateless").status());
            }
            user().later(c, "op=hold&value=" + held);
            Eventually.holds("it is in flight", SOON, () -> c.logged().contains("holds a request"));
            c.terminate();
            Eventually.holds("it is taken apart", SOON, () -> c.logged().contains("holds its end") || !accepts(c));
            for (KeptAlive connection : kept) {
                KeptAlive.Answer answer = connection.post("op=stateless", "order=7");
                assertTrue(answer.isRefusal(), answer::head);
            }
            Files.delete(held);
            kept.get(0).untilClosed(answer -> assertTrue(answer.isRefusal(), answer::head));
            assertEquals(143, c.exit(60));
        } finally {
            for (KeptAlive connection : kept) {
                connection.close();
            }
        }
    }

    private static boolean accepts(TomcatNode node) throws IOException {
        try {
            Browser.connection(node).close();
            return true;
        } catch (SocketException e) {
            // Refused, or reset where the listener was closed in between.
            return false;
        }
    }

    private Set<String> answersAsAPodEnds(String pod) throws Exception {
        // Long enough for the last half second of it: so much have those to end in who were let in, on a busy machine
        // too.
        try (TomcatNode c = pods().tomcat(pod, daemonA().socket, Release.THIS, "drain.deadline=2s")
                .awaitStarted()) {
            Set<String> answers = ConcurrentHashMap.newKeySet();
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                clients.add(CompletableFuture.runAsync(
                        () -> KeptAlive.untilClosed(c, answers), task -> new Thread(task).start()));
            }
            Eventually.holds("somebody is served", SOON, () -> answers.contains("200"));
            c.terminate();
            for (CompletableFuture<Void> client : clients) {
                client.get(60, TimeUnit.SECONDS);
            }
            return answers;
        }
    }
}

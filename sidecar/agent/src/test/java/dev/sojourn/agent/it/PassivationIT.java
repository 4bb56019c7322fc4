package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What an object is told when it leaves a JVM while its session goes on. */
class PassivationIT {
    @Test
    void anObjectIsToldOnceWhenItsCopyIsForgottenAndOnceWhenItsContextStops() throws Exception {
        try (Pods pods = new Pods("passivation", new StockTomcat("10.1.54", true))) {
            Daemon daemon = pods.daemon("a");
            TomcatNode forgets = pods.tomcat("forgets", daemon.socket, Release.THIS, "memory.idle=1s");
            TomcatNode stops = pods.tomcat("stops", daemon.socket, Release.THIS, "drain.quiet=100ms");
            forgets.awaitStarted();
            stops.awaitStarted();
            Browser ann = new Browser();
            Browser bea = new Browser();
            ann.get(forgets, "op=bound&name=x&value=ann");
            bea.get(stops, "op=bound&name=x&value=bea");
            assertEquals("ann", ann.get(stops, "op=get&name=x"));
            Eventually.holds("its copy is forgotten", Nodes.SOON, () -> Nodes.counter(forgets, "passivated") > 0);
            assertEquals("ann", ann.get(stops, "op=get&name=x"));
            assertEquals(0, Nodes.counter(stops, "passivated"), "what is in use here stays");

            stops.terminate();
            assertEquals(143, stops.exit(60));
            assertEquals(1, passivations(stops, "ann"));
            assertEquals(1, passivations(stops, "bea"));
            assertEquals(1, passivations(forgets, "ann"));
            assertEquals("ann", ann.get(forgets, "op=get&name=x"));
            assertEquals("bea", bea.get(forgets, "op=get&name=x"));
        }
    }

    @Test
    void ofTooManyCopiesThoseGoThatWereNotUsedForTheLongest() throws Exception {
        try (Pods pods = new Pods("bounded", new StockTomcat("10.1.54", true))) {
            TomcatNode node = pods.tomcat("a", pods.daemon("a").socket, Release.THIS, "memory.sessions=2")
                    .awaitStarted();
            List<Browser> users = new ArrayList<>();
            for (String name : List.of("ann", "bea", "cid", "dan")) {
                Browser user = new Browser();
                user.get(node, "op=bound&name=x&value=" + name);
                users.add(user);
                // Each at another time: the JVM reads the same clock, perhaps a moment after its answer has left.
                long next = System.currentTimeMillis() + 20;
                while (System.currentTimeMillis() < next) {
                    Thread.onSpinWait();
                }
            }
            Eventually.holds("two are forgotten", Nodes.SOON, () -> Nodes.counter(node, "passivated") >= 2);
            assertEquals(List.of(1L, 1L, 0L, 0L), passivations(node, "ann", "bea", "cid", "dan"));
            for (Browser user : users) {
                assertEquals("true", user.response(node, "/app", "op=has").body());
            }
        }
    }

    /** A session and what is in it have each one object in a JVM, whoever holds them. */
    @Test
    void whatASocketHoldsOfAForgottenCopyIsStillTheSession() throws Exception {
        try (Pods pods = new Pods("held", new StockTomcat("10.1.54", true))) {
            TomcatNode node = pods.tomcat("a", pods.daemon("a").socket, Release.THIS, "memory.idle=1s")
                    .awaitStarted();
            Browser user = new Browser();
            user.get(node, "op=bound&name=bound&value=ann");
            Heard heard = new Heard();
            WebSocket socket = user.socket(node, "/app/echo", heard);
            Eventually.holds("its copy is forgotten", Nodes.SOON, () -> Nodes.counter(node, "passivated") > 0);
            user.get(node, "op=set&name=x&value=new");
            assertEquals(1, Nodes.counter(node, "activated"));
            socket.sendText("x", true);
            assertEquals("new", heard.next());
            user.get(node, "op=invalidate");
            socket.sendText("x", true);
            assertEquals("ended", heard.next());
            socket.abort();
        }
    }

    private static List<Long> passivations(TomcatNode node, String... values) throws Exception {
        List<Long> all = new ArrayList<>();
        for (String value : values) {
            all.add(passivations(node, value));
        }
        return all;
    }

    /** In the log: a JVM that has ended cannot be asked for its counters. */
    private static long passivations(TomcatNode node, String value) throws Exception {
        return Pattern.compile("^passivated " + value + "$", Pattern.MULTILINE)
                .matcher(node.logged())
                .results()
                .count();
    }
}

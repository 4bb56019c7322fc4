package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What every case has: two pods on one store, and somebody whose cookie nobody else has. */
interface Nodes {
    Duration SOON = Duration.ofSeconds(30);

    TomcatNode a();

    /** Runs the next version of the application. */
    TomcatNode b();

    Daemon daemonA();

    Daemon daemonB();

    Browser user();

    Pods pods();

    /** So many requests wait at the gate inside the application: one that is still on its way would find what is done next. */
    static void awaitInFlight(TomcatNode node, String gate, int requests) throws Exception {
        awaitInFlight(node, "/app", gate, requests);
    }

    static void awaitInFlight(TomcatNode node, String context, String gate, int requests) throws Exception {
        Browser probe = new Browser();
        String waiting = "" + requests;
        Eventually.holds(
                waiting + " wait at the gate " + gate,
                SOON,
                () -> probe.response(node, context, "op=waiting&gate=" + gate)
                        .body()
                        .equals(waiting));
    }

    static int counter(TomcatNode node, String name) throws Exception {
        String report = new Browser().get(node, "op=counters");
        return Integer.parseInt(report.replaceAll("(?s).*\\b" + name + "=(\\d+).*", "$1"));
    }

    /** What one sidecar says to all is heard by the other: after an outage of another case's it takes them a moment. */
    default void awaitChannels() throws Exception {
        for (Daemon daemon : List.of(daemonA(), daemonB())) {
            Eventually.holds("it hears what is said to all", SOON, () -> daemon.metric("sojourn_claims_trusted") == 1);
        }
    }

    /** What somebody's WebSocket is told, if anything. */
    interface Told {
        @Nullable
        String by(Browser user) throws Exception;
    }

    /** A daemon whose machine stood still listens anew, and has missed what was said to all meanwhile: so it is tried with others too. */
    default void assertClosed(Told told) throws Exception {
        String heard = null;
        for (int n = 0; n < 3 && heard == null; n++) {
            awaitChannels();
            heard = told.by(new Browser());
        }
        assertEquals("closed 1008", heard);
    }

    /** Ends sessions as an operator does, and waits until their listeners have heard of it: the next case counts. */
    default void endSessions(String user) throws Exception {
        int destroyed = counters("destroyed");
        String printed = daemonA().sessions("--user", user, "--context", "/app", "--end");
        int ended = Integer.parseInt(printed.replaceAll("(?s).*?(\\d+) sessions.*", "$1"));
        Eventually.holds("their listeners are told", SOON, () -> counters("destroyed") >= destroyed + ended);
    }

    /** Of both nodes together. */
    default int counters(String name) throws Exception {
        return counter(a(), name) + counter(b(), name);
    }
}

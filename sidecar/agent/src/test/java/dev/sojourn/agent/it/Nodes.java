package dev.sojourn.agent.it;

import java.time.Duration;

/** What every case has: two pods on one store, and somebody whose cookie nobody else has. */
interface Nodes {
    Duration SOON = Duration.ofSeconds(30);

    TomcatNode a();

    /** Runs the next version of the application. */
    TomcatNode b();

    Daemon daemonA();

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

    /** Of both nodes together. */
    default int counters(String name) throws Exception {
        return counter(a(), name) + counter(b(), name);
    }
}

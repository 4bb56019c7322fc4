package dev.sojourn.agent.it;

import java.time.Duration;

/** What every case has: two pods on one store, and somebody whose cookie nobody else has. */
interface Nodes {
    Duration SOON = Duration.ofSeconds(10);

    TomcatNode a();

    /** Runs the next version of the application. */
    TomcatNode b();

    Daemon daemonA();

    Browser user();

    Pods pods();

    /** So many gated requests wait inside the application: one that is still on its way would find what is done next. */
    static void awaitInFlight(TomcatNode node, int requests) throws Exception {
        Browser probe = new Browser();
        Eventually.holds(requests + " wait at a gate", SOON, () -> counter(probe, node, "waiting") == requests);
    }

    static int counter(TomcatNode node, String name) throws Exception {
        return counter(new Browser(), node, name);
    }

    /** Of both nodes together. */
    default int counters(String name) throws Exception {
        return counter(a(), name) + counter(b(), name);
    }

    private static int counter(Browser browser, TomcatNode node, String name) throws Exception {
        String report = browser.get(node, "op=counters");
        return Integer.parseInt(report.replaceAll("(?s).*\\b" + name + "=(\\d+).*", "$1"));
    }
}

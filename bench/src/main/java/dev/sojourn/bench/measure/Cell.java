package dev.sojourn.bench.measure;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Script;

/** What is asked of every variant alike. */
public record Cell(String scenario, int nodes, Routing routing, int users, int sessionBytes, int changedBytes) {
    public Script script() {
        return Script.session(sessionBytes, changedBytes);
    }

    public String title() {
        return "%s: %d nodes, %s, %d users, session %s, %d B changed"
                .formatted(scenario, nodes, routing, users, size(), changedBytes);
    }

    public String size() {
        return sessionBytes % (1 << 20) == 0 ? (sessionBytes >> 20) + " MiB" : (sessionBytes >> 10) + " KiB";
    }

    public Cell sticky() {
        return new Cell(scenario, nodes, Routing.STICKY, users, sessionBytes, changedBytes);
    }
}

package dev.sojourn.bench.measure;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Script;

/**
 * What is asked of every variant alike.
 *
 * @param clicks so many requests; 0: as many as the measured period has
 */
public record Cell(
        String scenario,
        int nodes,
        Routing routing,
        int users,
        int sessionBytes,
        int changedBytes,
        long clicks,
        Kind kind) {
    /** What a request is. */
    public enum Kind {
        CLICK,
        /** Looks, and now and then a click. */
        READ,
        DOWNLOAD,
        /** Clicks with all kinds of answers. */
        MIXED
    }

    public Cell(String scenario, int nodes, Routing routing, int users, int sessionBytes, int changedBytes) {
        this(scenario, nodes, routing, users, sessionBytes, changedBytes, 0, Kind.CLICK);
    }

    Script script() {
        return switch (kind) {
            case CLICK -> Script.session(sessionBytes, changedBytes);
            case READ -> Script.reading(sessionBytes, changedBytes);
            case DOWNLOAD -> Script.download(sessionBytes, changedBytes);
            case MIXED -> Script.mixed(sessionBytes, changedBytes);
        };
    }

    public String title() {
        return "%s: %d %s, %s, %d %s, session %s, %d B changed%s"
                .formatted(
                        scenario,
                        nodes,
                        nodes == 1 ? "node" : "nodes",
                        routing,
                        users,
                        users == 1 ? "user" : "users",
                        size(),
                        changedBytes,
                        kind == Kind.READ ? " by one request in " + Script.READS + ", the others read" : "");
    }

    public String size() {
        return sessionBytes % (1 << 20) == 0 ? (sessionBytes >> 20) + " MiB" : (sessionBytes >> 10) + " KiB";
    }

    public Cell with(Routing other) {
        return new Cell(scenario, nodes, other, users, sessionBytes, changedBytes, clicks, kind);
    }

    public Cell with(Kind other) {
        return new Cell(scenario, nodes, routing, users, sessionBytes, changedBytes, clicks, other);
    }

    public Cell users(int other) {
        return new Cell(scenario, nodes, routing, other, sessionBytes, changedBytes, clicks, kind);
    }
}

package dev.sojourn.operator.inject;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/**
 * What namespaces were told in events. Each is an object in the API server's store, and their text is of whoever reaches the webhook's
 * port: of those that are there at a time no namespace gets more than it can read.
 */
final class ToldLately {

    /** More than a namespace has workloads that are new and all wrong. */
    private static final int MOST = 50;

    /** API servers forget an event after so long, by default. */
    private static final Duration KEPT = Duration.ofHours(1);

    /** The same again says only that it goes on: a workload with a thousand pods says so a thousand times. */
    private static final Duration AGAIN = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final Map<String, Map<Object, Instant>> told = new HashMap<>();

    ToldLately(InstantSource clock) {
        this.clock = clock;
    }

    /** Whether it is to be told now; who asks tells it then. */
    synchronized boolean lets(String namespace, Object event) {
        var now = clock.instant();
        var lately = told.computeIfAbsent(namespace, first -> new HashMap<>());
        lately.values().removeIf(at -> !at.plus(KEPT).isAfter(now));
        var last = lately.get(event);
        if (last == null ? lately.size() >= MOST : last.plus(AGAIN).isAfter(now)) {
            return false;
        }
        lately.put(event, now);
        return true;
    }
}

package dev.sojourn.operator.reconcile;

import java.time.Duration;
import java.time.Instant;

/**
 * Whether a deleted SessionCluster may go, and its store and proxy with it. While pods with the sidecar are still there, their
 * users' sessions are in that store: taken away under them it would have every request wait for it.
 */
final class Farewell {

    /** A rollout that hangs must not hold the SessionCluster, and perhaps its namespace, for good. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    private Farewell() {}

    static boolean isOver(Instant deleted, Instant now, long injectedPods) {
        return injectedPods == 0 || !now.isBefore(deleted.plus(LONGEST));
    }
}

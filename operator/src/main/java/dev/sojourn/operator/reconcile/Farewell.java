package dev.sojourn.operator.reconcile;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a deleted SessionCluster may go, and its store and proxy with it. While pods with the sidecar are still there, their
 * users' sessions are in that store: taken away under them it would have every request wait for it.
 *
 * @param left the fewest pods with the sidecar that there were, those on their way out included
 * @param since when there were that few for the first time
 */
record Farewell(long left, Instant since) {

    /** Without any progress. A roll-back that hangs must not hold the SessionCluster, and perhaps its namespace, for good. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    static Farewell next(@Nullable Farewell before, long left, Instant now) {
        return before == null || left < before.left ? new Farewell(left, now) : before;
    }

    /** @param ending until when pods on their way out may take: users may have been given half an hour to leave one */
    boolean isOver(Instant now, Optional<Instant> ending) {
        var progress = ending.filter(since::isBefore).orElse(since);
        return left == 0 || !now.isBefore(progress.plus(LONGEST));
    }
}

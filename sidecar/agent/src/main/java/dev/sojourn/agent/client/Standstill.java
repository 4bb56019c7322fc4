package dev.sojourn.agent.client;

import java.util.concurrent.TimeUnit;

/**
 * When this JVM last stood still, perhaps with the sidecar, as a paused machine does. An answer may then be there that nobody has read yet, or come as late as if
 * it had been asked for just now: nobody is late who was asked before.
 */
final class Standstill {
    /** Whoever looks comes by five times as often. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long lookedAt;
    private long since;

    Standstill(long now) {
        lookedAt = now;
        since = now;
    }

    /** By one thread, again and again. */
    long nanosSince(long now) {
        if (now - lookedAt > LONGEST_NANOS) {
            since = now;
        }
        lookedAt = now;
        return now - since;
    }
}

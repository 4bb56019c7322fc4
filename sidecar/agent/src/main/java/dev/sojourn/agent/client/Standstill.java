package dev.sojourn.agent.client;

import java.util.concurrent.TimeUnit;

/**
 * Time without what this JVM stood still, perhaps with the sidecar, as a paused machine does: that is nobody's silence. One that pauses again and again still gives up
 * what hangs, only later.
 */
final class Standstill {
    /** Whoever looks comes by five times as often. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long lookedAt;
    private long ran;
    private long stoodAt = -LONGEST_NANOS;

    Standstill(long now) {
        lookedAt = now;
    }

    /** How long this JVM ran since this was made. By one thread, again and again. */
    long nanosRun(long now) {
        long passed = now - lookedAt;
        lookedAt = now;
        ran += Math.min(passed, LONGEST_NANOS);
        if (passed > LONGEST_NANOS) {
            stoodAt = ran;
        }
        return ran;
    }

    /** An answer may be there that nobody has had the time to read since. */
    boolean isJustOver() {
        return ran - stoodAt < LONGEST_NANOS;
    }
}

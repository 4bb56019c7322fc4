package dev.sojourn.agent.it;

import java.time.Duration;
import java.util.function.Supplier;

/** Polls for a condition, with a deadline and a sentence for when it passes. */
final class Eventually {
    interface Condition {
        boolean holds() throws Exception;
    }

    /** However long one look takes: where all stood still nobody had the time to come to it. */
    private static final Duration LOOK = Duration.ofMillis(500);

    private Eventually() {}

    static void holds(String what, Duration within, Condition condition) throws Exception {
        holds(() -> what, within, condition);
    }

    /** @param what said last, of what was seen last */
    static void holds(Supplier<String> what, Duration within, Condition condition) throws Exception {
        long left = within.toNanos();
        long at = System.nanoTime();
        while (!condition.holds()) {
            long now = System.nanoTime();
            left -= Math.min(now - at, LOOK.toNanos());
            at = now;
            if (left < 0) {
                throw new AssertionError("not within " + within.toSeconds() + " s: " + what.get());
            }
            Thread.sleep(20);
        }
    }
}

package dev.sojourn.agent.it;

import java.time.Duration;

/** Polls for a condition, with a deadline and a sentence for when it passes. */
final class Eventually {
    interface Condition {
        boolean holds() throws Exception;
    }

    private Eventually() {}

    static void holds(String what, Duration within, Condition condition) throws Exception {
        long deadline = System.nanoTime() + within.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + within.toSeconds() + " s: " + what);
            }
            Thread.sleep(20);
        }
    }
}

package dev.sojourn.agent.session;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many there are of what begins and ends on many threads. A {@link java.util.concurrent.atomic.LongAdder} has as many places to count at as there
 * are cores, and far more threads that take turns on them: their places then wander between the cores, which was the most that a request without a session cost.
 */
final class Tally {
    private static final int PLACES = 64;
    /** Two cache lines: the next one is fetched along. */
    private static final int LONGS = 16;

    private static final int BEGUN = 0;
    private static final int OVER = 1;

    private final AtomicLongArray counts = new AtomicLongArray(PLACES * LONGS);

    /** Where a thread counts; it may be others' as well. */
    static int place(Thread thread) {
        return (int) (thread.getId() % PLACES) * LONGS;
    }

    void begin(int place) {
        counts.getAndIncrement(place + BEGUN);
    }

    /** At any place. */
    void end(int place) {
        counts.getAndIncrement(place + OVER);
    }

    /** Never fewer than there are: what is over is looked at first. */
    int now() {
        long over = sum(OVER);
        return (int) (sum(BEGUN) - over);
    }

    private long sum(int which) {
        long sum = 0;
        for (int place = 0; place < counts.length(); place += LONGS) {
            sum += counts.get(place + which);
        }
        return sum;
    }
}

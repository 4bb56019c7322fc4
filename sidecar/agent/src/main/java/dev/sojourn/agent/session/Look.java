package dev.sojourn.agent.session;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * When all that threads of no request have ever had of a session is looked at again: one may keep what it has read, and change it any time later.
 *
 * <p>It holds no session. To ask it for its session is to keep that from a collector that marks concurrently until the next time that it does: only where it is due.
 */
class Look extends WeakReference<SessionState> {
    private volatile long last;

    // Of the one thread that asks whether it is due.
    private long seen;
    private int rounds;

    Look(@Nullable SessionState session, ReferenceQueue<SessionState> unheld) {
        super(session, unheld);
    }

    /** A thread of no request has asked for something of the session. */
    void touched() {
        last = System.nanoTime();
    }

    /** {@link System#nanoTime}. */
    long last() {
        return last;
    }

    /** To be asked in each round. Each time after twice as many: to compare what there is in each would cost more than it finds. */
    boolean isDue() {
        long now = last;
        rounds = now == seen ? rounds + 1 : 1;
        seen = now;
        return rounds > 1 && Integer.bitCount(rounds) == 1;
    }
}

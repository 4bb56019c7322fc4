package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Once per outage requests wait a little, so that a restarting sidecar is never noticed. After that they go on at once
 * with what this JVM holds, until the sidecar answers again.
 */
final class Outage {
    private static final long RETRY_MILLIS = 50;

    private final String where;
    private final long patienceNanos;

    /** The patience is spent: do not even try. */
    private volatile boolean spent;

    /** When the first request failed; 0 while all is well. Guarded by this for writing. */
    private volatile long since;

    Outage(String where, long patienceMillis) {
        this.where = where;
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    }

    boolean isSpent() {
        return spent;
    }

    /** Waits a moment and tells whether to try again. */
    boolean tryAgain(Exception cause) {
        long began = begin(cause);
        if (spent || System.nanoTime() - began >= patienceNanos) {
            spend(cause);
            return false;
        }
        // Unlike sleep it leaves an interrupt of the application's where it is.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
        return !spent;
    }

    /** It took a request and does not answer: waiting again would only add to the wait. */
    void hangs(Exception cause) {
        begin(cause);
        spend(cause);
    }

    void over() {
        if (since == 0) {
            return;
        }
        synchronized (this) {
            if (since != 0) {
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
                Log.info("the sidecar at " + where + " answers again after " + millis + " ms");
                since = 0;
                spent = false;
            }
        }
    }

    private synchronized long begin(Exception cause) {
        if (since == 0) {
            since = System.nanoTime() | 1;
            Log.debug("no answer from the sidecar at " + where + ", trying again: " + cause);
        }
        return since;
    }

    private synchronized void spend(Exception cause) {
        if (!spent && since != 0) {
            spent = true;
            Log.warn(notice(where, cause));
        }
    }

    /** With the cause: what is wrong may be this JVM, and the sidecar well. */
    static String notice(String where, Exception cause) {
        return "no answer from the sidecar at " + where
                + ": requests go on with the sessions this JVM holds until it is back; cause=" + cause;
    }
}

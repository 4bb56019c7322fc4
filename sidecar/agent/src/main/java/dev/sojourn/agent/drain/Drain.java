package dev.sojourn.agent.drain;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.session.Requests;
import java.util.concurrent.TimeUnit;

/** The pod is leaving: say so in every response, and wait for a quiet moment before the JVM ends; or for those who stay. */
public final class Drain {
    /** Envoy takes the host out as soon as it sees one response with it. */
    public static final String HEADER = "x-envoy-immediate-health-check-fail";

    private static final long POLL_MILLIS = 10;

    private final Requests requests;
    private final boolean sticky;
    private final long quietNanos;
    private final long deadlineNanos;
    private volatile boolean draining;
    private volatile long since;
    /** When a request was last seen that nobody had read. */
    private long unreadAt = System.nanoTime();

    /** @param sticky users stay here until the deadline: nobody is sent away, and a quiet moment is no reason to end */
    public Drain(Requests requests, long quietMillis, long deadlineMillis, boolean sticky) {
        this.requests = requests;
        this.sticky = sticky;
        this.quietNanos = TimeUnit.MILLISECONDS.toNanos(sticky ? deadlineMillis : quietMillis);
        this.deadlineNanos = TimeUnit.MILLISECONDS.toNanos(deadlineMillis);
    }

    /** Whether responses are to say it. Envoy would take the host out for those too who are to stay. */
    public boolean sendsAway() {
        return draining && !sticky;
    }

    public synchronized void announce() {
        if (!draining) {
            since = System.nanoTime();
            requests.time();
            draining = true;
            Log.info("drain announced at=" + System.currentTimeMillis());
        }
    }

    /** Bounded: the JVM must end. */
    void awaitQuiet() throws InterruptedException {
        announce();
        long began = System.nanoTime();
        Unread unread = Unread.here();
        while (System.nanoTime() - began < deadlineNanos && !isQuiet(unread)) {
            Thread.sleep(POLL_MILLIS);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        int left = requests.inFlight();
        Log.info("draining done after " + millis + " ms, " + left + " requests in flight");
        Log.info("SIGTERM handed on at=" + System.currentTimeMillis() + " waited=" + millis + " inflight=" + left);
    }

    private boolean isQuiet(Unread unread) {
        long now = System.nanoTime();
        // First: what is read now is in flight a moment later, and counts then.
        if (unread.any()) {
            unreadAt = now;
        }
        // Counted from the announcement too: proxies need that moment to learn of it, even if nobody came for a while.
        return !requests.any()
                && now - requests.lastBegan() >= quietNanos
                && now - unreadAt >= quietNanos
                && now - since >= quietNanos;
    }
}

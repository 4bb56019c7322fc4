package dev.sojourn.agent.drain;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.session.Requests;
import java.util.concurrent.TimeUnit;

/** The pod is leaving: say so in every response, and wait for a quiet moment before the JVM ends; or for those who stay. */
public final class Drain {
    /** Envoy takes the host out as soon as it sees one response with it. */
    public static final String HEADER = "x-envoy-immediate-health-check-fail";

    /** The application has not seen this request, and will not: whatever its method, it may be sent to another pod. */
    public static final String REFUSED = "x-sojourn-refused";

    private static final long POLL_MILLIS = 10;

    /** The most that one look counts for. Where the machine stood still, proxies did too, and have had no more time than that to hear of the pod's end. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Where it is never quiet nobody is let in for the last of the time: who was let in has that much to end in. */
    private static final long LAST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Requests requests;
    private final boolean sticky;
    private final long quietNanos;
    private final long deadlineNanos;
    private volatile boolean draining;
    private volatile boolean closed;
    /** {@link System#nanoTime} of the last request's beginning. */
    private volatile long lastCame = System.nanoTime();

    private long lookedAt;
    /** How long nobody has come for, as far as one has looked. */
    private long quietFor;

    /** @param sticky users stay here until the deadline: nobody is sent away, and a quiet moment is no reason to end */
    public Drain(Requests requests, long quietMillis, long deadlineMillis, boolean sticky) {
        this.requests = requests;
        this.sticky = sticky;
        this.quietNanos = TimeUnit.MILLISECONDS.toNanos(sticky ? deadlineMillis : quietMillis);
        this.deadlineNanos = TimeUnit.MILLISECONDS.toNanos(deadlineMillis);
    }

    public boolean isAnnounced() {
        return draining;
    }

    /** A request has begun that a proxy might have sent elsewhere. */
    public void came() {
        lastCame = System.nanoTime();
    }

    /** Whether responses are to say it. Envoy would take the host out for those too who are to stay. */
    public boolean sendsAway() {
        return draining && !sticky;
    }

    /**
     * Whether the request that this thread has just come with is to be refused, unless it goes on with one that the application knows. A quiet moment only
     * says that nobody came, not that nobody will: a proxy that was held up for as long has not heard of the pod's end, and what it sends would meet a
     * container that is taken apart.
     */
    public boolean refuses() {
        return closed && requests.used() == null;
    }

    public synchronized void announce() {
        if (!draining) {
            draining = true;
            Log.info("drain announced at=" + System.currentTimeMillis());
        }
    }

    /** Bounded: the JVM must end. */
    public void awaitQuiet() throws InterruptedException {
        announce();
        long began = System.nanoTime();
        lookedAt = began;
        Unread unread = Unread.here();
        // Else whoever had just been let in at the deadline would meet a container that is taken apart.
        long open = deadlineNanos - Math.min(LAST_NANOS, deadlineNanos / 2);
        while (System.nanoTime() - began < open && !isQuiet(unread)) {
            Thread.sleep(POLL_MILLIS);
        }
        closed = true;
        // Who began just before that was let in, and is in flight; who is read from now on is refused.
        while (System.nanoTime() - began < deadlineNanos && (unread.any() || requests.any())) {
            Thread.sleep(POLL_MILLIS);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        int left = requests.inFlight();
        Log.info("draining done after " + millis + " ms, " + left + " requests in flight");
        Log.info("SIGTERM handed on at=" + System.currentTimeMillis() + " waited=" + millis + " inflight=" + left);
    }

    private boolean isQuiet(Unread unread) {
        long now = System.nanoTime();
        // In this order: what is read now is in flight a moment later, and counts then.
        boolean came = unread.any() || requests.any() || lastCame - lookedAt >= 0;
        quietFor = came ? 0 : quietFor + Math.min(now - lookedAt, LOOK_NANOS);
        lookedAt = now;
        return !came && quietFor >= quietNanos;
    }
}

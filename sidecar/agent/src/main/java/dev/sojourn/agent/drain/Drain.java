package dev.sojourn.agent.drain;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.session.Requests;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The pod is leaving: say so in every response, and wait for a quiet moment before the JVM ends; or for those who stay. */
public final class Drain {
    /** Envoy takes the host out as soon as it sees one response with it. */
    public static final String HEADER = "x-envoy-immediate-health-check-fail";

    /** The application has not seen this request, and will not: whatever its method, it may be sent to another pod. */
    public static final String REFUSED = "x-sojourn-refused";

    private static final long POLL_MILLIS = 10;

    /** The most that one look counts for. Where the machine stood still, proxies did too, and have had no more time than that to hear of the pod's end. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * The longest that a quiet moment does not do while somebody keeps a connection. Envoy closes those to a pod that it has heard to be leaving: one that
     * stands still has not, and would send what it has into a container that is taken apart. Others, and WebSockets, may keep theirs for ever.
     */
    private static final long OPEN_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Each look takes milliseconds of a core. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /**
     * How long responses do not say it yet. The edge tells Envoy which pods leave and which have come; who only hears that this one leaves, and not yet that
     * the next is ready, has nobody to send a request to.
     */
    private static final long EDGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Where it is never quiet nobody is let in for the last of the time: who was let in has that much to end in. */
    private static final long LAST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Requests requests;
    private final boolean sticky;
    private final long quietNanos;
    private final long deadlineNanos;
    private final LongSupplier nanoTime;
    private volatile boolean draining;
    private volatile long announcedAt;
    private volatile boolean closed;
    /** {@link System#nanoTime} of the last request's beginning. */
    private volatile long lastCame;

    private long lookedAt;
    /** How long nobody has come for, as far as one has looked. */
    private long quietFor;
    /** How long that must be before connections are looked at. */
    private long lookAt;
    /** Whether one was seen, and for how long since. Who comes meanwhile does not put it back: it is counted once in a pod's end. */
    private boolean seenOpen;

    private long openFor;

    /** @param sticky users stay here until the deadline: nobody is sent away, and a quiet moment is no reason to end */
    public Drain(Requests requests, long quietMillis, long deadlineMillis, boolean sticky) {
        this(requests, quietMillis, deadlineMillis, sticky, System::nanoTime);
    }

    Drain(Requests requests, long quietMillis, long deadlineMillis, boolean sticky, LongSupplier nanoTime) {
        this.requests = requests;
        this.nanoTime = nanoTime;
        this.lastCame = nanoTime.getAsLong();
        this.sticky = sticky;
        this.quietNanos = TimeUnit.MILLISECONDS.toNanos(sticky ? deadlineMillis : quietMillis);
        this.deadlineNanos = TimeUnit.MILLISECONDS.toNanos(deadlineMillis);
    }

    public boolean isAnnounced() {
        return draining;
    }

    /** A request has begun that a proxy might have sent elsewhere. */
    public void came() {
        lastCame = nanoTime.getAsLong();
    }

    /** Whether responses are to say it. Envoy would take the host out for those too who are to stay, as long as they may. */
    public boolean sendsAway() {
        return draining && (closed || !sticky && since(announcedAt) >= EDGE_NANOS);
    }

    /**
     * Whether the request that this thread has just come with is to be refused, unless it goes on with one that the application knows. A quiet moment only
     * says that nobody came, not that nobody will: a proxy that was held up for as long has not heard of the pod's end, and what it sends would meet a
     * container that is taken apart.
     */
    public boolean refuses() {
        return closed && !requests.isAgain();
    }

    public synchronized void announce() {
        if (!draining) {
            announcedAt = nanoTime.getAsLong();
            draining = true;
            Log.info("drain announced at=" + System.currentTimeMillis());
        }
    }

    /** Bounded: the JVM must end. */
    public void awaitQuiet() throws InterruptedException {
        awaitQuiet(Connections::look);
    }

    void awaitQuiet(Supplier<Connections.Look> connections) throws InterruptedException {
        announce();
        long began = nanoTime.getAsLong();
        lookedAt = began;
        beginAnew();
        // Else whoever had just been let in at the deadline would meet a container that is taken apart.
        long open = deadlineNanos - Math.min(LAST_NANOS, deadlineNanos / 2);
        boolean quiet = false;
        while (!quiet && since(began) < open) {
            Thread.sleep(POLL_MILLIS);
            quiet = isQuiet(connections);
        }
        closed = true;
        // Who began just before that was let in, and is in flight; who is read from now on is refused.
        // Where it was never quiet users come to the last, and hear only by this that they are to go elsewhere.
        while (since(began) < deadlineNanos && (!quiet || requests.any())) {
            Thread.sleep(POLL_MILLIS);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(since(began));
        int left = requests.inFlight();
        Log.info("draining done after " + millis + " ms, " + left + " requests in flight");
        Log.info("SIGTERM handed on at=" + System.currentTimeMillis() + " waited=" + millis + " inflight=" + left);
    }

    private boolean isQuiet(Supplier<Connections.Look> connections) {
        long now = nanoTime.getAsLong();
        long passed = Math.min(now - lookedAt, LOOK_NANOS);
        boolean came = requests.any() || lastCame - lookedAt >= 0;
        openFor += seenOpen ? passed : 0;
        lookedAt = now;
        if (came) {
            beginAnew();
            return false;
        }
        quietFor += passed;
        if (quietFor < lookAt) {
            return false;
        }
        Connections.Look look = look(connections);
        if (look == Connections.Look.UNREAD || lastCame - now >= 0) {
            beginAnew();
            return false;
        }
        lookAt = quietFor + LOOK_AGAIN_NANOS;
        seenOpen |= look == Connections.Look.OPEN;
        return look == Connections.Look.NONE || openFor >= OPEN_NANOS;
    }

    private void beginAnew() {
        quietFor = 0;
        lookAt = quietNanos;
    }

    /**
     * What lies unread is looked for last, and only where it is quiet otherwise, for that takes milliseconds of a core. What lay there before has come
     * since, or lies there still.
     */
    private Connections.Look look(Supplier<Connections.Look> connections) {
        // In this order: what is read now is in flight a moment later.
        if (requests.any()) {
            return Connections.Look.UNREAD;
        }
        Connections.Look look = connections.get();
        return requests.any() ? Connections.Look.UNREAD : look;
    }

    private long since(long began) {
        return nanoTime.getAsLong() - began;
    }
}

package dev.sojourn.agent.session;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The requests in flight. Keyed by the connector's request object, which outlives the servlet one of an async request. */
public final class Requests {
    private final ConcurrentHashMap<Object, Scope> active = new ConcurrentHashMap<>();
    private final ThreadLocal<@Nullable Scope> current = new ThreadLocal<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile long lastBegan = System.nanoTime();

    /** A container thread begins to work on the request; {@code fresh}: a new one on this object. */
    public void enter(Object request, boolean fresh) {
        if (fresh) {
            // The one before on the same connection was never seen to end; its connection broke.
            end(request);
        }
        Scope scope = active.get(request);
        if (scope == null) {
            lastBegan = System.nanoTime();
            inFlight.incrementAndGet();
            scope = new Scope();
            active.put(request, scope);
        }
        current.set(scope);
    }

    /** A container thread leaves the request; {@code complete}: nobody will come back to it. */
    public void exit(Object request, boolean complete) {
        try {
            if (complete) {
                end(request);
            } else {
                markAsync(request);
            }
        } finally {
            current.remove();
        }
    }

    /** Before the first byte, or before the last ({@code closing}), of the response can leave. */
    public void beforeBytes(Object request, boolean closing) {
        Scope scope = active.get(request);
        if (scope != null) {
            scope.commit(closing);
        }
    }

    /** Threads that this class does not know of may have changed the request's sessions. */
    public boolean mayHaveStrays(Object request) {
        Scope scope = active.get(request);
        return current.get() == null || scope == null || scope.isAsync();
    }

    /** The request that this thread works on as a container thread. */
    public @Nullable Scope current() {
        return current.get();
    }

    public boolean any() {
        return inFlight.get() > 0;
    }

    public int inFlight() {
        return inFlight.get();
    }

    /** {@link System#nanoTime} of the last request's beginning. */
    public long lastBegan() {
        return lastBegan;
    }

    private void markAsync(Object request) {
        Scope scope = active.get(request);
        if (scope != null) {
            scope.markAsync();
        }
    }

    private void end(Object request) {
        Scope scope = active.remove(request);
        if (scope == null) {
            return;
        }
        try {
            scope.finish();
        } finally {
            inFlight.decrementAndGet();
        }
    }
}

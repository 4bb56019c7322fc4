package dev.sojourn.agent.session;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The requests in flight. Keyed by the connector's request object, which outlives the servlet one of an async request. */
public final class Requests {
    /** Hardly any other request takes so long. */
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** What a container thread works on. Kept with the thread: a request that uses no session costs nothing but this. */
    private static final class Work {
        final int place = Tally.place(Thread.currentThread());

        @Nullable
        Object request;

        @Nullable
        Scope scope;

        /** It was left before, to go on later. */
        boolean again;

        /** The application has been called for the request, and has not returned. */
        boolean inside;
    }

    /** Requests that have used a session, and async ones. */
    private final ConcurrentHashMap<Object, Scope> active = new ConcurrentHashMap<>();

    private final ThreadLocal<Work> current = ThreadLocal.withInitial(Work::new);
    private final Tally inFlight = new Tally();

    /** A container thread begins to work on the request; {@code fresh}: a new one on this object. */
    public void enter(Object request, boolean fresh) {
        Work work = current.get();
        Scope scope = fresh ? null : active.get(request);
        if (scope == null) {
            inFlight.begin(work.place);
        }
        work.request = request;
        work.scope = scope;
        work.again = !fresh;
    }

    /** A container thread leaves the request; {@code complete}: nobody will come back to it. */
    public void exit(Object request, boolean complete) {
        Work work = current.get();
        try {
            if (!complete) {
                scopeOf(work, request).markAsync();
            } else if (work.request == request && work.scope == null) {
                inFlight.end(work.place);
            } else {
                end(request, work);
            }
        } finally {
            work.request = null;
            work.scope = null;
            work.again = false;
        }
    }

    /** The container is done with it, whether or not a thread was seen to leave it: it drops async ones that have failed with their connections. */
    public void dropped(Object request) {
        if (!active.isEmpty()) {
            end(request, current.get());
        }
    }

    /**
     * Before the first byte, or before the last ({@code closing}), of the response can leave; {@code later} makes null where they cannot wait. {@code session}
     * finds the one that the request has, if this JVM holds it: asked where threads that this class does not know of may have changed it. What such threads
     * change in other users' is not waited for: they may hold the objects.
     */
    public void beforeBytes(
            Object request,
            boolean closing,
            Supplier<@Nullable SessionState> session,
            Supplier<@Nullable Later> later) {
        Work work = current.get();
        boolean own = work.request == request;
        Scope scope = own ? work.scope : active.get(request);
        if (!own || scope != null && scope.isAsync()) {
            commitStrays(session.get(), scope);
        }
        if (scope != null) {
            // The listeners of async requests are called past the valve that says who is inside.
            boolean over =
                    own && !scope.isAsync() ? !work.inside : closing && !work.inside && !scope.isApplicationBound();
            scope.commit(over, own ? later.get() : null);
        }
    }

    /** More of a response that has begun is about to leave, whatever thread has made it. */
    public void beforeFlush(Object request) {
        Work work = current.get();
        Scope scope = work.request == request ? work.scope : active.get(request);
        if (scope != null) {
            scope.flush();
        }
    }

    /** What those have set that go on for long already: it would be in no commit before they end. {@code now}: {@link System#nanoTime}. */
    public void tellSet(long now, Backlog backlog) {
        for (Scope scope : active.values()) {
            if (!scope.hasBegunAfter(now - LONG_NANOS)) {
                scope.addSet(backlog);
            }
        }
    }

    /** Application threads of async requests have no request of their own; before bytes leave, theirs count too. The scope commits those of what it uses. */
    private static void commitStrays(@Nullable SessionState session, @Nullable Scope scope) {
        if (session != null && (scope == null || !scope.uses(session))) {
            session.strays().commit(scope != null && scope.isPassive());
        }
    }

    /** A response is held back, and with it the end of its request. */
    public void hold() {
        inFlight.begin(current.get().place);
    }

    /** It has left. Takes no memory, also of a thread that was not here before: the connection waits for it. */
    public void letGo() {
        inFlight.end(Tally.place(Thread.currentThread()));
    }

    /** The request that this thread works on as a container thread. */
    public @Nullable Scope current() {
        Work work = current.get();
        Object request = work.request;
        return request == null ? null : scopeOf(work, request);
    }

    /** The same, if it has used a session by now. */
    public @Nullable Scope used() {
        return current.get().scope;
    }

    /** Whether this thread goes on with a request that the application knows. */
    public boolean isAgain() {
        return current.get().again;
    }

    /** The connector's object of that request. */
    public @Nullable Object request() {
        return current.get().request;
    }

    /** From here on, or no longer, this thread is inside of the application: not in a mapper before it, nor in an access log after it. */
    public void inside(boolean now) {
        current.get().inside = now;
    }

    public boolean isInside() {
        return current.get().inside;
    }

    public boolean any() {
        return inFlight() > 0;
    }

    /** Never fewer than there are. */
    public int inFlight() {
        return inFlight.now();
    }

    private Scope scopeOf(Work work, Object request) {
        Scope scope = work.request == request ? work.scope : active.get(request);
        if (scope == null) {
            scope = new Scope();
            active.put(request, scope);
            if (work.request == request) {
                work.scope = scope;
            }
        }
        return scope;
    }

    private void end(Object request, Work work) {
        Scope scope = active.remove(request);
        if (scope == null) {
            return;
        }
        try {
            scope.finish();
        } finally {
            inFlight.end(work.place);
        }
    }
}

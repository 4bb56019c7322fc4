package dev.sojourn.agent.session;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One HTTP request, from the connector's entry to its completion, whatever threads work on it. */
public final class Scope {
    private static final long LONG_SECONDS = 30;

    private final long began = System.nanoTime();

    // All guarded by this.
    private final Set<String> asked = new HashSet<>();
    private final Map<SessionState, Set<Attribute>> uses = new IdentityHashMap<>();
    private final Map<SessionState, Long> claims = new IdentityHashMap<>();
    private boolean settled;

    /** Its session cannot be had now: it can only be answered with 503. */
    private volatile boolean busy;

    /** For another request has it, and another pod could not have it either. */
    private volatile boolean withAnother;

    private volatile boolean passive;

    /** Threads of the application work on it too; they have no scope of their own. */
    private volatile boolean async;

    /** {@code nanoTime}: as of {@link System#nanoTime}. */
    boolean hasBegunAfter(long nanoTime) {
        return began - nanoTime > 0;
    }

    /** True the first time: the store must be asked about this session now, and not again in this request. */
    public synchronized boolean firstUse(String name) {
        return asked.add(name);
    }

    /** To be committed when this request's response leaves. */
    public synchronized void use(SessionState session) {
        settled = false;
        if (!uses.containsKey(session)) {
            uses.put(session, new HashSet<>());
            session.acquire();
        }
    }

    /** Use it, and have it for oneself until the request ends. Where this fails it is not claimed. */
    public synchronized void claim(SessionState session, long lock) {
        use(session);
        claims.put(session, lock);
        session.claimed(lock);
    }

    public synchronized boolean uses(SessionState session) {
        return uses.containsKey(session);
    }

    public void markBusy(boolean withAnotherRequest) {
        withAnother = withAnotherRequest;
        busy = true;
    }

    public boolean isBusy() {
        return busy;
    }

    public boolean isWithAnother() {
        return withAnother;
    }

    synchronized void touch(SessionState session, Attribute attribute) {
        use(session);
        Set<Attribute> touched = uses.get(session);
        if (touched != null) {
            touched.add(attribute);
        }
    }

    /** It is no access of the sessions that it uses. */
    public void markPassive() {
        passive = true;
    }

    public boolean isPassive() {
        return passive;
    }

    void markAsync() {
        async = true;
    }

    boolean isAsync() {
        return async;
    }

    /**
     * What is set while it goes on. Of an async one nobody can tell that from what a scheduler sets in the same session: a stream that is open would keep that
     * alive for ever. It has been an access where it began, and is one where it ends.
     */
    private boolean isPassiveMeanwhile() {
        return passive || async;
    }

    /**
     * {@code over}: the application is done with the request, and the sessions need not be looked at again until somebody uses them. Then the response's bytes
     * may wait {@code later}, and not the thread.
     */
    void commit(boolean over, @Nullable Later later) {
        List<SessionState> sessions;
        synchronized (this) {
            if (settled) {
                return;
            }
            settled = over;
            sessions = new ArrayList<>(uses.keySet());
        }
        boolean done = false;
        try {
            for (SessionState session : sessions) {
                // Bytes that wait for several are a rare case, and not worth its own rules.
                session.commit(touched(session), lock(session), passive, over && sessions.size() == 1 ? later : null);
            }
            done = true;
        } finally {
            if (!done) {
                again();
            }
        }
    }

    /** More bytes are about to leave, and the request goes on: what it has set goes first. */
    void flush() {
        for (SessionState session : set()) {
            session.flush(lock(session), isPassiveMeanwhile());
        }
    }

    /** Those of its sessions of which something was set. Takes no memory where nothing was. */
    private synchronized List<SessionState> set() {
        List<SessionState> set = Collections.emptyList();
        for (SessionState session : uses.keySet()) {
            if (session.wasSet()) {
                set = set.isEmpty() ? new ArrayList<>() : set;
                set.add(session);
            }
        }
        return set;
    }

    /** To be committed while this goes on. */
    void addSet(Backlog to) {
        for (SessionState session : set()) {
            to.set(session, isPassiveMeanwhile());
        }
    }

    /** The JVM was in trouble: what was not committed is looked at once more when the request ends. */
    private synchronized void again() {
        settled = false;
    }

    void finish() {
        try {
            commit(true, null);
        } finally {
            letGo();
        }
    }

    private void letGo() {
        try {
            giveBack();
        } finally {
            release();
        }
    }

    /** What this has no memory for the session has still, when nobody uses it any more: {@link SessionState#giveBackLeft}. */
    private void giveBack() {
        List<SessionState> sessions;
        Map<SessionState, Long> claimed;
        synchronized (this) {
            sessions = new ArrayList<>(uses.keySet());
            claimed = new IdentityHashMap<>(claims);
            claims.clear();
        }
        claimed.forEach(SessionState::giveBack);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        for (SessionState session : sessions) {
            if (!passive && isLong(seconds, session)) {
                session.accessedUntilNow(TimeUnit.SECONDS.toNanos(seconds));
            }
        }
    }

    /** Takes no memory, not even for an iterator: what is in use stays in this JVM, and nothing of it is caught up with. */
    private synchronized void release() {
        uses.forEach((session, touched) -> session.release());
        uses.clear();
    }

    private static boolean isLong(long seconds, SessionState session) {
        return seconds >= LONG_SECONDS || seconds > session.idleSeconds() / 4 && session.idleSeconds() > 0;
    }

    /** A thread of the application's own may close the response, and go on to change its session. */
    synchronized boolean isApplicationBound() {
        for (SessionState session : uses.keySet()) {
            if (session.isApplicationBound()) {
                return true;
            }
        }
        return false;
    }

    /** Another request may have claimed it since, if this one has lost it. */
    private synchronized long lock(SessionState session) {
        Long own = claims.get(session);
        return own == null ? session.lock() : own;
    }

    /** With what threads of no request have touched: this one may have waited for them, and its response must not leave before their changes are in the store. */
    private synchronized Set<Attribute> touched(SessionState session) {
        Set<Attribute> touched = session.strays().now();
        touched.addAll(uses.getOrDefault(session, Collections.emptySet()));
        return touched;
    }
}

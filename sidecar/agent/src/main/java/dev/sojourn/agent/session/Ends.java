package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Digest;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is open in this JVM until its session ends, wherever that is: nobody may come for the session here again, and find out. The sidecar tells of each end in
 * the cluster; where it may have missed some it is asked.
 */
public final class Ends {
    /** So long something may take to open: what of its session was heard meanwhile holds for it too. */
    private static final long OPENING_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Of so many ends, the latest, it is known that they were. */
    private static final int KNOWN = 16_384;

    /** Asked for each time that {@link #work} is done: the store has other things to do. */
    private static final int ASKED_AT_ONCE = 4;

    /** What of a session is in this JVM. */
    public interface Listener {
        /** {@code key}: as it was given when one began to wait. */
        void ended(String key);

        /** Whether another session, which need not have ended, has begun to wait with this key since. */
        default boolean isOthers(String key) {
            return false;
        }

        /** Whether the store says that the session has ended, or goes on under a name that this JVM does not know. */
        default boolean hasEnded() throws Refusal {
            return false;
        }
    }

    /** As long as something is open it holds its session. */
    private static final class Waiting extends WeakReference<Listener> {
        final String key;
        /** Of the name that the session has by now. */
        String digest;
        /** {@link System#nanoTime}; once it has ended. */
        long toldUntil;
        /** At least once. */
        boolean told;

        Waiting(Listener listener, String key, String digest, ReferenceQueue<Listener> unheld) {
            super(listener, unheld);
            this.key = key;
            this.digest = digest;
        }
    }

    /** What became of a name; null: nothing. */
    private static final class Heard {
        final @Nullable String renamed;
        private final long at;

        Heard(@Nullable String renamed, long at) {
            this.renamed = renamed;
            this.at = at;
        }

        boolean isOf(long now) {
            return now - at < OPENING_NANOS;
        }
    }

    private final LongSupplier nanoTime;

    // Guarded by this.
    private final Map<String, List<Waiting>> byDigest = new HashMap<>();

    private final Map<String, Heard> known = new LinkedHashMap<String, Heard>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Heard> eldest) {
            return size() > KNOWN;
        }
    };

    /** Of those who wait, those whose sessions may be over. */
    private final Set<Waiting> toAsk = new LinkedHashSet<>();

    private final ReferenceQueue<Listener> unheld = new ReferenceQueue<>();
    private final Queue<Waiting> ended = new ConcurrentLinkedQueue<>();

    /** {@code nanoTime}: as {@link System#nanoTime}. */
    public Ends(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * {@code listener} hears of the end of the session that has this name now, for each key again and again for a while, unless it is gone by then: what is
     * only just being opened may not be there yet when it hears of it first.
     */
    public void await(String session, Listener listener, String key) {
        Waiting waiting = new Waiting(listener, key, Digest.of(session), unheld);
        synchronized (this) {
            place(waiting, nanoTime.getAsLong());
        }
    }

    /** Under the name that its session has by now, unless that has ended: of two names nobody knows which is heard of first. */
    private void place(Waiting waiting, long now) {
        Heard heard = known.get(waiting.digest);
        // No more often than there are names: one that a session has been given again leads back to itself.
        for (int left = known.size(); left > 0 && heard != null && heard.isOf(now) && heard.renamed != null; left--) {
            waiting.digest = heard.renamed;
            heard = known.get(waiting.digest);
        }
        if (heard != null && heard.isOf(now) && heard.renamed == null) {
            waiting.toldUntil = now + OPENING_NANOS;
            ended.add(waiting);
            return;
        }
        List<Waiting> all = byDigest.computeIfAbsent(waiting.digest, none -> new ArrayList<>(1));
        if (all.stream().noneMatch(each -> each.key.equals(waiting.key) && each.get() == waiting.get())) {
            all.add(waiting);
        }
    }

    /** A session's digest, and where it goes on under another name that one's. Returns at once. */
    public synchronized void heard(String told) {
        long now = nanoTime.getAsLong();
        int end = told.indexOf(' ');
        String digest = end < 0 ? told : told.substring(0, end);
        String renamed = end < 0 ? null : told.substring(end + 1);
        known.remove(digest);
        known.put(digest, new Heard(renamed, now));
        List<Waiting> all = byDigest.remove(digest);
        if (all != null) {
            all.forEach(each -> place(each, now));
        }
    }

    /** By this JVM. Whoever waits for its end waits for that of the new name, though nobody else may tell of that. */
    public void renamed(String session, String to) {
        heard(Digest.of(session) + ' ' + Digest.of(to));
    }

    /** Of some ends nobody may have told. Returns at once. */
    public synchronized void missed() {
        // Who is in it already keeps his place: where some are missed again and again all have their turn.
        byDigest.values().forEach(toAsk::addAll);
    }

    private synchronized @Nullable Waiting nextToAsk() {
        Iterator<Waiting> all = toAsk.iterator();
        Waiting next = all.hasNext() ? all.next() : null;
        toAsk.remove(next);
        return next;
    }

    private void ask() {
        for (int i = 0; i < ASKED_AT_ONCE; i++) {
            Waiting next = nextToAsk();
            if (next == null || !ask(next)) {
                return;
            }
        }
    }

    /** False: nobody can say now. */
    private boolean ask(Waiting waiting) {
        Listener listener = waiting.get();
        String digest = digestOf(waiting);
        try {
            if (listener != null && listener.hasEnded()) {
                over(waiting, digest);
            }
            return true;
        } catch (Refusal e) {
            Log.debug("whether a session has ended elsewhere is asked again: " + e.getMessage());
            askAgain(waiting);
            return false;
        }
    }

    private synchronized String digestOf(Waiting waiting) {
        return waiting.digest;
    }

    /** Unless more was heard of it meanwhile. Of others who wait under that name nothing is known: they may know it, and ask for themselves. */
    private synchronized void over(Waiting waiting, String digest) {
        if (remove(waiting, digest)) {
            // Once: its session may go on here under another name, and the key be that one's too.
            waiting.toldUntil = nanoTime.getAsLong();
            ended.add(waiting);
        }
    }

    private synchronized void askAgain(Waiting waiting) {
        toAsk.add(waiting);
    }

    /** Tells of what was heard, and asks for what was not. By a thread of its own: to close what a client does not read takes its time. */
    public void work() {
        List<Waiting> again = new ArrayList<>();
        for (Waiting each = ended.poll(); each != null; each = ended.poll()) {
            if (nanoTime.getAsLong() - each.toldUntil < 0) {
                again.add(each);
            }
            tell(each);
        }
        ended.addAll(again);
        tidy();
        ask();
    }

    private static void tell(Waiting waiting) {
        Listener listener = waiting.get();
        try {
            // Once whosever the key is: what was open then must not stay, and who has opened anew opens once more.
            if (listener != null && !(waiting.told && listener.isOthers(waiting.key))) {
                waiting.told = true;
                listener.ended(waiting.key);
            }
        } catch (Throwable e) {
            // Whatever the application throws: there are others.
            Log.warn("what was open of a session that has ended elsewhere could not be closed: ", e);
        } finally {
            // What it leaves the thread with is not for the next application.
            Thread.interrupted();
        }
    }

    private synchronized void tidy() {
        for (Reference<?> gone = unheld.poll(); gone != null; gone = unheld.poll()) {
            remove((Waiting) gone, ((Waiting) gone).digest);
        }
    }

    private boolean remove(Waiting waiting, String digest) {
        List<Waiting> all = byDigest.get(digest);
        if (all == null || !all.remove(waiting)) {
            return false;
        }
        if (all.isEmpty()) {
            byDigest.remove(digest);
        }
        return true;
    }
}

package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Digest;
import dev.sojourn.agent.core.Log;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What is open in this JVM until its session ends, wherever that is: nobody may come for the session here again, and find out. The sidecar tells of each end in
 * the cluster.
 */
public final class Ends {
    /** What of a session is in this JVM. */
    public interface Listener {
        /** {@code key}: as it was given when one began to wait. */
        void ended(String key);
    }

    /** As long as something is open it holds its session. */
    private static final class Waiting extends WeakReference<Listener> {
        final String key;
        /** Of the name that the session has by now. */
        String digest;

        Waiting(Listener listener, String key, String digest, ReferenceQueue<Listener> unheld) {
            super(listener, unheld);
            this.key = key;
            this.digest = digest;
        }
    }

    // Guarded by this.
    private final Map<String, List<Waiting>> byDigest = new HashMap<>();

    private final ReferenceQueue<Listener> unheld = new ReferenceQueue<>();
    private final Queue<Waiting> ended = new ConcurrentLinkedQueue<>();

    /** {@code listener} hears of the end of the session that has this name now, once for each key, unless it is gone by then. */
    public void await(String session, Listener listener, String key) {
        String digest = Digest.of(session);
        synchronized (this) {
            List<Waiting> all = byDigest.computeIfAbsent(digest, none -> new ArrayList<>(1));
            if (all.stream().noneMatch(each -> each.key.equals(key) && each.get() == listener)) {
                all.add(new Waiting(listener, key, digest, unheld));
            }
        }
    }

    /** A session's digest, and where it goes on under another name that one's. Returns at once. */
    public synchronized void heard(String told) {
        int end = told.indexOf(' ');
        List<Waiting> all = byDigest.remove(end < 0 ? told : told.substring(0, end));
        if (all == null) {
            return;
        }
        if (end < 0) {
            ended.addAll(all);
            return;
        }
        String renamed = told.substring(end + 1);
        all.forEach(each -> each.digest = renamed);
        byDigest.computeIfAbsent(renamed, none -> new ArrayList<>(1)).addAll(all);
    }

    /** Tells of what was heard. By a thread of its own: to close what a client does not read takes its time. */
    public void work() {
        for (Waiting each = ended.poll(); each != null; each = ended.poll()) {
            Listener listener = each.get();
            try {
                if (listener != null) {
                    listener.ended(each.key);
                }
            } catch (Throwable e) {
                // Whatever the application throws: there are others.
                Log.warn("what was open of a session that has ended elsewhere could not be closed: " + e);
            }
        }
        tidy();
    }

    private synchronized void tidy() {
        for (Reference<?> gone = unheld.poll(); gone != null; gone = unheld.poll()) {
            String digest = ((Waiting) gone).digest;
            List<Waiting> all = byDigest.get(digest);
            if (all != null && all.remove(gone) && all.isEmpty()) {
                byDigest.remove(digest);
            }
        }
    }
}

package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Sessions that the store says have expired: handed to the application whose listeners are to be told. */
public final class Expiries {
    /** One web application. */
    public interface Listener {
        /** {@code id}: of a session that may be known here or not. */
        void expired(String id);

        /** Whether this one has it in use, or had. */
        default boolean holds(String id) {
            return false;
        }
    }

    // What does not fit is announced again.
    private static final int WAITING = 10_000;

    /** In the order in which they came. More than one of a name: Spring Boot's management server is a second Tomcat in the JVM of the first. */
    private final ConcurrentHashMap<String, List<Listener>> byContext = new ConcurrentHashMap<>();

    private final BlockingQueue<String> names = new LinkedBlockingQueue<>(WAITING);

    /** {@code context}: what the names of its sessions begin with. */
    public void listen(String context, Listener listener) {
        byContext.computeIfAbsent(context, name -> new CopyOnWriteArrayList<>()).add(listener);
    }

    public void stopListening(String context, Listener listener) {
        of(context).remove(listener);
    }

    /** Returns at once: listeners of applications may take their time. */
    public void heard(String name) {
        names.offer(name);
    }

    /** Tells the applications of what was heard; waits for nothing. */
    public void work() {
        for (String name = names.poll(); name != null; name = names.poll()) {
            tell(name);
        }
    }

    private void tell(String name) {
        int end = name.indexOf('\n');
        String context = name.substring(0, Math.max(0, end));
        List<Listener> all = end < 0 ? Collections.emptyList() : of(context);
        String id = name.substring(end + 1);
        Listener listener = null;
        for (Listener each : all) {
            if (listener == null || each.holds(id) && !listener.holds(id)) {
                listener = each;
            }
        }
        if (listener == null) {
            // Another pod has that application, or nobody any more.
            return;
        }
        String failed = "the application's listeners failed at the end of a session: context=" + context + " cause=";
        try {
            listener.expired(id);
        } catch (Throwable e) {
            // Whatever it is: this thread tells all other applications too.
            Log.warn(failed, e);
        } finally {
            // What it leaves the thread with is not for the next application.
            Thread.interrupted();
        }
    }

    private List<Listener> of(String context) {
        return byContext.getOrDefault(context, Collections.emptyList());
    }
}

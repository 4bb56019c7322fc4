package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Sessions that the store says have expired: handed to the application whose listeners are to be told. */
public final class Expiries {
    /** One web application. */
    public interface Listener {
        /** {@code id}: of a session that may be known here or not. */
        void expired(String id);
    }

    // What does not fit is announced again.
    private static final int WAITING = 10_000;

    private final ConcurrentHashMap<String, Listener> byContext = new ConcurrentHashMap<>();
    private final BlockingQueue<String> names = new LinkedBlockingQueue<>(WAITING);

    /** {@code context}: what the names of its sessions begin with. */
    public void listen(String context, Listener listener) {
        byContext.put(context, listener);
    }

    public void stopListening(String context, Listener listener) {
        byContext.remove(context, listener);
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
        Listener listener = end < 0 ? null : byContext.get(name.substring(0, end));
        if (listener == null) {
            // Another pod has that application, or nobody any more.
            return;
        }
        try {
            listener.expired(name.substring(end + 1));
        } catch (Throwable e) {
            // Whatever it is: this thread tells all other applications too.
            Log.warn("the application's listeners failed at the end of a session: context=" + name.substring(0, end)
                    + " cause=" + e);
        }
    }
}

package dev.sojourn.agent.tomcat;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which session has last opened something by each key that Tomcat knows a session's WebSockets by. Several may have one, one after another: where it is an id,
 * those that the id has had, and where it is kept with the session, those to which an application copies all that the one before had, at a login for instance.
 */
final class Openers {
    private static final class Opener extends WeakReference<SojournSession> {
        private final String key;

        Opener(SojournSession session, String key, ReferenceQueue<SojournSession> unheld) {
            super(session, unheld);
            this.key = key;
        }
    }

    private final Map<String, Opener> last = new ConcurrentHashMap<>();
    private final ReferenceQueue<SojournSession> unheld = new ReferenceQueue<>();

    void opens(SojournSession session, String key) {
        for (Reference<?> gone = unheld.poll(); gone != null; gone = unheld.poll()) {
            last.remove(((Opener) gone).key, gone);
        }
        last.put(key, new Opener(session, key, unheld));
    }

    /** By one that is not called so. */
    boolean isOthers(String key, String name) {
        Opener opener = last.get(key);
        SojournSession session = opener == null ? null : opener.get();
        return session != null && Copies.named(session, name) == null;
    }
}

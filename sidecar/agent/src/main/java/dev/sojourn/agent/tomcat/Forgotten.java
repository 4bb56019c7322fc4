package dev.sojourn.agent.tomcat;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The copies that this JVM has let go of, as long as the application has not: a socket's endpoint holds one for hours. Of two objects of one session each
 * would undo what the other has changed.
 */
final class Forgotten {
    /** Not to be asked for its session without need: a collector that marks concurrently would keep that until the next time that it does. */
    static class Left extends WeakReference<SojournSession> {
        private final String name;
        private final long version;

        Left(SojournSession session, ReferenceQueue<SojournSession> unheld) {
            super(session, unheld);
            this.name = session.state().name();
            this.version = session.state().version();
        }
    }

    private final Map<String, Left> byName = new ConcurrentHashMap<>();
    private final ReferenceQueue<SojournSession> unheld = new ReferenceQueue<>();

    void add(SojournSession session) {
        keep(new Left(session, unheld));
    }

    void keep(Left left) {
        byName.put(left.name, left);
    }

    /** That it had when it was let go of; 0: none is known. */
    long version(String name) {
        Left left = byName.get(name);
        return left == null ? 0 : left.version;
    }

    /** Null: nobody holds it. */
    @Nullable
    SojournSession take(String name) {
        Left left = byName.remove(name);
        SojournSession session = left == null ? null : left.get();
        // It may have ended since, or have been given another id.
        return session != null && session.isValid() ? Copies.named(session, name) : null;
    }

    /** All that somebody may hold, of which none is known any more. */
    List<SojournSession> takeAll() {
        List<SojournSession> all = new ArrayList<>();
        for (String name : byName.keySet()) {
            SojournSession session = take(name);
            if (session != null) {
                all.add(session);
            }
        }
        return all;
    }

    void tidy() {
        for (Reference<?> left = unheld.poll(); left != null; left = unheld.poll()) {
            byName.remove(((Left) left).name, left);
        }
    }
}

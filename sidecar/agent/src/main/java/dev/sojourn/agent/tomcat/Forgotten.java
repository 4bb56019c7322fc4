package dev.sojourn.agent.tomcat;

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
    private final Map<String, WeakReference<SojournSession>> byName = new ConcurrentHashMap<>();

    void add(SojournSession session) {
        byName.put(session.state().name(), new WeakReference<>(session));
    }

    /** Null: nobody holds it. */
    @Nullable
    SojournSession take(String name) {
        WeakReference<SojournSession> left = byName.remove(name);
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
        byName.values().removeIf(left -> left.get() == null);
    }
}

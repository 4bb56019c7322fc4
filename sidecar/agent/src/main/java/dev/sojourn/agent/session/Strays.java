package dev.sojourn.agent.session;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Attributes touched by threads of which no request is known: they may still be changing them. */
final class Strays {
    // Longer than application threads of async requests usually take between reading and changing an attribute.
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final SessionState session;
    private final Backlog backlog;
    private final Set<Attribute> touched = ConcurrentHashMap.newKeySet();
    /** Null: there never were any. */
    private volatile @Nullable Look look;

    Strays(SessionState session, Backlog backlog) {
        this.session = session;
        this.backlog = backlog;
    }

    void add(Attribute attribute) {
        Look at = look;
        (at == null ? begin() : at).touched();
        attribute.strayed();
        touched.add(attribute);
        backlog.stray(session);
    }

    private synchronized Look begin() {
        Look at = look;
        if (at == null) {
            at = backlog.lookAt(session);
            look = at;
        }
        return at;
    }

    boolean isEmpty() {
        return touched.isEmpty();
    }

    /** To be committed. {@code settled}: there is no request that any such thread could belong to. */
    Set<Attribute> take(boolean settled) {
        Set<Attribute> all = new HashSet<>(touched);
        Look at = look;
        if (settled || at != null && System.nanoTime() - at.last() > KEPT_NANOS) {
            touched.removeAll(all);
        }
        return all;
    }
}

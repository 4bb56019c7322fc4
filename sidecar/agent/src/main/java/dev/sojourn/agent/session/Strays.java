package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Attributes of a session touched by threads of which no request is known: they may still be changing them. */
final class Strays {
    // Longer than application threads of async requests usually take between reading and changing an attribute.
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Home home;
    private final SessionState session;
    private final Attributes attributes;
    private final Set<Attribute> touched = ConcurrentHashMap.newKeySet();
    /** Null: there never were any. */
    private volatile @Nullable Look look;

    Strays(Home home, SessionState session, Attributes attributes) {
        this.home = home;
        this.session = session;
        this.attributes = attributes;
    }

    void add(Attribute attribute) {
        Look at = look;
        (at == null ? begin() : at).touched();
        attribute.strayed();
        touched.add(attribute);
        home.backlog.stray(session);
    }

    private synchronized Look begin() {
        Look at = look;
        if (at == null) {
            at = home.backlog.lookAt(session);
            look = at;
        }
        return at;
    }

    boolean isEmpty() {
        return touched.isEmpty();
    }

    /** To be committed with a request's, which may have waited for such a thread. */
    Set<Attribute> now() {
        return new HashSet<>(touched);
    }

    /** {@code passive}: not for a request that waits for them. */
    void commit(boolean passive) {
        Set<Attribute> now = now();
        Look at = look;
        // Without a request in flight there is none that such a thread could belong to.
        if (!home.requests.any() || at != null && System.nanoTime() - at.last() > KEPT_NANOS) {
            touched.removeAll(now);
        }
        session.commit(now, session.lock(), passive, null);
    }

    /** With what they may have changed in place long after they had asked for it. Nobody has come: it is no access. */
    void commitAllEver() {
        Set<Attribute> ever = attributes.strayed();
        if (!session.life().hasEnded()
                && session.version() > 0
                && attributes.anyChangedInPlace(ever)
                && !session.isNewest()) {
            catchUpWithOthers();
        }
        session.commit(ever, session.lock(), true, null);
    }

    /** What was made of an older version must not be sent over what they have committed since. */
    private void catchUpWithOthers() {
        try {
            session.ask();
        } catch (Refusal e) {
            Log.debug("what others have committed is not known, the last one wins: " + e.getMessage());
        }
    }
}

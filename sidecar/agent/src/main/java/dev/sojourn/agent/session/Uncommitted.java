package dev.sojourn.agent.session;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Sessions of which something is still to be committed. */
final class Uncommitted {
    /** A request that is in flight for so many looks is a stream or a long poll, which may commit nothing for hours. */
    static final int PATIENCE = 4;

    private final Map<SessionState, Kept> kept = new ConcurrentHashMap<>();

    /** {@code passive}: what is to be committed is no access. It is one where any of what waits is. */
    void add(SessionState session, boolean passive) {
        kept.merge(
                session, new Kept(0, passive), (before, now) -> new Kept(before.looks, before.passive && now.passive));
    }

    void remove(SessionState session) {
        kept.remove(session);
    }

    boolean contains(SessionState session) {
        return !kept.isEmpty() && kept.containsKey(session);
    }

    /** Whether a request waits for it that was an access: the store may not have heard of that. */
    boolean isAccess(SessionState session) {
        Kept here = kept.isEmpty() ? null : kept.get(session);
        return here != null && !here.passive;
    }

    /** One more look found it in use: a request that uses it will commit it soon, with the objects at rest. */
    boolean waits(SessionState session) {
        Kept looked = kept.computeIfPresent(session, (same, before) -> new Kept(before.looks + 1, before.passive));
        return looked == null || looked.looks <= PATIENCE;
    }

    int size() {
        return kept.size();
    }

    Set<SessionState> all() {
        return kept.keySet();
    }

    private static final class Kept {
        /** How often it was found in use. */
        final int looks;

        final boolean passive;

        Kept(int looks, boolean passive) {
            this.looks = looks;
            this.passive = passive;
        }
    }
}

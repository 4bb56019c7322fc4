package dev.sojourn.agent.session;

import org.jspecify.annotations.Nullable;

/** This JVM makes no object of an attribute's bytes. They stay in the store for those who can. */
final class SetAside {
    /** Until the store has others. */
    static final SetAside FOR_GOOD = new SetAside(false);

    private final boolean again;
    private final long since = System.nanoTime();

    private SetAside(boolean again) {
        this.again = again;
    }

    /** Requests that begin from now on try again. Those under way may have waited for it, each for as long as it may. */
    static SetAside forNow() {
        return new SetAside(true);
    }

    /** {@code now}: the request that asks; null: a thread of none, which may ask again and again. */
    boolean isOver(@Nullable Scope now) {
        return again && now != null && now.hasBegunAfter(since);
    }
}

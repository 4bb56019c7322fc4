package dev.sojourn.agent.session;

import org.jspecify.annotations.Nullable;

/** This JVM makes no object of an attribute's bytes. They stay in the store for those who can. */
final class SetAside {
    /** Until the store has others. */
    static final SetAside FOR_GOOD = new SetAside(false, null);

    private final boolean again;
    private final @Nullable Scope by;

    private SetAside(boolean again, @Nullable Scope by) {
        this.again = again;
        this.by = by;
    }

    /** Another request than {@code by}, which has waited for it for long enough, tries again. */
    static SetAside untilAnotherThan(@Nullable Scope by) {
        return new SetAside(true, by);
    }

    /** {@code now}: the request that asks; null: a thread of none, which may ask again and again. */
    boolean isOver(@Nullable Scope now) {
        return again && now != null && now != by;
    }
}

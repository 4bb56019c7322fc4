package dev.sojourn.agent.session;

import org.jspecify.annotations.Nullable;

/** A value as the application's code has written it, for a commit that another thread could still take over: nothing depends on it yet. */
final class Draft {
    private final Object value;
    private final int stamp;
    private final byte @Nullable [] known;

    /** Null: it may not leave this JVM. */
    final @Nullable Written written;

    Draft(Object value, int stamp, byte @Nullable [] known, @Nullable Written written) {
        this.value = value;
        this.stamp = stamp;
        this.known = known;
        this.written = written;
    }

    /** It was written of the same. */
    boolean isOf(Object object, int at, byte @Nullable [] like) {
        return value == object && stamp == at && known == like;
    }
}

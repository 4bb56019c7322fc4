package dev.sojourn.agent.session;

import org.jspecify.annotations.Nullable;

/** A value as the application's code has written it, for a commit that another thread could still take over: nothing depends on it yet. */
final class Draft {
    private final Picture of;

    /** Null: it may not leave this JVM. */
    final @Nullable Written written;

    Draft(Picture of, @Nullable Written written) {
        this.of = of;
        this.written = written;
    }

    /** It was written of the same. */
    boolean isOf(Picture picture) {
        return of.isSame(picture);
    }
}

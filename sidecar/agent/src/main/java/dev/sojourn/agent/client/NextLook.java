package dev.sojourn.agent.client;

import java.util.concurrent.TimeUnit;

/** When somebody who looks for the sidecar again and again is to look next. Of his thread alone. */
final class NextLook {
    /** Until then each look would be a collection of the whole heap. */
    private static final long WITHOUT_MEMORY = TimeUnit.SECONDS.toNanos(10);

    private long notBefore = System.nanoTime();

    boolean isDue(long now) {
        return now - notBefore >= 0;
    }

    void failed(long now, Exception cause) {
        if (cause instanceof Connection.NoMemory) {
            notBefore = now + WITHOUT_MEMORY;
        }
    }
}

package dev.sojourn.agent.core;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Buffers that are used again: about as many as are in use at the same moment, for it is cores that work, not threads. One for each thread would stay as large as
 * the largest thing that it ever held, two hundred times in a container.
 */
public final class Spares<T> {
    private static final int PLACES = 16;

    private final AtomicReferenceArray<@Nullable T> places = new AtomicReferenceArray<>(PLACES);

    /** Nobody else's until it is given back; null: there is none just now. */
    public @Nullable T take() {
        return places.getAndSet(place(), null);
    }

    /** Whatever lay there is the collector's. */
    public void giveBack(T spare) {
        places.set(place(), spare);
    }

    private static int place() {
        return (int) (Thread.currentThread().getId() % PLACES);
    }
}

package dev.sojourn.operator.store;

import org.jspecify.annotations.Nullable;

/**
 * What a server of a store brought along said last of its memory.
 *
 * @param server {@code host:port}, as it was asked
 * @param policy what it does at the limit, its {@code maxmemory-policy}; nothing where it does not say
 * @param dropped how many keys it has dropped for want of memory since the operator first looked; null where it does not say which process
 *     counts
 */
public record ServerMemory(
        String server,
        String policy,
        Fullness fullness,
        @Nullable Long dropped) {

    /** How full: of those that are true the last one. */
    public enum Fullness {
        /** Or without a limit. */
        Room,
        /** Used {@link #FILLING} per cent of its limit, and has not fallen below {@link #FILLING_ENDS} since. */
        Filling,
        /** Was at its limit within {@link DroppedKeys#LATELY}, where it takes no more then. */
        Refuses,
        /** Dropped keys within {@link DroppedKeys#LATELY}. */
        Drops
    }

    /** In per cent of the limit. */
    public static final int FILLING = 80;

    /** The same; lower, so that one that is just at it is not said to fill and to have room by turns. */
    public static final int FILLING_ENDS = 75;

    /** At the limit it refuses what would take more, and drops nothing. */
    public boolean refusesWhenFull() {
        return refusesWhenFull(policy);
    }

    static boolean refusesWhenFull(String policy) {
        return "noeviction".equals(policy);
    }
}

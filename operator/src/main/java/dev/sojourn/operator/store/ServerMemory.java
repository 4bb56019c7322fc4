package dev.sojourn.operator.store;

import java.util.Optional;

/**
 * What a server of a store brought along said last of its memory.
 *
 * @param server {@code host:port}, as it was asked
 * @param used in bytes, and the limit; 0: it has none, or does not say
 * @param policy what it does at the limit, its {@code maxmemory-policy}; nothing where it does not say
 * @param dropped how many keys it has dropped for want of memory since the operator first looked
 * @param droppedLately whether any within {@link DroppedKeys#LATELY}
 */
public record ServerMemory(String server, long used, long limit, String policy, long dropped, boolean droppedLately) {

    /** At the limit it refuses what would take more, and drops nothing. */
    public boolean refusesWhenFull() {
        return "noeviction".equals(policy);
    }

    /** In per cent of the limit. */
    public Optional<Integer> percentUsed() {
        return limit == 0 ? Optional.empty() : Optional.of((int) (100 * used / limit));
    }
}

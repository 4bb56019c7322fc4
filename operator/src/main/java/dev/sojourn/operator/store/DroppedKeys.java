package dev.sojourn.operator.store;

import static java.util.stream.Collectors.toSet;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which servers of a store have dropped keys for want of memory of late. They only count: that it was of late two looks tell. */
public final class DroppedKeys {

    /** Whoever is full drops some now and some then. */
    public static final Duration LATELY = Duration.ofMinutes(15);

    private final Map<String, Count> processes = new HashMap<>();
    private final Map<String, Long> totals = new HashMap<>();

    /** @param dropped when it was last seen to have counted on */
    private record Count(
            String server, long last, Instant at, @Nullable Instant dropped) {

        boolean isOf(Instant now) {
            return at.plus(LATELY).isAfter(now);
        }

        boolean hasDropped(Instant now) {
            return dropped != null && dropped.plus(LATELY).isAfter(now);
        }
    }

    /**
     * @param server as it is to be named
     * @param process which counts: several may answer in turn behind one name, each of which counts for itself
     * @param count since that one started
     */
    synchronized void look(String server, String process, long count, Instant now) {
        processes.values().removeIf(before -> !before.isOf(now));
        var before = processes.get(process);
        // What was dropped before the first look may have been long ago; one that counts less has begun anew.
        long more = before == null ? 0 : count < before.last() ? count : count - before.last();
        var dropped = more > 0 ? now : before == null ? null : before.dropped();
        processes.put(process, new Count(server, count, now, dropped));
        totals.merge(server, more, Long::sum);
        totals.keySet().retainAll(servers(processes.values().stream()));
    }

    /** @return the servers, by their names */
    synchronized Set<String> lately(Instant now) {
        return servers(processes.values().stream().filter(count -> count.hasDropped(now)));
    }

    private static Set<String> servers(Stream<Count> counts) {
        return counts.map(Count::server).collect(toSet());
    }

    /** @return how many keys, since the first look, or since it was looked at again after long */
    synchronized long total(String server) {
        return totals.getOrDefault(server, 0L);
    }
}

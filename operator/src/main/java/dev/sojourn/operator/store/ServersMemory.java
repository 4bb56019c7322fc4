package dev.sojourn.operator.store;

import dev.sojourn.operator.store.ServerMemory.Fullness;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How the servers of one store brought along are, those that answer too late to be waited for included. */
final class ServersMemory {

    /** Longer than looks are apart; a server that is asked no more is told of no more. */
    private static final Duration KEPT = Duration.ofMinutes(2);

    private static final String COUNT = "evicted_keys";

    /** Whoever names a server decides what it says: no more than a run_id has is kept of a text. */
    private static final int LONGEST = 40;

    private final DroppedKeys dropped = new DroppedKeys();
    private final Map<String, Said> said = new TreeMap<>();

    /** @param refused when it was last seen at its limit, where it takes no more then */
    private record Said(
            String policy,
            Instant at,
            boolean counts,
            boolean fills,
            @Nullable Instant refused) {

        boolean refusesLately(Instant now) {
            return ServerMemory.refusesWhenFull(policy)
                    && refused != null
                    && refused.plus(DroppedKeys.LATELY).isAfter(now);
        }
    }

    /** @param peer whom the connection has led to */
    synchronized void look(String server, String peer, Info info, Instant now) {
        if (info.text(COUNT).isEmpty()) {
            // It refuses to say: that it has dropped none is not known.
            return;
        }
        var run = brief(info.text("run_id"));
        // Behind one address there may be several, and what they count by turns would look like one that drops without
        // end.
        if (!run.isEmpty()) {
            dropped.look(server, server + " " + peer + " " + run, info.number(COUNT), now);
        }
        said.put(server, said(said.get(server), !run.isEmpty(), info, now));
    }

    private static Said said(@Nullable Said before, boolean counts, Info info, Instant now) {
        var policy = brief(info.text("maxmemory_policy"));
        var limit = info.number("maxmemory");
        var percent = limit == 0 ? 0 : 100 * info.number("used_memory") / limit;
        var isFull = percent >= 100 && ServerMemory.refusesWhenFull(policy);
        return new Said(
                policy,
                now,
                counts,
                percent >= (before != null && before.fills() ? ServerMemory.FILLING_ENDS : ServerMemory.FILLING),
                isFull ? now : before == null ? null : before.refused());
    }

    synchronized List<ServerMemory> servers(Instant now) {
        said.values().removeIf(one -> one.at().plus(KEPT).isBefore(now));
        var dropping = dropped.lately(now);
        return said.entrySet().stream()
                .map(one -> new ServerMemory(
                        one.getKey(),
                        one.getValue().policy(),
                        dropping.contains(one.getKey()) ? Fullness.Drops : fullness(one.getValue(), now),
                        one.getValue().counts() ? dropped.total(one.getKey()) : null))
                .toList();
    }

    private static Fullness fullness(Said said, Instant now) {
        return said.refusesLately(now) ? Fullness.Refuses : said.fills() ? Fullness.Filling : Fullness.Room;
    }

    private static String brief(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST));
    }
}

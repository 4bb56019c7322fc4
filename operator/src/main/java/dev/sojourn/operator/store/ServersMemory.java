package dev.sojourn.operator.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How the servers of one store brought along are, those that answer too late to be waited for included. */
final class ServersMemory {

    /** Longer than looks are apart; a server that is asked no more is told of no more. */
    private static final Duration KEPT = Duration.ofMinutes(2);

    private static final String COUNT = "evicted_keys";

    /** Whoever names a server decides what it says: no more than a run_id has is kept of a text. */
    private static final int LONGEST = 40;

    private final DroppedKeys dropped = new DroppedKeys();
    private final Map<String, Said> said = new TreeMap<>();

    private record Said(long used, long limit, String policy, Instant at) {}

    /** @param peer whom the connection has led to */
    synchronized void look(String server, String peer, Info info, Instant now) {
        if (info.text(COUNT).isEmpty()) {
            // It refuses to say: that it has dropped none is not known.
            return;
        }
        var process = server + " " + peer + " " + brief(info.text("run_id"));
        dropped.look(server, process, info.number(COUNT), now);
        var policy = brief(info.text("maxmemory_policy"));
        said.put(server, new Said(info.number("used_memory"), info.number("maxmemory"), policy, now));
    }

    synchronized List<ServerMemory> servers(Instant now) {
        said.values().removeIf(one -> one.at().plus(KEPT).isBefore(now));
        var dropping = dropped.lately(now);
        return said.entrySet().stream()
                .map(one -> new ServerMemory(
                        one.getKey(),
                        one.getValue().used(),
                        one.getValue().limit(),
                        one.getValue().policy(),
                        dropped.total(one.getKey()),
                        dropping.contains(one.getKey())))
                .toList();
    }

    private static String brief(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST));
    }
}

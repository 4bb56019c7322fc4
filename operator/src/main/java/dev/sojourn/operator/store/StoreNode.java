package dev.sojourn.operator.store;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What one server of a managed store says of itself ({@code INFO}).
 *
 * @param pod the pod that it runs in
 * @param primary whether it takes writes
 * @param inStep whether it has what its primary has; a primary always has
 * @param memory in bytes, and the limit at which sessions are dropped; 0: there is none
 * @param keys sessions, tombstones and indexes
 * @param evicted how many of them were dropped since it started, for want of memory
 * @param offset how far it is in what its primary, or it itself, has written
 * @param alone of a replica: for how many seconds it has had no primary, {@link #NEVER} where it has had none since it started
 * @param lags of a primary: how many bytes each replica, by its pod, is behind
 */
public record StoreNode(
        String pod,
        boolean primary,
        boolean inStep,
        long memory,
        long memoryLimit,
        long keys,
        long evicted,
        long offset,
        long alone,
        Map<String, Long> lags) {

    /** It has had no primary since it started. */
    public static final long NEVER = Long.MAX_VALUE;

    public StoreNode {
        lags = Map.copyOf(lags);
    }

    /** @param info the answer to {@code INFO} */
    static StoreNode parse(String pod, String info) {
        var fields = info.lines()
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (first, second) -> first));
        var primary = "master".equals(fields.get("role"));
        return new StoreNode(
                pod,
                primary,
                primary || "up".equals(fields.get("master_link_status")),
                number(fields, "used_memory"),
                number(fields, "maxmemory"),
                keys(fields.getOrDefault("db0", "")),
                number(fields, "evicted_keys"),
                number(fields, primary ? "master_repl_offset" : "slave_repl_offset"),
                alone(fields),
                primary ? lags(fields) : Map.of());
    }

    /** {@code -1}, and of old a time since 1970: it has had none since it started. */
    private static long alone(Map<String, String> fields) {
        var seconds = number(fields, "master_link_down_since_seconds");
        return seconds < 0 ? NEVER : seconds;
    }

    /** How full it is, in per cent of where sessions begin to be dropped before their time. */
    public Optional<Integer> percentUsed() {
        return memoryLimit == 0 ? Optional.empty() : Optional.of((int) (100 * memory / memoryLimit));
    }

    /** {@code slave0:ip=shop-store-1.shop-store.shop.svc,port=6379,state=online,offset=4711,lag=0}. */
    private static Map<String, Long> lags(Map<String, String> fields) {
        var written = number(fields, "master_repl_offset");
        // Whatever number it names: of each there is a line.
        return IntStream.range(0, (int) Math.min(fields.size(), number(fields, "connected_slaves")))
                .mapToObj(i -> pairs(fields.getOrDefault("slave" + i, "")))
                .filter(replica -> "online".equals(replica.get("state")))
                .collect(Collectors.toMap(
                        replica -> replica.getOrDefault("ip", "").split("\\.", 2)[0],
                        replica -> Math.max(0, written - number(replica, "offset")),
                        Math::max));
    }

    /** {@code keys=12,expires=12,avg_ttl=0}. */
    private static long keys(String database) {
        return number(pairs(database), "keys");
    }

    private static Map<String, String> pairs(String text) {
        return text.lines()
                .flatMap(line -> java.util.Arrays.stream(line.split(",")))
                .map(pair -> pair.split("=", 2))
                .filter(pair -> pair.length == 2)
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (first, second) -> first));
    }

    private static long number(Map<String, String> fields, String name) {
        try {
            return Long.parseLong(fields.getOrDefault(name, "0").trim());
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}

package dev.sojourn.operator.store;

import java.util.Arrays;
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

    /** @param text the answer to {@code INFO} */
    static StoreNode parse(String pod, String text) {
        var info = Info.parse(text);
        var primary = "master".equals(info.text("role"));
        return new StoreNode(
                pod,
                primary,
                primary || "up".equals(info.text("master_link_status")),
                info.number("used_memory"),
                info.number("maxmemory"),
                keys(info.text("db0")),
                info.number("evicted_keys"),
                info.number(primary ? "master_repl_offset" : "slave_repl_offset"),
                alone(info),
                primary ? lags(info) : Map.of());
    }

    /** {@code -1}, and of old a time since 1970: it has had none since it started. */
    private static long alone(Info info) {
        var seconds = info.number("master_link_down_since_seconds");
        return seconds < 0 ? NEVER : seconds;
    }

    /** How full it is, in per cent of where sessions begin to be dropped before their time. */
    public Optional<Integer> percentUsed() {
        return memoryLimit == 0 ? Optional.empty() : Optional.of((int) (100 * memory / memoryLimit));
    }

    /** {@code slave0:ip=shop-store-1.shop-store.shop.svc,port=6379,state=online,offset=4711,lag=0}. */
    private static Map<String, Long> lags(Info info) {
        var written = info.number("master_repl_offset");
        // Whatever number it names: of each there is a line.
        return IntStream.range(0, (int) Math.min(info.fields().size(), info.number("connected_slaves")))
                .mapToObj(i -> pairs(info.text("slave" + i)))
                .filter(replica -> "online".equals(replica.text("state")))
                .collect(Collectors.toMap(
                        replica -> replica.text("ip").split("\\.", 2)[0],
                        replica -> Math.max(0, written - replica.number("offset")),
                        Math::max));
    }

    /** {@code keys=12,expires=12,avg_ttl=0}. */
    private static long keys(String database) {
        return pairs(database).number("keys");
    }

    private static Info pairs(String text) {
        return Info.of(Arrays.stream(text.split(",")), "=");
    }
}

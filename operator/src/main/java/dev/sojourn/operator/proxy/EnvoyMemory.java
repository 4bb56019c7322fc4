package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.SessionClusterSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What Envoy does before the kernel ends it for its memory, and all connections with it. Nothing where that has no limit. */
final class EnvoyMemory {

    /**
     * An idle connection with TLS costs 21 KB, one of HTTP/2 41: with all that are accepted there is still room below where requests are
     * refused. A flood of connections ends here.
     */
    private static final int CONNECTION_BYTES = 65_536;

    /** Where Envoy's memory has no limit; without any number Envoy warns. */
    private static final int MAX_CONNECTIONS = 50_000;

    private static final String HEAP = "envoy.resource_monitors.fixed_heap";

    private static final String CONNECTIONS = "envoy.resource_monitors.global_downstream_max_connections";

    /**
     * From here on idle connections are closed sooner, and before new requests are refused: else connections alone, on which nobody asks
     * for anything, would have all others refused for an hour.
     */
    private static final double SHEDS = 0.4;

    private static final double SHEDS_ALL = 0.65;

    /** The same of the connections that are accepted: those of HTTP/1.1 cost so little that there is none left before memory is short. */
    private static final double SHEDS_OF_MANY = 0.5;

    private static final double SHEDS_ALL_OF_MANY = 0.9;

    /**
     * Longer than load balancers commonly keep an idle one, of 60 seconds: they are to be the ones who close it. What comes on a connection of HTTP/1.1 in
     * the second in which Envoy closes it is lost.
     */
    static final String SHORTEST_IDLE = "75s";

    /** From here on memory that was freed is given back: the kernel counts it, and Envoy does not. */
    private static final double SHRINKS = 0.5;

    /**
     * From here on streams of HTTP/2 are reset, at first those that hold most, and smaller ones the more is held. Fifty of each worker at a
     * look, and none where as much is held as at the look before, or more than this counts to: so it counts to the limit itself.
     */
    private static final double RESETS = 0.5;

    /** From here on new requests are answered 503. */
    private static final double REFUSES = 0.7;

    /** How often it looks; its own second is what a flood fills all of it in. */
    private static final String LOOKS = "0.1s";

    /**
     * In bits, so 1 KiB. From here on Envoy makes eight classes, each of twice the size, and begins with the last: that is 128 KiB, as an
     * upload fills that no pod reads. With more bits the last ones would be empty, and none be reset until it is late.
     */
    private static final int SMALLEST_STREAM = 11;

    private EnvoyMemory() {}

    static Map<String, Object> overloadManager(SessionClusterSpec spec) {
        var memory = ProxyContainers.memory(spec)
                .map(limit -> Quantity.getAmountInBytes(limit).longValue());
        var monitors = new ArrayList<Object>();
        monitors.add(connections(memory.map(EnvoyMemory::fitting).orElse((long) MAX_CONNECTIONS)));
        var manager = fields("resource_monitors", monitors);
        memory.ifPresent(limit -> {
            monitors.add(extension(
                    HEAP,
                    typed(
                            "envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig",
                            "max_heap_size_bytes",
                            limit)));
            manager.put("refresh_interval", LOOKS);
            manager.put("buffer_factory_config", fields("minimum_account_to_track_power_of_two", SMALLEST_STREAM));
            manager.put(
                    "actions",
                    List.of(
                            reducedTimeouts(),
                            action("shrink_heap", trigger(HEAP, above(SHRINKS))),
                            action("reset_high_memory_stream", trigger(HEAP, scaled(RESETS, 1.0))),
                            action("stop_accepting_requests", trigger(HEAP, above(REFUSES)))));
        });
        return manager;
    }

    private static Map<String, Object> reducedTimeouts() {
        var action = action(
                "reduce_timeouts",
                trigger(HEAP, scaled(SHEDS, SHEDS_ALL)),
                trigger(CONNECTIONS, scaled(SHEDS_OF_MANY, SHEDS_ALL_OF_MANY)));
        var idle = fields("timer", "HTTP_DOWNSTREAM_CONNECTION_IDLE", "min_timeout", SHORTEST_IDLE);
        action.put(
                "typed_config",
                typed(
                        "envoy.config.overload.v3.ScaleTimersOverloadActionConfig",
                        "timer_scale_factors",
                        List.of(idle)));
        return action;
    }

    private static Map<String, Object> action(String name, Object... triggers) {
        return fields("name", "envoy.overload_actions." + name, "triggers", List.of(triggers));
    }

    private static Map<String, Object> trigger(String monitor, Map<String, Object> when) {
        var trigger = fields("name", monitor);
        trigger.putAll(when);
        return trigger;
    }

    private static Map<String, Object> above(double share) {
        return fields("threshold", fields("value", share));
    }

    private static Map<String, Object> scaled(double from, double to) {
        return fields("scaled", fields("scaling_threshold", from, "saturation_threshold", to));
    }

    /** Above it Envoy accepts no more. */
    private static Object connections(long most) {
        return extension(
                CONNECTIONS,
                typed(
                        "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
                        "max_active_downstream_connections",
                        most));
    }

    private static long fitting(long memory) {
        return Math.max(1, Math.min(memory / CONNECTION_BYTES, MAX_CONNECTIONS));
    }
}

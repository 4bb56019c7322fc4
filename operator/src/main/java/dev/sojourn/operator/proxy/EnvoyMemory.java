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

    /**
     * From here on idle connections are closed sooner, and those of a second ago before new requests are refused: else connections alone,
     * on which nobody asks for anything, would have all others refused for an hour.
     */
    private static final double SHEDS = 0.4;

    private static final double SHEDS_ALL = 0.65;

    private static final String SHORTEST_IDLE = "1s";

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
                            action("shrink_heap", fields("threshold", fields("value", SHRINKS))),
                            action(
                                    "reset_high_memory_stream",
                                    fields("scaled", fields("scaling_threshold", RESETS, "saturation_threshold", 1.0))),
                            action("stop_accepting_requests", fields("threshold", fields("value", REFUSES)))));
        });
        return manager;
    }

    private static Map<String, Object> reducedTimeouts() {
        var action = action(
                "reduce_timeouts",
                fields("scaled", fields("scaling_threshold", SHEDS, "saturation_threshold", SHEDS_ALL)));
        var idle = fields("timer", "HTTP_DOWNSTREAM_CONNECTION_IDLE", "min_timeout", SHORTEST_IDLE);
        action.put(
                "typed_config",
                typed(
                        "envoy.config.overload.v3.ScaleTimersOverloadActionConfig",
                        "timer_scale_factors",
                        List.of(idle)));
        return action;
    }

    private static Map<String, Object> action(String name, Map<String, Object> when) {
        var trigger = fields("name", HEAP);
        trigger.putAll(when);
        return fields("name", "envoy.overload_actions." + name, "triggers", List.of(trigger));
    }

    /** Above it Envoy accepts no more. */
    private static Object connections(long most) {
        return extension(
                "envoy.resource_monitors.global_downstream_max_connections",
                typed(
                        "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
                        "max_active_downstream_connections",
                        most));
    }

    private static long fitting(long memory) {
        return Math.max(1, Math.min(memory / CONNECTION_BYTES, MAX_CONNECTIONS));
    }
}

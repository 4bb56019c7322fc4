package dev.sojourn.e2e;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Prints what a scenario measured: printed, never asserted, since a time belongs to the machine as much as to the code. */
final class Figures {
    private Figures() {}

    /** The pods' departures: the last request that reached each, its SIGTERM, its end. */
    static void print(Departures departures, Map<String, Instant> lastRequestTo) {
        print(
                "last request after a pod's deletion",
                departures.pods().entrySet().stream()
                        .flatMap(pod -> between(
                                pod.getValue().deleted(), Optional.ofNullable(lastRequestTo.get(pod.getKey())))));
        print(
                "SIGTERM after a pod's deletion",
                departures.pods().values().stream().flatMap(pod -> pod.toSigterm().stream()));
        print(
                "  of it held back by the agent",
                departures.pods().values().stream().flatMap(pod -> pod.held().stream()));
        print("end after a pod's deletion", departures.pods().values().stream().flatMap(pod -> pod.toEnd().stream()));
    }

    static void print(String what, Stream<Duration> durations) {
        long[] sorted = durations.mapToLong(Duration::toMillis).sorted().toArray();
        if (sorted.length == 0) {
            System.out.printf("  %-40s none%n", what);
        } else {
            System.out.printf(
                    "  %-40s median %5d ms, p99 %5d ms, max %5d ms (%d)%n",
                    what, percentile(sorted, 50), percentile(sorted, 99), sorted[sorted.length - 1], sorted.length);
        }
    }

    /** The nearest rank: the smallest of them that at least {@code percent} of a hundred are not above. */
    private static long percentile(long[] sorted, int percent) {
        return sorted[(sorted.length * percent + 99) / 100 - 1];
    }

    private static Stream<Duration> between(Optional<Instant> from, Optional<Instant> to) {
        return from.flatMap(f -> to.map(t -> Duration.between(f, t))).stream();
    }
}

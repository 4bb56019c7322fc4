package dev.sojourn.bench.measure;

import dev.sojourn.bench.load.Outcome;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.peers.Variant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one variant needed for one cell: medians over the repetitions, and the sums of the verdicts, those on requests that were not measured too.
 *
 * @param together the variants that were measured side by side, in turn; with others it compares as with another run
 * @param values by name, as in the JSON
 * @param failure why there are no values, or why the first failed request did
 */
public record Figures(
        Cell cell,
        Variant variant,
        List<Variant> together,
        Map<String, Double> values,
        List<Double> requestsPerCpuSecond,
        Map<String, Long> verdicts,
        @Nullable String failure) {
    static Figures of(Cell cell, Variant variant, List<Measurement> runs) {
        Map<String, Double> values = new TreeMap<>();
        put(values, runs, "requestsPerCpuSecond", Measurement::requestsPerCpuSecond);
        put(values, runs, "requestsPerSecond", Measurement::requestsPerSecond);
        put(values, runs, "jitPercent", Measurement::jitPercent);
        put(values, runs, "p50Millis", run -> run.outcome().percentileMillis(50));
        put(values, runs, "p99Millis", run -> run.outcome().percentileMillis(99));
        put(values, runs, "meanMillis", run -> run.outcome().meanMillis());
        for (String kind : List.of("app", "daemon", "store")) {
            put(values, runs, kind + "CpuMicros", run -> run.cpuMicros(kind));
            put(values, runs, kind + "ResidentMib", run -> run.residentMib(kind));
        }
        if (variant.hasStore()) {
            put(values, runs, "storeCommands", Measurement::clientCommands);
            put(values, runs, "storeBytesIn", Measurement::bytesIn);
            put(values, runs, "storeBytesOut", Measurement::bytesOut);
        }
        if (variant.cluster()) {
            put(values, runs, "bytesBetweenNodes", Measurement::bytesBetweenNodes);
        }
        return judged(
                cell,
                variant,
                values,
                runs.stream().map(Measurement::requestsPerCpuSecond).toList(),
                runs.stream().flatMap(run -> run.judged().stream()).toList());
    }

    /** Of load that nothing is measured of. */
    static Figures unmeasured(Cell cell, Variant variant, List<Outcome> outcomes) {
        return judged(cell, variant, Map.of(), List.of(), outcomes);
    }

    private static Figures judged(
            Cell cell,
            Variant variant,
            Map<String, Double> values,
            List<Double> requestsPerCpuSecond,
            List<Outcome> outcomes) {
        Map<String, Long> verdicts = new HashMap<>();
        for (Verdict verdict : Verdict.values()) {
            long sum = outcomes.stream().mapToLong(one -> one.count(verdict)).sum();
            verdicts.put(verdict.name().toLowerCase(Locale.ROOT), sum);
        }
        String failure = outcomes.stream()
                .map(Outcome::firstFailure)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        return new Figures(cell, variant, List.of(variant), values, requestsPerCpuSecond, verdicts, failure);
    }

    public static Figures failed(Cell cell, Variant variant, String why) {
        return new Figures(cell, variant, List.of(variant), Map.of(), List.of(), Map.of(), why);
    }

    public Figures together(List<Variant> others) {
        return new Figures(cell, variant, others, values, requestsPerCpuSecond, verdicts, failure);
    }

    private static void put(
            Map<String, Double> values, List<Measurement> runs, String name, ToDoubleFunction<Measurement> figure) {
        double median = Median.of(runs.stream()
                .map(figure::applyAsDouble)
                .filter(value -> !value.isNaN())
                .toList());
        if (!Double.isNaN(median)) {
            values.put(name, median);
        }
    }

    public double value(String name) {
        return values.getOrDefault(name, Double.NaN);
    }

    public long count(Verdict verdict) {
        return verdicts.getOrDefault(verdict.name().toLowerCase(Locale.ROOT), 0L);
    }

    /** Whether every answer was there and right. */
    public boolean right() {
        return count(Verdict.RIGHT) > 0
                && count(Verdict.RIGHT)
                        == verdicts.values().stream().mapToLong(Long::longValue).sum();
    }

    public double residentMib() {
        return value("appResidentMib") + value("daemonResidentMib") + value("storeResidentMib");
    }
}

package dev.sojourn.bench.report;

import static java.util.stream.Collectors.joining;

import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Variant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One cell's table: a row for each variant, and below it why something failed. */
public final class CellReport {
    private CellReport() {}

    public static String of(List<Figures> figures) {
        Table table = new Table(
                "variant",
                "requests per CPU-s",
                "spread",
                "p50 ms",
                "p99 ms",
                "store commands",
                "B to store or nodes",
                "B from store",
                "CPU µs app + daemon + store",
                "of it JIT %",
                "MiB app + daemon + store",
                "wrong");
        List<String> notes = new ArrayList<>();
        for (Figures one : figures) {
            if (one.failure() != null) {
                notes.add("- " + one.variant().label() + ": " + one.failure());
            }
            table.row(
                    one.variant().label(),
                    one.values().isEmpty() ? "failed" : number(one.value("requestsPerCpuSecond")),
                    spread(one.requestsPerCpuSecond()),
                    decimals(one.value("p50Millis")),
                    decimals(one.value("p99Millis")),
                    decimals(one.value("storeCommands")),
                    number(one.value(one.variant().cluster() ? "bytesBetweenNodes" : "storeBytesIn")),
                    number(one.value("storeBytesOut")),
                    number(one.value("appCpuMicros")) + " + " + number(one.value("daemonCpuMicros")) + " + "
                            + number(one.value("storeCpuMicros")),
                    number(one.value("jitPercent")),
                    number(one.value("appResidentMib")) + " + " + number(one.value("daemonResidentMib")) + " + "
                            + number(one.value("storeResidentMib")),
                    wrong(one));
        }
        return table + apart(figures) + (notes.isEmpty() ? "" : "\n" + String.join("\n", notes) + "\n");
    }

    /** Which of them were not measured side by side; nothing if all were. */
    public static String apart(List<Figures> figures) {
        List<List<Variant>> groups =
                figures.stream().map(Figures::together).distinct().toList();
        if (groups.size() < 2) {
            return "";
        }
        return "\nMeasured apart, one group after the other: "
                + groups.stream()
                        .map(group -> group.stream().map(Variant::label).collect(joining("; ")))
                        .collect(joining(" | "))
                + "\n";
    }

    /** As a share of all requests, for the repetitions differ in how many they are. */
    public static String wrong(Figures figures) {
        if (figures.verdicts().isEmpty()) {
            return "-";
        }
        if (figures.right()) {
            return "none";
        }
        double all =
                figures.verdicts().values().stream().mapToLong(Long::longValue).sum();
        List<String> parts = new ArrayList<>();
        for (Verdict verdict : Verdict.values()) {
            if (verdict != Verdict.RIGHT && figures.count(verdict) > 0) {
                parts.add("%d %s (%s %%)"
                        .formatted(
                                figures.count(verdict),
                                verdict.name().toLowerCase(Locale.ROOT),
                                share(100 * figures.count(verdict) / all)));
            }
        }
        return "**" + String.join(", ", parts) + "**";
    }

    private static String share(double percent) {
        return percent >= 1 ? number(percent) : decimals(percent);
    }

    private static String spread(List<Double> values) {
        return values.isEmpty()
                ? "-"
                : number(values.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN)) + " to "
                        + number(values.stream()
                                .mapToDouble(Double::doubleValue)
                                .max()
                                .orElse(Double.NaN));
    }

    public static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,.0f", value);
    }

    public static String decimals(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f", value);
    }
}

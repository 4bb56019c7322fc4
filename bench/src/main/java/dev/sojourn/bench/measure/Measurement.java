package dev.sojourn.bench.measure;

import dev.sojourn.bench.load.Outcome;
import dev.sojourn.bench.load.Verdict;
import java.util.List;
import java.util.Map;

/**
 * One repetition of one cell with one variant.
 *
 * @param outcome of the period that was measured
 * @param judged that one, and what came before and after it
 */
record Measurement(
        Outcome outcome, List<Outcome> judged, Usage used, Map<String, Long> residentKib, double clientCommands) {
    /** Requests that were answered, rightly or not; one that failed is no work done. */
    private double answered() {
        return outcome.requests() - outcome.count(Verdict.FAILED);
    }

    double requestsPerCpuSecond() {
        long millis =
                used.cpuMillis().values().stream().mapToLong(Long::longValue).sum();
        return answered() / (millis / 1e3);
    }

    double cpuMicros(String kind) {
        return used.cpuMillis().getOrDefault(kind, 0L) * 1e3 / answered();
    }

    /** Of all the CPU that was used. */
    double jitPercent() {
        return 100.0 * used.jitMillis() / used.cpuSum();
    }

    double requestsPerSecond() {
        return answered() / outcome.seconds();
    }

    double bytesIn() {
        return used.traffic().bytesIn() / answered();
    }

    double bytesOut() {
        return used.traffic().bytesOut() / answered();
    }

    double bytesBetweenNodes() {
        return used.betweenNodes() < 0 ? Double.NaN : used.betweenNodes() / answered();
    }

    double residentMib(String kind) {
        return residentKib.getOrDefault(kind, 0L) / 1024.0;
    }
}

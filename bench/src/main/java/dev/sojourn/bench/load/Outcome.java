package dev.sojourn.bench.load;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a period of load came to: every latency, and the count of each verdict. */
public final class Outcome {
    private final Map<Verdict, Long> verdicts = new EnumMap<>(Verdict.class);
    private long[] latencies = new long[1 << 16];
    private int count;
    private boolean sorted;
    private long nanos;
    private @Nullable String firstFailure;

    void add(Verdict verdict, long latencyNanos) {
        if (count == latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * count);
        }
        latencies[count++] = latencyNanos;
        verdicts.merge(verdict, 1L, Long::sum);
        sorted = false;
    }

    /** What another thread's users had at the same time. */
    void addAll(Outcome other) {
        for (int i = 0; i < other.count; i++) {
            add(Verdict.RIGHT, other.latencies[i]);
        }
        verdicts.put(Verdict.RIGHT, count(Verdict.RIGHT) - other.count);
        other.verdicts.forEach((verdict, times) -> verdicts.merge(verdict, times, Long::sum));
        if (other.firstFailure != null) {
            explain(other.firstFailure);
        }
    }

    void explain(String failure) {
        firstFailure = firstFailure == null ? failure : firstFailure;
    }

    void ended(long afterNanos) {
        nanos = afterNanos;
    }

    public long requests() {
        return count;
    }

    public double seconds() {
        return nanos / 1e9;
    }

    public long count(Verdict verdict) {
        return verdicts.getOrDefault(verdict, 0L);
    }

    public double meanMillis() {
        return Arrays.stream(latencies, 0, count).average().orElse(Double.NaN) / 1e6;
    }

    /** Nearest rank: the smallest latency that at least so many of a hundred do not exceed. */
    public double percentileMillis(double percent) {
        if (count == 0) {
            return Double.NaN;
        }
        if (!sorted) {
            Arrays.sort(latencies, 0, count);
            sorted = true;
        }
        int rank = (int) Math.ceil(percent / 100 * count);
        return latencies[Math.max(rank, 1) - 1] / 1e6;
    }

    /** Why the first request that failed did. */
    public @Nullable String firstFailure() {
        return firstFailure;
    }
}

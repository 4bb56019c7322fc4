package dev.sojourn.bench.measure;

import java.util.Collection;

/** The middle of what repetitions gave, which one disturbed repetition does not move. */
public final class Median {
    private Median() {}

    public static double of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

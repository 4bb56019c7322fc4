package dev.sojourn.agent;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Tries something over and over; a failure names the seed, with which {@code -Dfuzz.seed} does the same once more. */
public final class Randomly {
    /** Of each test; {@code -Dfuzz.millis} takes as long as one has. */
    private static final int MILLIS = 2_000;

    public interface Try {
        void with(Random random) throws Exception;
    }

    private Randomly() {}

    public static void run(Try what) throws Exception {
        Long given = Long.getLong("fuzz.seed");
        if (given != null) {
            what.with(new Random(given));
            return;
        }
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Integer.getInteger("fuzz.millis", MILLIS));
        for (long seed = new Random().nextLong(); System.nanoTime() < until; seed++) {
            try {
                what.with(new Random(seed));
            } catch (Exception | Error e) {
                throw new AssertionError("-Dfuzz.seed=" + seed, e);
            }
        }
    }
}

package dev.sojourn.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OutcomeTest {
    @Test
    void percentilesAreNearestRank() {
        Outcome outcome = new Outcome();
        for (int i = 100; i >= 1; i--) {
            outcome.add(Verdict.RIGHT, i * 1_000_000L);
        }
        assertEquals(50, outcome.percentileMillis(50));
        assertEquals(99, outcome.percentileMillis(99));
        assertEquals(100, outcome.percentileMillis(100));
        assertEquals(50.5, outcome.meanMillis());
    }

    @Test
    void nothingMeasuredIsNoNumber() {
        assertEquals(Double.NaN, new Outcome().percentileMillis(50));
    }

    @Test
    void verdictsAreCountedApart() {
        Outcome outcome = new Outcome();
        outcome.add(Verdict.RIGHT, 1);
        outcome.add(Verdict.STALE, 1);
        outcome.add(Verdict.RIGHT, 1);
        assertEquals(2, outcome.count(Verdict.RIGHT));
        assertEquals(1, outcome.count(Verdict.STALE));
        assertEquals(0, outcome.count(Verdict.LOST));
        assertEquals(3, outcome.requests());
    }
}

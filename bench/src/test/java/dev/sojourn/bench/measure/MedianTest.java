package dev.sojourn.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class MedianTest {
    @Test
    void theMiddleOne() {
        assertEquals(2, Median.of(List.of(3.0, 1.0, 2.0)));
    }

    @Test
    void theMeanOfTheTwoInTheMiddle() {
        assertEquals(2.5, Median.of(List.of(4.0, 1.0, 2.0, 3.0)));
    }

    @Test
    void ofNothingThereIsNone() {
        assertEquals(Double.NaN, Median.of(List.of()));
    }
}

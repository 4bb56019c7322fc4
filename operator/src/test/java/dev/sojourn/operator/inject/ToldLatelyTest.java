package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ToldLatelyTest {

    private Instant now = Instant.EPOCH;
    private final ToldLately told = new ToldLately(() -> now);

    @Test
    void aNamespaceIsToldOfSoManyAndOfMoreWhenTheFirstAreForgotten() {
        assertThat(lets("shop", 1000)).isEqualTo(50);
        assertThat(lets("other", 1000)).isEqualTo(50);
        now = now.plus(Duration.ofMinutes(59));
        assertThat(told.lets("shop", "another")).isFalse();
        assertThat(told.lets("shop", 0)).isTrue();
        now = now.plus(Duration.ofMinutes(1));
        // That one again, which takes a place of its own no more than before.
        assertThat(lets("shop", 1000)).isEqualTo(50);
    }

    @Test
    void theSameIsToldAgainWhenTimeHasGoneBy() {
        assertThat(told.lets("shop", "same")).isTrue();
        assertThat(told.lets("shop", "same")).isFalse();
        now = now.plus(Duration.ofMinutes(1));
        assertThat(told.lets("shop", "same")).isTrue();
    }

    private long lets(String namespace, int events) {
        return IntStream.range(0, events)
                .filter(event -> told.lets(namespace, event))
                .count();
    }
}

package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DroppedKeysTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final DroppedKeys keys = new DroppedKeys();
    private Instant now = START;

    /** It may have been long ago. */
    @Test
    void whatWasDroppedBeforeTheFirstLookIsNotOfLate() {
        look("a", 7);
        look("a", 7);
        assertThat(keys.lately(now)).isEmpty();
        assertThat(keys.total("a")).isZero();
    }

    @Test
    void oneThatCountsOnHasDroppedSomeForAWhile() {
        look("a", 7);
        look("b", 0);
        look("a", 9);
        assertThat(keys.lately(now)).containsExactly("a");
        assertThat(keys.total("a")).isEqualTo(2);
        for (var until = now.plus(DroppedKeys.LATELY); now.isBefore(until); ) {
            assertThat(keys.lately(now)).containsExactly("a");
            look("a", 9);
        }
        assertThat(keys.lately(now)).isEmpty();
        assertThat(keys.total("a")).isEqualTo(2);
    }

    @Test
    void oneThatHasBegunAnewCountsFromNothing() {
        look("a", 7);
        look("a", 0);
        assertThat(keys.lately(now)).isEmpty();
        look("a", 3);
        assertThat(keys.total("a")).isEqualTo(3);
        look("a", 1);
        assertThat(keys.total("a")).isEqualTo(4);
        assertThat(keys.lately(now)).containsExactly("a");
    }

    /** A name that leads to one of several: what the one dropped long ago is not dropped again each time that it answers. */
    @Test
    void eachOfThoseBehindOneNameCountsForItself() {
        for (int n = 0; n < 5; n++) {
            keys.look("service", "one", 7, now);
            keys.look("service", "two", 0, now);
            now = now.plusSeconds(10);
        }
        assertThat(keys.lately(now)).isEmpty();
        assertThat(keys.total("service")).isZero();
        keys.look("service", "two", 1, now);
        assertThat(keys.lately(now)).containsExactly("service");
        assertThat(keys.total("service")).isEqualTo(1);
    }

    /** Sentinels may name another one each time. */
    @Test
    void oneThatIsLookedAtNoMoreIsForgotten() {
        look("a", 7);
        look("a", 9);
        now = now.plus(DroppedKeys.LATELY);
        look("b", 0);
        assertThat(keys.total("a")).isZero();
    }

    private void look(String server, long count) {
        now = now.plus(Duration.ofSeconds(10));
        keys.look(server, server, count, now);
    }
}

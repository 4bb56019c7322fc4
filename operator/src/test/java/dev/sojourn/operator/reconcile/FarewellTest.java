package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FarewellTest {

    private static final Instant DELETED = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void theStoreStaysWhilePodsUseIt() {
        assertThat(isOver(Farewell.next(null, 1, DELETED), DELETED.plusSeconds(10)))
                .isFalse();
        assertThat(isOver(Farewell.next(null, 0, DELETED), DELETED)).isTrue();
    }

    @Test
    void aRollBackThatGoesOnIsNotCutShort() {
        var farewell = Farewell.next(null, 10, DELETED);
        var now = DELETED;
        for (int left = 9; left > 0; left--) {
            now = now.plusSeconds(60);
            farewell = Farewell.next(farewell, left, now);
            assertThat(isOver(farewell, now)).isFalse();
        }
        assertThat(isOver(Farewell.next(farewell, 0, now), now)).isTrue();
    }

    @Test
    void oneThatHangsDoesNotHoldItForGood() {
        var farewell = Farewell.next(Farewell.next(null, 10, DELETED), 7, DELETED.plusSeconds(60));
        var last = DELETED.plusSeconds(60).plus(Farewell.LONGEST);
        // More of them again is none the less.
        farewell = Farewell.next(farewell, 8, DELETED.plusSeconds(70));
        farewell = Farewell.next(farewell, 7, DELETED.plusSeconds(80));
        assertThat(isOver(farewell, last.minusSeconds(1))).isFalse();
        assertThat(isOver(farewell, last)).isTrue();
    }

    @Test
    void aPodThatMayTakeLongToEndIsAwaited() {
        var farewell = Farewell.next(null, 1, DELETED);
        var ending = DELETED.plus(Duration.ofMinutes(30));
        assertThat(farewell.isOver(ending, Optional.of(ending))).isFalse();
        // Its node is lost.
        assertThat(farewell.isOver(ending.plus(Farewell.LONGEST), Optional.of(ending)))
                .isTrue();
    }

    private static boolean isOver(Farewell farewell, Instant now) {
        return farewell.isOver(now, Optional.empty());
    }
}

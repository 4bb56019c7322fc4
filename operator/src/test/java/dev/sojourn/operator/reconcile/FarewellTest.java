package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class FarewellTest {

    private static final Instant DELETED = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void theStoreStaysWhilePodsUseIt() {
        assertThat(Farewell.isOver(DELETED, DELETED.plusSeconds(10), 1)).isFalse();
        assertThat(Farewell.isOver(DELETED, DELETED.plusSeconds(10), 0)).isTrue();
    }

    @Test
    void aRolloutThatHangsDoesNotHoldItForGood() {
        assertThat(Farewell.isOver(DELETED, DELETED.plus(Farewell.LONGEST), 3)).isTrue();
    }
}

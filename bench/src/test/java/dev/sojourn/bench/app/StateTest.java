package dev.sojourn.bench.app;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class StateTest {
    private final Random random = new Random(1);
    private final State state = new State(1024, random);

    @Test
    void isWholeHoweverOftenItIsChanged() {
        for (int i = 1; i < 10; i++) {
            assertTrue(state.change(32, i, random));
            assertTrue(state.isWhole());
        }
    }

    @Test
    void isTornIfABlockIsOfAnOlderState() {
        byte[] block = state.blocks[0].clone();
        int sum = state.sums[0];
        state.change(32, 1, random);
        state.blocks[0] = block;
        state.sums[0] = sum;
        assertFalse(state.isWhole());
        assertFalse(state.change(32, 2, random));
    }
}

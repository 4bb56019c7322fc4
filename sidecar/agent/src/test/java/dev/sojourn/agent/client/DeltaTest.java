package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeltaTest {
    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    @Test
    void whatComesOutIsTheNewValue() {
        for (int round = 0; round < 500; round++) {
            byte[] old = bytes(600 + random.nextInt(5_000));
            byte[] now = changed(old);
            byte[] delta = Delta.between(old, now);
            if (delta != null) {
                assertArrayEquals(now, Delta.apply(old, List.of(delta)), "seed " + seed);
                assertTrue(delta.length < now.length / 2, "seed " + seed);
            }
        }
    }

    @Test
    void severalInARowLeadToTheLastValue() {
        for (int round = 0; round < 500; round++) {
            byte[] old = bytes(600 + random.nextInt(5_000));
            byte[] untouched = old.clone();
            byte[] now = old;
            List<byte[]> deltas = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                byte[] next = changed(now);
                byte[] delta = Delta.between(now, next);
                if (delta != null) {
                    deltas.add(delta);
                    now = next;
                }
            }
            assertArrayEquals(now, Delta.apply(old, deltas), "seed " + seed);
            assertArrayEquals(untouched, old, "seed " + seed);
        }
    }

    @Test
    void oneThatIsMissingInTheMiddleIsNoticed() {
        byte[] old = bytes(1_000);
        List<byte[]> deltas = new ArrayList<>();
        byte[] now = old;
        for (int i = 0; i < 3; i++) {
            byte[] next = now.clone();
            next[100 + 200 * i] ^= 1;
            byte[] delta = Delta.between(now, next);
            assertNotNull(delta);
            deltas.add(delta);
            now = next;
        }
        assertArrayEquals(now, Delta.apply(old, deltas));
        deltas.remove(1);
        assertNull(Delta.apply(old, deltas));
    }

    @Test
    void aFewBytesOfAManyCostAFew() {
        byte[] old = bytes(20_480);
        byte[] now = old.clone();
        for (int i = 0; i < 32; i++) {
            now[10_000 + i] ^= 1;
        }
        now[100] ^= 1;
        byte[] delta = Delta.between(old, now);
        assertNotNull(delta);
        assertTrue(delta.length < 60);
        byte[] longer = Arrays.copyOf(old, old.length + 5);
        assertNotNull(Delta.between(old, longer));
    }

    @Test
    void equalBytesAreLeftOutWhereThatSaves() {
        byte[] old = new byte[1_000];
        int head = 7;
        // Seven equal bytes between the two are told with them in one range, eight are left out; wherever they are.
        for (int first = 0; first < 40; first++) {
            assertEquals(head + 3 + 9, delta(old, first, first + 8).length);
            assertEquals(head + 2 * (3 + 1), delta(old, first, first + 9).length);
        }
        for (int last = 985; last < 1_000; last++) {
            assertEquals(head + 4 + 1, delta(old, last, last).length);
        }
    }

    private static byte[] delta(byte[] old, int one, int other) {
        byte[] now = old.clone();
        now[one] = 1;
        now[other] = 1;
        byte[] delta = Delta.between(old, now);
        assertNotNull(delta);
        assertArrayEquals(now, Delta.apply(old, List.of(delta)));
        return delta;
    }

    @Test
    void whatIsOverwrittenIsToldThoughItIsMuch() {
        byte[] old = bytes(4_096);
        byte[] now = old.clone();
        System.arraycopy(bytes(2_048), 0, now, 1_000, 2_048);
        byte[] delta = Delta.between(old, now);
        assertNotNull(delta);
        assertTrue(delta.length < 2_100);
        assertArrayEquals(now, Delta.apply(old, List.of(delta)));
        byte[] longer = bytes(5_000);
        System.arraycopy(old, 0, longer, 0, 2_000);
        System.arraycopy(old, 2_000, longer, 2_904, 2_096);
        assertNotNull(Delta.between(old, longer));
    }

    @Test
    void whatMovedIsLeftToWhoSearches() {
        byte[] old = bytes(4_096);
        for (int length : new int[] {4_096, 4_080, 4_100}) {
            byte[] now = bytes(length);
            System.arraycopy(old, 0, now, 0, 1_000);
            System.arraycopy(old, 1_020, now, 1_000, 2_000);
            System.arraycopy(old, 3_040, now, 3_040, 1_000);
            assertNull(Delta.between(old, now), () -> "seed " + seed);
        }
        byte[] rotated = old.clone();
        System.arraycopy(old, 100, rotated, 0, 3_996);
        assertNull(Delta.between(old, rotated), () -> "seed " + seed);
    }

    @Test
    void whatIsMostlyNewIsNoDelta() {
        assertNull(Delta.between(bytes(2_000), bytes(2_000)));
        assertNull(Delta.between(bytes(100), bytes(100)));
    }

    @Test
    void nothingButTheValueThatItWasMadeFromTakesIt() {
        byte[] old = bytes(1_000);
        byte[] now = old.clone();
        now[500] ^= 1;
        byte[] delta = Delta.between(old, now);
        assertNotNull(delta);
        byte[] other = old.clone();
        other[10] ^= 1;
        assertNull(Delta.apply(other, List.of(delta)));
        assertNull(Delta.apply(Arrays.copyOf(old, 999), List.of(delta)));
    }

    @Test
    void brokenBytesAreRefused() {
        byte[] old = bytes(1_000);
        byte[] now = changed(old);
        now[3] ^= 1;
        byte[] delta = Delta.between(old, Arrays.copyOf(now, 1_000));
        for (int round = 0; round < 2_000; round++) {
            byte[] broken = delta == null || round % 2 == 0 ? bytes(random.nextInt(40)) : delta.clone();
            if (broken.length > 0) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            }
            // Null or the value: the checksum decides. What counts is that nothing is thrown and little is allocated.
            Delta.apply(old, List.of(broken));
        }
    }

    private byte[] changed(byte[] old) {
        byte[] now = random.nextInt(3) == 0 ? Arrays.copyOf(old, old.length + random.nextInt(40) - 20) : old.clone();
        for (int edits = random.nextInt(6); edits > 0; edits--) {
            now[random.nextInt(now.length)]++;
        }
        return now;
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}

package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangesTest {
    private static final byte[] OLD = new byte[1_000];

    @Test
    void deltasOfTwoAreAppliedOneAfterTheOther() {
        byte[] between = with(OLD, 10);
        byte[] now = with(between, 500);
        Changes both = changes(delta(OLD, between)).and(changes(delta(between, now)));
        assertNotNull(both);
        assertEquals(1, both.list.size());
        Change resolved = both.list.get(0).resolved(OLD);
        assertNotNull(resolved);
        assertArrayEquals(now, resolved.value);
    }

    @Test
    void aDeltaOfAWholeValueIsOfThat() {
        byte[] now = with(OLD, 500);
        Changes both = changes(new Change("a", OLD)).and(changes(delta(OLD, now)));
        assertNotNull(both);
        assertArrayEquals(now, both.list.get(0).value);
        assertNull(changes(new Change("a", with(OLD, 7))).and(changes(delta(OLD, now))), "made from something else");
        assertNull(changes(new Change("a", null)).and(changes(delta(OLD, now))), "made from what was removed");
    }

    @Test
    void theLastValueCountsAndEachAttributeIsThereOnce() {
        Changes before = changes(new Change("a", OLD), new Change("b", OLD));
        Changes both = before.and(changes(new Change("b", null), new Change("c", OLD)));
        assertNotNull(both);
        assertFalse(both.whole);
        assertEquals(3, both.list.size());
        assertNull(both.list.get(1).value);
        assertEquals("c", both.list.get(2).name);
    }

    @Test
    void allThereIsReplacesWhatWasBefore() {
        Changes whole = new Changes(true, List.of(new Change("b", OLD)));
        Changes both = changes(new Change("a", OLD)).and(whole);
        assertNotNull(both);
        assertTrue(both.whole);
        assertEquals("b", both.list.get(0).name);
        Changes after = whole.and(changes(new Change("a", OLD)));
        assertNotNull(after);
        assertTrue(after.whole);
        assertEquals(2, after.list.size());
    }

    private static Changes changes(Change... changes) {
        return new Changes(false, Arrays.asList(changes));
    }

    private static Change delta(byte[] old, byte[] now) {
        byte[] delta = Delta.between(old, now);
        assertNotNull(delta);
        return Change.by("a", List.of(delta));
    }

    private static byte[] with(byte[] old, int at) {
        byte[] now = old.clone();
        now[at]++;
        return now;
    }
}

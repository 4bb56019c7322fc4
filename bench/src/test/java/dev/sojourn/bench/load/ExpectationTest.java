package dev.sojourn.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ExpectationTest {
    private final Expectation expectation = new Expectation(3);
    private final long first = Expectation.stamp(3, 1);
    private final long second = Expectation.stamp(3, 2);
    private final long third = Expectation.stamp(3, 3);

    @Test
    void rightIfEachAnswerFollowsTheLast() {
        assertEquals(Verdict.RIGHT, expectation.check(first, "0 1 0 whole"));
        assertEquals(Verdict.RIGHT, expectation.check(second, "1 2 " + first + " whole"));
        assertEquals(Verdict.RIGHT, expectation.check(third, "2 3 " + second + " whole"));
    }

    @Test
    void whoReadsSeesTheLastChange() {
        assertEquals(Verdict.RIGHT, expectation.checkRead(first, "0 1 0 whole"));
        assertEquals(Verdict.RIGHT, expectation.checkRead(second, "1 1 " + first + " whole"));
        assertEquals(Verdict.RIGHT, expectation.check(third, "1 2 " + first + " whole"));
        assertEquals(Verdict.STALE, expectation.checkRead(third, "1 1 " + first + " whole"));
        assertEquals(Verdict.CORRUPT, expectation.checkRead(third, "2 3 " + third + " whole"));
    }

    @Test
    void whoReadsFindsOutThatASessionWasLost() {
        expectation.checkRead(first, "0 1 0 whole");
        assertEquals(Verdict.LOST, expectation.checkRead(second, "0 1 0 whole"));
    }

    @Test
    void staleIfTheLastChangeIsMissing() {
        expectation.check(first, "0 1 0 whole");
        expectation.check(second, "1 2 " + first + " whole");
        assertEquals(Verdict.STALE, expectation.check(third, "1 2 " + first + " whole"));
    }

    @Test
    void staleIfACopyWentOnApart() {
        expectation.check(first, "0 1 0 whole");
        expectation.check(third, "1 2 " + first + " whole");
        assertEquals(Verdict.STALE, expectation.check(Expectation.stamp(3, 4), "5 6 " + second + " whole"));
    }

    @Test
    void lostIfANewSessionBegins() {
        expectation.check(first, "0 1 0 whole");
        assertEquals(Verdict.LOST, expectation.check(second, "0 1 0 whole"));
    }

    @Test
    void corruptIfTornOrAnotherUsers() {
        expectation.check(first, "0 1 0 whole");
        assertEquals(Verdict.CORRUPT, expectation.check(second, "1 2 " + first + " torn"));
        assertEquals(Verdict.CORRUPT, expectation.check(third, "2 3 " + Expectation.stamp(4, 2) + " whole"));
    }

    @Test
    void aRequestWithoutAnAnswerMayHaveBeenCountedOrNot() {
        expectation.check(first, "0 1 0 whole");
        expectation.failed();
        assertEquals(Verdict.RIGHT, expectation.check(third, "2 3 " + second + " whole"));
        expectation.failed();
        assertEquals(Verdict.RIGHT, expectation.check(Expectation.stamp(3, 5), "3 4 " + third + " whole"));
    }
}

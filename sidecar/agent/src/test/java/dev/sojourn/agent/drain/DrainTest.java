package dev.sojourn.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.drain.Connections.Look;
import dev.sojourn.agent.session.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DrainTest {
    private static final long LONG = 60_000;

    private static final long QUIET = 250;

    private final Requests requests = new Requests();
    private final AtomicLong now = new AtomicLong();
    /** When what lies unread was looked for. */
    private final List<Long> asked = new ArrayList<>();

    @Test
    void usersAreSentAwayOnceThePodDrainsAndTheEdgeHasHadItsTime() {
        Drain drain = new Drain(requests, 250, 10_000, false, () -> TimeUnit.MILLISECONDS.toNanos(now.get()));
        now.set(5_000);
        assertFalse(drain.sendsAway());
        drain.announce();
        now.addAndGet(900);
        assertFalse(drain.sendsAway());
        now.addAndGet(100);
        assertTrue(drain.sendsAway());
        assertFalse(drain.refuses());
    }

    @Test
    void thoseWhoAreToStayAreNot() {
        Drain drain = new Drain(requests, 250, 10_000, true);
        drain.announce();
        assertFalse(drain.sendsAway());
    }

    /** Nothing else tells Envoy, which would send them into a container that is taken apart. */
    @Test
    void untilTheDeadlineAndThenAllOfThemAreToHear() throws Exception {
        AtomicLong closedAt = new AtomicLong();
        Drain[] drain = new Drain[1];
        drain[0] = new Drain(requests, 250, 10_000, true, () -> {
            long millis = now.addAndGet(10);
            if (drain[0] != null && drain[0].refuses() && closedAt.get() == 0) {
                closedAt.set(millis);
                assertTrue(drain[0].sendsAway());
            }
            return TimeUnit.MILLISECONDS.toNanos(millis);
        });
        drain[0].awaitQuiet(() -> Look.NONE);
        assertTrue(now.get() - closedAt.get() >= 450, () -> "open for " + (now.get() - closedAt.get()));
    }

    @Test
    void nobodyIsLetInOnceItWasQuiet() throws Exception {
        Drain drain = new Drain(requests, 0, LONG, false);
        drain.awaitQuiet();
        assertTrue(drain.refuses());
    }

    @Test
    void norAtTheDeadlineWhoeverIsStillThere() throws Exception {
        requests.enter(this, true);
        Drain drain = new Drain(requests, LONG, 0, false);
        drain.awaitQuiet();
        assertTrue(drain.refuses());
    }

    /** Where each look did that, a quiet moment took twice its time, and half a core. */
    @Test
    void whatLiesUnreadIsLookedForOnceWhereNobodyComes() throws Exception {
        clocked(10).awaitQuiet(unread(false));
        assertEquals(1, asked.size());
    }

    @Test
    void whatLiesUnreadIsLetInAndThenItIsQuietAnew() throws Exception {
        Drain drain = clocked(10);
        drain.awaitQuiet(() -> {
            assertFalse(drain.refuses());
            return unread(asked.size() < 2).get();
        });
        assertEquals(3, asked.size());
        assertTrue(asked.get(1) - asked.get(0) >= QUIET, asked::toString);
        assertTrue(asked.get(2) - asked.get(1) >= QUIET, asked::toString);
    }

    @Test
    void soIsWhatWasReadJustAsOneLooked() throws Exception {
        clocked(10, () -> {
                    if (requests.any()) {
                        requests.exit(this, true);
                    }
                })
                .awaitQuiet(() -> {
                    if (asked.isEmpty()) {
                        requests.enter(this, true);
                    }
                    return unread(false).get();
                });
        assertEquals(2, asked.size());
        assertTrue(asked.get(1) - asked.get(0) >= QUIET, asked::toString);
    }

    @Test
    void soIsWhoCameAndWentAsOneLooked() throws Exception {
        Drain drain = clocked(10);
        drain.awaitQuiet(() -> {
            if (asked.isEmpty()) {
                drain.came();
            }
            return unread(false).get();
        });
        assertEquals(2, asked.size());
    }

    @Test
    void aMachineThatStoodStillWasNotQuiet() throws Exception {
        clocked(QUIET).awaitQuiet(unread(false));
        // Each look counts for 50 ms.
        assertTrue(asked.get(0) >= 5 * QUIET, asked::toString);
    }

    /** A proxy that stands still has not heard of the pod's end, and keeps its connections. */
    @Test
    void whoKeepsAConnectionIsWaitedForAndServed() throws Exception {
        Drain drain = clocked(10);
        drain.awaitQuiet(() -> {
            assertFalse(drain.refuses());
            return sees(asked.size() < 3 ? Look.OPEN : Look.NONE).get();
        });
        assertEquals(4, asked.size());
        assertTrue(asked.get(1) - asked.get(0) >= 100, "each look takes its time: " + asked);
        assertTrue(asked.get(3) - asked.get(0) < 1_000, asked::toString);
    }

    @Test
    void butNotForEver() throws Exception {
        clocked(10).awaitQuiet(sees(Look.OPEN));
        long drawnOut = asked.get(asked.size() - 1) - asked.get(0);
        assertTrue(drawnOut >= 1_500 && drawnOut < 5_000, asked::toString);
    }

    /** A monitor that asks each second, and keeps its connection. */
    @Test
    void norAnewForEachThatComesMeanwhile() throws Exception {
        AtomicLong last = new AtomicLong();
        Drain[] drain = new Drain[1];
        drain[0] = clocked(10, () -> {
            if (drain[0] != null && now.get() - last.get() >= 1_000) {
                last.set(now.get());
                drain[0].came();
            }
        });
        drain[0].awaitQuiet(sees(Look.OPEN));
        assertTrue(now.get() < 6_000, asked::toString);
    }

    /** Its clock goes on so far each time that it is looked at. */
    private Drain clocked(long millis) {
        return clocked(millis, () -> {});
    }

    private Drain clocked(long millis, Runnable looked) {
        return new Drain(requests, QUIET, 600_000, false, () -> {
            looked.run();
            return TimeUnit.MILLISECONDS.toNanos(now.addAndGet(millis));
        });
    }

    private Supplier<Look> unread(boolean any) {
        return sees(any ? Look.UNREAD : Look.NONE);
    }

    private Supplier<Look> sees(Look look) {
        return () -> {
            asked.add(now.get());
            return look;
        };
    }
}

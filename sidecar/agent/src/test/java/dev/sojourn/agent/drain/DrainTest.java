package dev.sojourn.agent.drain;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.session.Requests;
import org.junit.jupiter.api.Test;

class DrainTest {
    private static final long LONG = 60_000;

    private final Requests requests = new Requests();

    @Test
    void usersAreSentAwayOnceThePodDrains() {
        Drain drain = new Drain(requests, 250, 10_000, false);
        assertFalse(drain.sendsAway());
        drain.announce();
        assertTrue(drain.sendsAway());
        assertFalse(drain.refuses());
    }

    @Test
    void thoseWhoAreToStayAreNot() {
        Drain drain = new Drain(requests, 250, 10_000, true);
        drain.announce();
        assertFalse(drain.sendsAway());
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
}

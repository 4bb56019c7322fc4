package dev.sojourn.agent.drain;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.session.Requests;
import org.junit.jupiter.api.Test;

class DrainTest {
    @Test
    void usersAreSentAwayOnceThePodDrains() {
        Drain drain = new Drain(new Requests(), 250, 10_000, false);
        assertFalse(drain.sendsAway());
        drain.announce();
        assertTrue(drain.sendsAway());
    }

    @Test
    void thoseWhoAreToStayAreNot() {
        Drain drain = new Drain(new Requests(), 250, 10_000, true);
        drain.announce();
        assertFalse(drain.sendsAway());
    }
}

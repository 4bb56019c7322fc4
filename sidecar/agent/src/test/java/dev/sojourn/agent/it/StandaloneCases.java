package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** What only a Tomcat of its own has: several applications, and its own login. */
interface StandaloneCases extends Nodes {
    @Test
    default void twoContextsDoNotShareASession() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        assertEquals("false", user().response(a(), "/other", "op=has").body());
        assertEquals("false", user().response(b(), "/other", "op=has").body());
    }

    @Test
    default void theContainersLoginTravels() throws Exception {
        user().get(a(), "op=login&name=ann&value=secret");
        assertEquals("ann", user().get(b(), "op=who"));
        assertEquals("[]", user().get(b(), "op=names"));
    }
}

package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Spring's own beans of the session, with what Spring puts into them. */
interface SpringBeanCases extends Nodes {
    @Test
    default void aBeanOfTheSessionWithAnInjectedRequestTravels() throws Exception {
        assertEquals("1", user().path(a(), "/app/visit?of=1").body());
        assertEquals("1,2", user().path(b(), "/app/visit?of=2").body());
        assertEquals("1,2,3", user().path(a(), "/app/visit?of=3").body());
    }
}

package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class Tomcat101IT extends StandaloneConformance {
    Tomcat101IT() {
        super("10.1.54", true);
    }

    /** Here only, for it takes its time: what the store makes of it is the same on every container. */
    @Test
    void whoOnlyPollsIsLoggedOutInTime() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        int destroyed = counters("destroyed");
        user().get(b(), "op=timeout&value=2");
        Browser tab = user().withCookie(user().cookie());
        Eventually.holds("the session to end under the polls", SOON, () -> {
            PassiveCases.poll(tab, a(), "op=has");
            return PassiveCases.poll(tab, b(), "op=has").equals("false");
        });
        Eventually.holds("its listeners to be told", SOON, () -> counters("destroyed") > destroyed);
        assertEquals("false", user().get(a(), "op=has"));
    }
}

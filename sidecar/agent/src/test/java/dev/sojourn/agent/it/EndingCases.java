package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How sessions end, and how they get another id. */
interface EndingCases extends Nodes {
    @Test
    default void anEndIsSeenByTheOtherNode() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(b(), "op=get&name=user");
        int destroyed = counters("destroyed");
        user().get(a(), "op=invalidate");
        assertEquals("false", user().get(b(), "op=has"));
        assertEquals("false", user().get(a(), "op=has"));
        assertEquals(destroyed + 1, counters("destroyed"));
    }

    @Test
    default void aRequestInFlightCannotUndoALogout() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        CompletableFuture<HttpResponse<String>> late = user().later(b(), "op=gated&gate=logout&name=user&value=zombie");
        String cookie = user().cookie();
        Nodes.awaitInFlight(b());
        user().get(a(), "op=invalidate");
        user().get(b(), "op=open&gate=logout");
        late.get(20, TimeUnit.SECONDS);
        assertEquals("false", user().withCookie(cookie).get(a(), "op=has"));
        assertEquals("false", user().withCookie(cookie).get(b(), "op=has"));
    }

    @Test
    default void aNewIdKeepsTheAttributesAndEndsTheOldId() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(b(), "op=get&name=user");
        String old = user().cookie();
        user().get(a(), "op=rotate");
        assertNotEquals(old, user().cookie());
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        user().get(b(), "op=set&name=user&value=Bea");
        assertEquals("Bea", user().get(a(), "op=get&name=user"));
        assertEquals("false", user().withCookie(old).get(a(), "op=has"));
        assertEquals("false", user().withCookie(old).get(b(), "op=has"));
    }

    @Test
    default void anIdleSessionEndsOnceAndIsGoneEverywhere() throws Exception {
        int destroyed = counters("destroyed");
        user().get(b(), "op=create");
        user().get(a(), "op=timeout&value=2");
        // Asked without a cookie, so that nobody uses the session meanwhile.
        Eventually.holds("one node tells its listeners", SOON, () -> counters("destroyed") > destroyed);
        assertEquals("false", user().get(a(), "op=has"));
        assertEquals("false", user().get(b(), "op=has"));
        assertEquals(destroyed + 1, counters("destroyed"));
    }

    @Test
    default void anIdleNodeDoesNotEndWhatIsUsedElsewhere() throws Exception {
        user().get(b(), "op=set&name=user&value=Ann");
        user().get(b(), "op=timeout&value=3");
        long until = System.nanoTime() + Duration.ofSeconds(6).toNanos();
        while (System.nanoTime() < until) {
            assertEquals("Ann", user().get(a(), "op=get&name=user"));
        }
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
    }
}

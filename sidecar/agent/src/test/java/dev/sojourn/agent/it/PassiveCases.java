package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that their users do not make themselves. */
interface PassiveCases extends Nodes {
    @Test
    default void aPollSeesAndChangesTheSessionAndIsNoAccess() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(b(), "op=get&name=user");
        // Times come as how long ago that was, in whole milliseconds: well before the first poll, not just before it.
        long last = System.currentTimeMillis() + 50;
        Eventually.holds("the clock goes on", SOON, () -> System.currentTimeMillis() > last);
        int polls = 0;
        for (TomcatNode node : List.of(a(), b(), b(), a(), b(), a())) {
            assertEquals("Ann", poll(user(), node, "op=get&name=user"));
            poll(user(), node, "op=append&name=polls&value=" + polls++);
        }
        long seen = Long.parseLong(user().get(b(), "op=accessed"));
        assertTrue(seen <= last, "a poll counts: " + (seen - last) + " ms later");
        assertEquals("[0, 1, 2, 3, 4, 5]", user().get(a(), "op=get&name=polls"));
        Eventually.holds("other requests count", SOON, () -> {
            user().get(b(), "op=get&name=user");
            return Long.parseLong(user().get(a(), "op=accessed")) > last;
        });
    }

    /** A request that no rule but that for polls knows. */
    static String poll(Browser user, TomcatNode node, String query) throws Exception {
        return user.path(node, "/app/poll?" + query).body();
    }
}

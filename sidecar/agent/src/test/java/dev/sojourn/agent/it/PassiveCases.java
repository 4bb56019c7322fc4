package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that their users do not make themselves. */
interface PassiveCases extends Nodes {
    /** Of a scheduler, a socket, an executor: nobody would ever be logged out whose session such a one writes into. */
    @Test
    default void whatAThreadOfNoRequestSetsIsNoAccess() throws Exception {
        user().get(b(), "op=create");
        user().get(a(), "op=asynclate&name=by&value=access");
        long last = awaitNextMoment();
        assertEquals("null", poll(user(), b(), "op=get&name=by"));
        poll(user(), a(), "op=open&gate=access");
        Eventually.holds(
                "it is committed",
                SOON,
                () -> poll(user(), b(), "op=get&name=by").equals("late"));
        assertNoAccessSince(last, Long.parseLong(poll(user(), b(), "op=accessed")));
    }

    @Test
    default void aPollSeesAndChangesTheSessionAndIsNoAccess() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(b(), "op=get&name=user");
        long last = awaitNextMoment();
        int polls = 0;
        for (TomcatNode node : List.of(a(), b(), b(), a(), b(), a())) {
            assertEquals("Ann", poll(user(), node, "op=get&name=user"));
            poll(user(), node, "op=append&name=polls&value=" + polls++);
        }
        assertNoAccessSince(last, Long.parseLong(user().get(b(), "op=accessed")));
        assertEquals("[0, 1, 2, 3, 4, 5]", user().get(a(), "op=get&name=polls"));
        Eventually.holds("other requests count", SOON, () -> {
            user().get(b(), "op=get&name=user");
            return Long.parseLong(user().get(a(), "op=accessed")) > last;
        });
    }

    /** Times come as how long ago that was, in whole milliseconds: well before what follows, not just before it. */
    private static long awaitNextMoment() throws Exception {
        long last = System.currentTimeMillis() + 50;
        Eventually.holds("the clock goes on", SOON, () -> System.currentTimeMillis() > last);
        return last;
    }

    private static void assertNoAccessSince(long last, long seen) {
        assertTrue(seen <= last, "that counts: " + (seen - last) + " ms later");
    }

    /** A request that no rule but that for polls knows. */
    static String poll(Browser user, TomcatNode node, String query) throws Exception {
        return user.path(node, "/app/poll?" + query).body();
    }
}

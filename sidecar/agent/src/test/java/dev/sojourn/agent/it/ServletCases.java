package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The ways of a request through a servlet container. */
interface ServletCases extends Nodes {
    @Test
    default void anAsyncRequestCommitsWhenItCompletes() throws Exception {
        for (int i = 0; i < 20; i++) {
            user().get(a(), "op=asyncset&name=x&value=" + i);
            assertEquals("" + i, user().get(b(), "op=get&name=x"));
            user().get(b(), "op=asyncappend&name=list&value=" + i);
        }
        assertEquals(20, user().get(a(), "op=get&name=list").split(",").length);
    }

    @Test
    default void forwardsAndErrorDispatchesAreOfTheRequest() throws Exception {
        user().get(a(), "op=forward&name=x&value=forwarded");
        assertEquals("[before, x]", user().get(b(), "op=names"));
        assertEquals(
                500, user().response(b(), "/app", "op=fail&name=y&value=failed").statusCode());
        assertEquals("[before, error, x, y]", user().get(a(), "op=names"));
    }
}

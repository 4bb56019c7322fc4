package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** What the application is told of its sessions. */
interface ListenerCases extends Nodes {
    @Test
    default void listenersHearOfLocalChangesOnly() throws Exception {
        int created = counters("created");
        user().get(a(), "op=set&name=x&value=1");
        int added = Nodes.counter(b(), "added");
        int replaced = Nodes.counter(b(), "replaced");
        user().get(b(), "op=get&name=x");
        assertEquals(added, Nodes.counter(b(), "added"));
        user().get(b(), "op=set&name=x&value=2");
        assertEquals(replaced + 1, Nodes.counter(b(), "replaced"));
        assertEquals(created + 1, counters("created"));
    }
}

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

    @Test
    default void aBindingIsToldWhereItHappens() throws Exception {
        int bound = counters("bound");
        int unbound = counters("unbound");
        user().get(a(), "op=bound&name=x&value=1");
        assertEquals("1", user().get(b(), "op=get&name=x"));
        user().get(b(), "op=remove&name=x");
        user().get(a(), "op=names");
        assertEquals(bound + 1, counters("bound"));
        assertEquals(unbound + 1, counters("unbound"));
    }

    @Test
    default void theEndUnbindsEveryAttributeOnceWhereverItWasSet() throws Exception {
        user().get(a(), "op=bound&name=x&value=1");
        user().get(b(), "op=bound&name=y&value=1");
        int unbound = counters("unbound");
        int removed = counters("removed");
        int destroyed = counters("destroyed");
        user().get(b(), "op=invalidate");
        assertEquals("false", user().get(a(), "op=has"));
        assertEquals(unbound + 2, counters("unbound"));
        assertEquals(removed + 2, counters("removed"));
        assertEquals(destroyed + 1, counters("destroyed"));
    }

    /** No other node has it. */
    @Test
    default void whatCannotLeaveItsNodeIsUnboundThereWhereverTheSessionEnds() throws Exception {
        user().get(a(), "op=bound&name=x&value=local");
        int unbound = Nodes.counter(a(), "unbound");
        user().get(b(), "op=invalidate");
        assertEquals("false", user().get(a(), "op=has"));
        Eventually.holds("it is unbound", SOON, () -> Nodes.counter(a(), "unbound") > unbound);
        assertEquals(unbound + 1, Nodes.counter(a(), "unbound"));
    }

    @Test
    default void anAttributeIsActivatedOnceInEachJvmThatItComesInto() throws Exception {
        user().get(a(), "op=bound&name=x&value=1");
        int activated = counters("activated");
        user().get(b(), "op=get&name=x");
        user().get(b(), "op=get&name=x");
        user().get(a(), "op=get&name=x");
        assertEquals(activated + 1, counters("activated"));
        assertEquals(0, counters("passivated"));
    }

    @Test
    default void aNewIdIsToldOnce() throws Exception {
        user().get(a(), "op=create");
        user().get(b(), "op=names");
        int renamed = counters("renamed");
        user().get(a(), "op=rotate");
        user().get(b(), "op=names");
        assertEquals(renamed + 1, counters("renamed"));
    }
}

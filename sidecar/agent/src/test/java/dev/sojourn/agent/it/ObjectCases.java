package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Objects that cannot be written, or not be read. */
interface ObjectCases extends Nodes {
    @Test
    default void whatCannotBeSerializedStaysAndIsNamedInTheLog() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(a(), "op=local&name=worker");
        assertTrue(user().get(a(), "op=get&name=worker").startsWith("Thread["));
        assertEquals("null", user().get(b(), "op=get&name=worker"));
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        assertTrue(a().logged().contains("context=/app attribute=worker class=java.lang.Thread"), "no line in the log");
    }

    @Test
    default void aClassThatOneNodeLacksCostsThatAttributeThere() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(a(), "op=onlyhere&name=new&value=kept");
        assertEquals("null", user().get(b(), "op=get&name=new"));
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        user().get(b(), "op=set&name=user&value=Bea");
        assertEquals("kept", user().get(a(), "op=get&name=new"));
        assertTrue(b().logged().contains("attribute=new cause=java.lang.ClassNotFoundException"), "no line in the log");
    }
}

package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Objects that cannot be written, or not be read. */
interface ObjectCases extends Nodes {
    @Test
    default void whatCannotBeSerializedStaysAndIsNamedOnceInTheLogAndInTheMetrics() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(a(), "op=local&name=worker");
        user().get(a(), "op=local&name=worker");
        assertTrue(user().get(a(), "op=get&name=worker").startsWith("Thread["));
        assertEquals("null", user().get(b(), "op=get&name=worker"));
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        String where = "context=/app attribute=worker class=java.lang.Thread";
        assertEquals(2, a().logged().split(where, -1).length, "lines in the log, and one more");
        String metric = "sojourn_attribute_notes_total{kind=\"unserializable\",context=\"/app\",attribute=\"worker\","
                + "class=\"java.lang.Thread\"}";
        Eventually.holds("the metric counts it", SOON, () -> daemonA().metric(metric) == 1);
    }

    @Test
    default void aClassThatOneNodeLacksCostsThatAttributeThere() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(a(), "op=onlyhere&name=new&value=kept");
        assertEquals("null", user().get(b(), "op=get&name=new"));
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        user().get(b(), "op=set&name=user&value=Bea");
        assertEquals("kept", user().get(a(), "op=get&name=new"));
        assertTrue(b().logged().contains("attribute=new class=testapp.OnlyHere"), "no line in the log");
    }

    @Test
    default void anAttributeOfAnotherVersionIsAbsentThereAndStaysForOthers() throws Exception {
        for (String kind : List.of("colour", "numbered", "typed")) {
            user().get(a(), "op=set&name=user&value=Ann");
            user().get(a(), "op=versioned&name=it&value=" + kind);
            String seen = user().get(a(), "op=get&name=it");
            assertEquals("[user]", user().get(b(), "op=names"), kind);
            assertEquals("null", user().get(b(), "op=get&name=it"), kind);
            user().get(b(), "op=set&name=user&value=Bea");
            assertEquals(seen, user().get(a(), "op=get&name=it"), kind);
            user().get(b(), "op=versioned&name=it&value=" + kind);
            assertEquals("[it, user]", user().get(b(), "op=names"), kind);
            user().get(b(), "op=invalidate");
        }
        assertTrue(b().logged().contains("attribute=it class=testapp.Versioned$Numbered"), "no line in the log");
    }

    @Test
    default void aKnownGadgetIsNotReadAnywhereElse() throws Exception {
        user().get(a(), "op=gadget&name=list");
        user().get(a(), "op=set&name=user&value=Ann");
        assertEquals("null", user().get(b(), "op=get&name=list"));
        assertEquals("[user]", user().get(b(), "op=names"));
        assertEquals("[]", user().get(a(), "op=get&name=list"));
        assertTrue(b().logged().contains("class=javax.swing."), "no line in the log");
    }

    @Test
    default void attributesOfAGroupStayOneObject() throws Exception {
        user().get(a(), "op=share&name=view&value=x");
        assertEquals("true", user().get(b(), "op=same&name=view"));
        user().get(b(), "op=append&name=one.view&value=y");
        assertEquals("[x, y]", user().get(a(), "op=get&name=two.view"));
        assertEquals("true", user().get(a(), "op=same&name=view"));
        assertEquals("[one.view, two.view]", user().get(b(), "op=names"));
    }
}

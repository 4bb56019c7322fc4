package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the store has, and this JVM can read and not write: whether that stays there. */
class LeftAloneTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);
    private final Node c = new Node(store);

    /** It lacks something once it has been read, and says so when it is written. */
    static final class Incomplete implements Serializable {
        private static final long serialVersionUID = 1L;
        private transient boolean complete = true;
        private int uses;

        void use() {
            complete = true;
            uses++;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            if (!complete) {
                throw new IllegalStateException("not complete");
            }
            out.defaultWriteObject();
        }
    }

    /** It can be written until somebody uses it. */
    static final class Used implements Serializable {
        private static final long serialVersionUID = 1L;
        private final Object[] used = new Object[1];
    }

    @Test
    void whatWasOnlyReadStaysThoughItCannotBeWritten() {
        a.request(() -> a.session.set("it", new Incomplete()));
        for (int request = 0; request < 10; request++) {
            b.request(() -> assertTrue(b.get("it") instanceof Incomplete));
        }
        assertEquals("COMMIT 0 +it", store.asked.get(0));
        assertEquals(1, commits());
        c.request(() -> assertTrue(c.get("it") instanceof Incomplete));
    }

    /** As Spring does with each bean of a session at the end of a request. */
    @Test
    void soDoesWhatWasSetAsItWasRead() {
        a.request(() -> a.session.set("it", new Incomplete()));
        for (int request = 0; request < 10; request++) {
            b.request(() -> b.session.set("it", b.get("it")));
        }
        assertEquals(1, commits());
    }

    /** As one may that finds a service anew when it is used. */
    @Test
    void whatIsChangedOnceItCanBeWrittenIsSeenElsewhere() {
        a.request(() -> a.session.set("it", new Incomplete()));
        b.request(() -> b.get("it"));
        b.request(() -> ((Incomplete) b.get("it")).use());
        b.request(() -> ((Incomplete) b.get("it")).use());
        c.request(() -> assertEquals(2, ((Incomplete) c.get("it")).uses));
    }

    /** The store has it: this JVM may let go of it. */
    @Test
    void itKeepsNoCopyInThisJvm() {
        a.request(() -> a.session.set("it", new Incomplete()));
        b.request(() -> b.get("it"));
        assertFalse(b.session.hasLocal());
        assertTrue(b.session.isEvictable());
    }

    @Test
    void whatIsSetAndCannotBeWrittenIsNotBelievedElsewhere() {
        a.request(() -> a.session.set("it", new Incomplete()));
        Incomplete other = new Incomplete();
        other.complete = false;
        b.request(() -> b.session.set("it", other));
        for (int request = 0; request < 10; request++) {
            b.request(() -> {});
        }
        c.request(() -> assertEquals("nothing", c.get("it")));
    }

    @Test
    void norIsWhatWasChangedIntoSomethingThatCannotBeWritten() {
        a.request(() -> a.session.set("it", new Used()));
        b.request(() -> ((Used) b.get("it")).used[0] = new Object());
        c.request(() -> assertEquals("nothing", c.get("it")));
        assertTrue(b.session.hasLocal());
    }

    /** In a roll-out of such a filter. */
    @Test
    void whatWasOnlyReadStaysThoughItsNameIsKeptHereByNow() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        b.keeps = "list"::equals;
        b.request(() -> assertEquals(List.of("x"), b.get("list")));
        b.request(() -> assertEquals(List.of("x"), b.get("list")));
        assertEquals(1, commits());
        a.request(() -> assertEquals(List.of("x"), a.get("list")));
    }

    @Test
    void whatIsChangedOfThatIsNotBelievedElsewhere() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        b.keeps = "list"::equals;
        b.request(() -> list(b.get("list")).add("y"));
        a.request(() -> assertEquals("nothing", a.get("list")));
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    private long commits() {
        return store.asked.stream().filter(line -> line.contains("COMMIT")).count();
    }

    @SuppressWarnings("unchecked")
    private static List<String> list(Object value) {
        return (List<String>) value;
    }
}

package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often objects are read and written: what a request does not touch costs it nothing. */
class SerializationsTest {
    private static final AtomicInteger READ = new AtomicInteger();
    private static final AtomicInteger WRITTEN = new AtomicInteger();

    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    static final class Counted implements Serializable {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            READ.incrementAndGet();
        }
    }

    /** Its constructor is called for whatever extends it and is read. */
    static class CountsReads {
        CountsReads() {
            READ.incrementAndGet();
        }
    }

    static final class Plain extends CountsReads implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;
    }

    /** It cannot change, and is asked for a replacement whenever it is written. */
    record Fixed(int number) implements Serializable {
        private Object writeReplace() {
            WRITTEN.incrementAndGet();
            return this;
        }
    }

    @BeforeEach
    void none() {
        READ.set(0);
        WRITTEN.set(0);
    }

    @Test
    void whatIsWrittenAsItWasReadIsNotReadOnceMoreWhenItChanges() {
        a.request(() -> a.session.set("plain", new Plain()));
        READ.set(0);
        b.request(() -> ((Plain) b.get("plain")).number = 1);
        assertEquals(1, READ.get());
        b.request(() -> {
            Plain plain = (Plain) b.get("plain");
            plain.number = 2;
            b.session.set("plain", plain);
        });
        a.request(() -> assertEquals(2, ((Plain) a.get("plain")).number));
        assertEquals(2, READ.get(), "once on each node");
    }

    @Test
    void onlyTheAttributesThatARequestReadsBecomeObjects() {
        a.request(() -> {
            a.session.set("one", new Counted());
            a.session.set("two", new Counted());
        });
        b.request(() -> {});
        assertEquals(0, READ.get(), "nobody has read any");
        b.request(() -> b.get("one"));
        assertEquals(1, READ.get());
        b.request(() -> b.get("one"));
        assertEquals(1, READ.get(), "it is one already");
        b.request(() -> b.session.set("three", "x"));
        assertEquals(1, READ.get(), "a commit needs no object");
        b.request(() -> b.get("two"));
        assertEquals(2, READ.get());
    }

    @Test
    void aChangeOfAnotherAttributeMakesNoObjectAnew() {
        a.request(() -> {
            a.session.set("one", new Counted());
            a.session.set("two", "x");
        });
        b.request(() -> b.get("one"));
        a.request(() -> a.session.set("two", "y"));
        b.request(() -> {
            assertEquals("y", b.get("two"));
            b.get("one");
        });
        assertEquals(1, READ.get());
    }

    @Test
    void whatCannotChangeIsWrittenOnce() {
        Fixed value = new Fixed(1);
        a.request(() -> a.session.set("fixed", value));
        assertEquals(1, WRITTEN.get());
        for (int i = 0; i < 3; i++) {
            a.request(() -> assertEquals(value, a.get("fixed")));
            a.request(() -> a.session.set("fixed", value));
            a.request(() -> {
                a.get("fixed");
                a.session.set("other", new Fixed(2));
                a.session.remove("other");
            });
        }
        assertEquals(1, WRITTEN.get());
        assertEquals(Set.of("fixed"), a.session.names());
    }

    @Test
    void whatCannotChangeIsNotWrittenBecauseOthersHaveChangedIt() {
        a.request(() -> a.session.set("fixed", new Fixed(1)));
        a.request(() -> {
            assertEquals(new Fixed(1), a.get("fixed"));
            b.request(() -> b.session.set("fixed", new Fixed(2)));
            // As another request of this JVM does it while the first one is still at work.
            a.open();
            assertEquals(new Fixed(2), a.get("fixed"));
        });
        assertEquals(2, WRITTEN.get(), "each once, by who has set it");
    }
}

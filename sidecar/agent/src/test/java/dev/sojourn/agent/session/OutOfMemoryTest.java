package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That a JVM has no memory now says nothing of a value. */
class OutOfMemoryTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    static final class Hungry implements Serializable {
        private static final long serialVersionUID = 1L;
        static boolean fails;
        int number;

        private void writeObject(ObjectOutputStream out) throws IOException {
            if (fails) {
                throw new OutOfMemoryError("as told");
            }
            out.defaultWriteObject();
        }
    }

    @Test
    void whatCannotBeWrittenNowIsCommittedLaterAndTheRestAtOnce() {
        starved(() -> a.request(() -> {
            a.session.set("hungry", new Hungry());
            a.session.set("user", "Ann");
        }));
        assertEquals(List.of("COMMIT 0 +user"), store.asked);
        a.backlog.work();
        b.request(() -> assertEquals(0, ((Hungry) b.get("hungry")).number));
    }

    @Test
    void whatTheStoreHasOfItStaysThereUntilThen() {
        a.request(() -> a.session.set("hungry", new Hungry()));
        starved(() -> {
            for (int i = 0; i < 10; i++) {
                a.request(() -> ((Hungry) a.get("hungry")).number++);
            }
        });
        b.request(() -> assertEquals(0, ((Hungry) b.get("hungry")).number));
        a.backlog.work();
        b.request(() -> assertEquals(10, ((Hungry) b.get("hungry")).number));
    }

    private static void starved(Runnable application) {
        Hungry.fails = true;
        try {
            application.run();
        } catch (OutOfMemoryError e) {
            // JUnit would take it for its own JVM's.
            throw new AssertionError(e);
        } finally {
            Hungry.fails = false;
        }
    }
}

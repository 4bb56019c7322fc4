package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.core.FullHeap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A request's sessions when it ends in trouble: what is in use is neither forgotten nor caught up with. */
class ScopeTest {
    private final FakeStore store = new FakeStore();
    private final Node node = new Node(store);

    @Test
    void whatCannotBeGivenBackIsNotInUseAnyMore() {
        node.request(() -> node.session.set("x", "1"));
        assertThrows(
                OutOfMemoryError.class,
                () -> node.request(() -> {
                    node.claim(7);
                    store.meanwhile = () -> {
                        throw new OutOfMemoryError("of a test");
                    };
                }));
        assertFalse(node.session.isInUse());
    }

    /** Nobody else would, and nobody would have them again. */
    @Test
    void norAreTheirLocksKeptAnyLonger() {
        Node other = new Node(store, node.backlog, "t");
        Scope scope = new Scope();
        scope.claim(node.session, 7);
        scope.claim(other.session, 8);
        store.meanwhile = () -> {
            if (store.asked.get(store.asked.size() - 1).startsWith("UNLOCK")) {
                throw new OutOfMemoryError("of a test");
            }
        };
        node.session.giveBackLeft();
        assertFalse(store.asked.contains("UNLOCK 7"), "it is in use");
        assertThrows(OutOfMemoryError.class, scope::finish);
        assertThrows(OutOfMemoryError.class, node.session::giveBackLeft);
        store.asked.clear();
        store.meanwhile = () -> {};
        node.session.giveBackLeft();
        other.session.giveBackLeft();
        assertEquals(List.of("UNLOCK 7", "UNLOCK 8"), store.asked);
        node.session.giveBackLeft();
        assertEquals(2, store.asked.size(), "once");
    }

    @Test
    void norIsWhatARequestHadThatEndsWithoutMemory() throws Exception {
        FullHeap.runs(Full.class);
    }

    static final class Full {
        public static void main(String[] args) {
            FakeStore store = new FakeStore();
            Node node = new Node(store);
            node.request(() -> node.session.set("x", "1"));
            node.requests.enter(node, true);
            node.claim(7);
            node.bytes(true);
            assertTrue(node.session.isInUse());
            FullHeap.fails(() -> node.requests.exit(node, true));
            assertFalse(node.session.isInUse());
            store.asked.clear();
            node.session.giveBackLeft();
            assertEquals(List.of("UNLOCK 7"), store.asked);
        }
    }
}

package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.core.FullHeap;
import java.util.Objects;
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

    @Test
    void norIsWhatARequestHadThatEndsWithoutMemory() throws Exception {
        FullHeap.runs(Full.class);
    }

    static final class Full {
        public static void main(String[] args) {
            Node node = new Node(new FakeStore());
            node.request(() -> node.session.set("x", "1"));
            node.requests.enter(node, true);
            Objects.requireNonNull(node.requests.current()).use(node.session);
            node.bytes(true);
            assertTrue(node.session.isInUse());
            FullHeap.fails(() -> node.requests.exit(node, true));
            assertFalse(node.session.isInUse());
        }
    }
}

package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.ReferenceQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sessions that threads of no request have touched: the collector must be able to find that nobody holds one. */
class LookTest {
    private static final class Counting extends Look {
        int times;

        Counting(SessionState session, ReferenceQueue<SessionState> unheld) {
            super(session, unheld);
        }

        @Override
        public @Nullable SessionState get() {
            times++;
            return super.get();
        }
    }

    private final Node node = new Node(new FakeStore());

    @Test
    void aSessionIsAskedForOnlyWhereItIsDue() {
        Counting look = new Counting(node.session, new ReferenceQueue<>());
        look.touched();
        node.backlog.keep(look);
        for (int round = 1; round <= 16; round++) {
            node.backlog.work();
        }
        assertEquals(4, look.times, "after 2, 4, 8 and 16");
    }

    @Test
    void nothingIsKeptOfASessionThatNobodyHasAnyMore() {
        Look look = node.backlog.lookAt(node.session);
        node.backlog.work();
        assertEquals(1, node.backlog.lookedAt());
        look.enqueue();
        node.backlog.work();
        assertEquals(0, node.backlog.lookedAt());
    }
}

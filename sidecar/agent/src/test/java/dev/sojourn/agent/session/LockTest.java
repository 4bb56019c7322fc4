package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What requests send that have their session for themselves. */
class LockTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);

    @Test
    void aLockGoesWithTheCommitsAndIsGivenBack() {
        a.request(() -> a.session.set("x", "1"));
        store.asked.clear();
        a.request(() -> {
            a.claim(7);
            a.session.set("x", "2");
        });
        a.request(() -> a.session.set("x", "3"));
        assertEquals(List.of("OPEN 1", "COMMIT 1 lock 7 +x", "UNLOCK 7", "OPEN 2", "COMMIT 2 +x"), store.asked);
    }

    /** It was lost, and another request of this JVM has the session by now: what this one does must not pass for that one's. */
    @Test
    void eachRequestCommitsWithItsOwnLock() {
        a.request(() -> a.session.set("x", "1"));
        store.asked.clear();
        a.request(() -> {
            a.claim(7);
            Scope next = new Scope();
            next.claim(a.session, 8);
            a.session.set("x", "2");
            a.bytes(false);
            next.finish();
            a.session.set("x", "3");
        });
        assertEquals(
                List.of("OPEN 1", "COMMIT 1 lock 7 +x", "UNLOCK 8", "COMMIT 2 lock 7 +x", "UNLOCK 7"), store.asked);
    }

    @Test
    void norIsItUsedOnceItHasEndedWhereTheSessionGoesOnAsAnotherObject() {
        a.request(() -> a.session.set("x", "1"));
        store.asked.clear();
        a.request(() -> {
            a.claim(7);
            assertTrue(a.session.isOvertaken());
            a.session.overtaken();
            store.refuses = Refusal.Why.AWAY;
            a.session.set("x", "2");
        });
        store.refuses = null;
        a.backlog.work();
        String refused = "COMMIT 1 lock " + Long.MAX_VALUE + " +x";
        assertEquals(List.of("OPEN 1", refused, refused), store.asked);
    }

    @Test
    void aLostLockDropsTheCopy() {
        a.request(() -> a.session.set("x", "1"));
        store.refuses = Refusal.Why.BUSY;
        a.request(() -> a.session.set("x", "2"));
        assertTrue(a.gone);
    }
}

package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.FullHeap;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Its end, and its new name, for whoever has it. */
class SessionEndTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    @Test
    void anEndInAnOutageIsNotForgotten() {
        a.request(() -> a.session.set("x", "1"));
        store.refuses = Refusal.Why.AWAY;
        a.session.life().end();
        assertTrue(a.backlog.isEnding("s"));
        store.refuses = null;
        a.backlog.work();
        assertFalse(store.has("s"));
        assertFalse(a.backlog.isEnding("s"));
    }

    /** Whoever logs out again is told that it is over. */
    @Test
    void anEndThatFailedForWantOfMemoryIsNotForgotten() {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {});
        a.session.life().rename("t");
        fails();
        assertThrows(OutOfMemoryError.class, b.session.life()::end);
        assertFalse(b.session.life().end(), "again");
        b.backlog.work();
        assertFalse(store.has("t"), "wherever it goes on");
        assertFalse(b.backlog.isEnding("s"));
    }

    /** It is not over then: whoever logs out again ends it. */
    @Test
    void norOneThatThereIsNoMemoryToRemember() throws Exception {
        FullHeap.runs(NotEnded.class);
    }

    static final class NotEnded {
        public static void main(String[] args) {
            for (boolean full : new boolean[] {false, true}) {
                FakeStore store = new FakeStore();
                Node node = new Node(store);
                node.request(() -> node.session.set("x", "1"));
                if (full) {
                    FullHeap.fails(node.session.life()::end);
                    assertTrue(store.has("s"), "there was memory: this test shows nothing");
                    node.backlog.work();
                }
                assertTrue(node.session.life().end());
                assertFalse(store.has("s"));
            }
        }
    }

    @Test
    void norOneOfWhatMayHaveBeenCreated() {
        store.refuses = Refusal.Why.AWAY;
        a.request(() -> a.session.set("x", "1"));
        store.refuses = null;
        fails();
        assertThrows(OutOfMemoryError.class, a.session.life()::end);
        a.backlog.work();
        assertEquals(List.of("COMMIT 0", "END"), store.asked.subList(store.asked.size() - 2, store.asked.size()));
    }

    @Test
    void whatIsToBeCommittedOfOneThatCouldNotEndIsNotForgotten() {
        store.refuses = Refusal.Why.AWAY;
        a.request(() -> a.session.set("x", "1"));
        store.refuses = null;
        a.whenIdleIsAsked = () -> {
            throw new InternalError("as if there were no memory");
        };
        assertThrows(InternalError.class, a.session.life()::end);
        a.whenIdleIsAsked = () -> {};
        assertFalse(a.session.life().hasEnded());
        a.backlog.work();
        b.request(() -> assertEquals("1", b.get("x")));
        a.session.life().end();
        assertEquals(0, a.backlog.waiting());
    }

    /** The first thing that is asked. */
    private void fails() {
        store.meanwhile = () -> {
            store.meanwhile = () -> {};
            throw new OutOfMemoryError("of a test");
        };
    }

    @Test
    void ofAllWhoEndItOneHasDoneIt() {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {});
        assertTrue(a.session.life().end());
        assertFalse(a.session.life().end(), "again");
        assertFalse(b.session.life().end(), "elsewhere");
    }

    @Test
    void whereNobodySaysWhoEndedItItIsWhoeverAsks() {
        a.request(() -> a.session.set("x", "1"));
        store.refuses = Refusal.Why.AWAY;
        assertTrue(a.session.life().end());
        assertTrue(b.session.life().end(), "the store has never heard of this one");
    }

    @Test
    void itEndsUnderTheNameThatItWasGivenElsewhere() {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {});
        a.session.life().rename("t");
        store.refuses = Refusal.Why.AWAY;
        assertTrue(b.session.life().end());
        store.refuses = null;
        b.backlog.work();
        assertFalse(store.has("t"));
    }

    /** Its answer may be all that was lost: then it goes on under the new name. */
    @Test
    void butNotByWhoseRenameWasRefused() {
        a.request(() -> a.session.set("x", "1"));
        store.losesAnswer = true;
        a.session.life().rename("t");
        a.backlog.work();
        assertTrue(store.has("t"));
    }

    @Test
    void nothingIsCommittedAfterTheEnd() {
        a.request(() -> a.session.set("x", "1"));
        a.session.life().end();
        store.asked.clear();
        a.session.set("x", "2");
        a.session.commit();
        assertEquals(List.of(), store.asked);
    }

    @Test
    void goneElsewhereIsTold() {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {});
        b.session.life().end();
        a.session.set("x", "2");
        a.session.commit();
        assertTrue(a.gone);
    }

    @Test
    void aNewNameKeepsEverything() {
        a.request(() -> a.session.set("x", "1"));
        a.session.life().rename("t");
        assertTrue(store.has("t"));
        assertFalse(store.has("s"));
    }

    /** The store would have none of what is committed by the new one, and its copy here would be let go. */
    @Test
    void oneThatCouldNotBeGivenForWantOfMemoryIsNotItsName() {
        a.request(() -> a.session.set("x", "1"));
        fails();
        assertThrows(OutOfMemoryError.class, () -> a.session.life().rename("t"));
        assertEquals("s", a.session.name());
        a.request(() -> a.session.set("y", "2"));
        assertFalse(a.gone);
        b.request(() -> assertEquals("2", b.session.get("y")));
    }

    @Test
    void aNewNameInAnOutageIsANewSessionWithEverything() {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {});
        store.refuses = Refusal.Why.AWAY;
        b.session.life().rename("t");
        store.refuses = null;
        b.backlog.work();
        assertTrue(store.has("t"));
        assertFalse(store.has("s"));
        assertEquals("COMMIT 0 +x", store.asked.get(store.asked.size() - 1));
    }

    /** Nobody would ever take it out again, nor let go of what the application kept in it. */
    @Test
    void whatEndedElsewhereWhileItCouldNotBeCommittedIsNotKept() {
        store.refuses = Refusal.Why.AWAY;
        store.meanwhile = a.session.life()::endedElsewhere;
        a.request(() -> a.session.set("x", "1"));
        store.refuses = null;
        a.backlog.work();
        assertEquals(0, a.backlog.waiting());
    }

    @Test
    void whatIsAnsweredToWhoAsksWhetherASessionHasEndedIsTaken() throws Refusal {
        for (boolean forgetful : new boolean[] {false, true}) {
            String value = "forgetful " + forgetful;
            b.request(() -> {});
            a.request(() -> a.session.set("x", value));
            store.forgetful = forgetful;
            store.asked.clear();
            assertFalse(b.session.life().isGone());
            assertEquals(value, b.session.get("x"), "it is told once");
            assertTrue(store.asked.get(0).startsWith("PASSIVE OPEN "), "no access");
            store.forgetful = false;
        }
        a.request(() -> a.session.life().end());
        assertTrue(b.session.life().isGone());
    }

    /** Requests in flight under the old name still commit to it. */
    @Test
    void oneThatAnotherNodeHasRenamedGoesOnForWhoHasIt() {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {});
        a.session.life().rename("t");
        a.request(() -> a.session.set("x", "2"));
        b.request(() -> b.session.set("y", "1"));
        b.session.set("z", "of no request yet");
        store.asked.clear();
        assertTrue(b.session.life().goesOn());
        assertTrue(store.asked.get(0).startsWith("PASSIVE COMMIT "), "no access");
        assertEquals(1, store.asked.get(0).split(" [+-]").length, "nothing of what it has");
        assertEquals("2", b.session.get("x"), "it is told once");
        assertFalse(b.gone);
        a.session.life().end();
        assertFalse(b.session.life().goesOn());
        assertTrue(b.gone);
    }

    @Test
    void itMayGoOnWhereNobodySaysThatItHasEnded() {
        a.request(() -> a.session.set("x", "1"));
        store.refuses = Refusal.Why.AWAY;
        assertTrue(a.session.life().goesOn());
        assertFalse(a.gone);
    }

    /** It cannot be asked for: nobody tells its name. */
    @Test
    void oneThatAnotherNodeHasRenamedIsGone() throws Refusal {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {});
        a.request(() -> a.session.life().rename("t"));
        assertTrue(b.session.life().isGone());
        assertFalse(a.session.life().isGone());
    }

    @Test
    void notOneThatThisNodeIsRenaming() throws Exception {
        a.request(() -> a.session.set("x", "1"));
        FutureTask<Boolean> asks = new FutureTask<>(a.session.life()::isGone);
        Thread thread = new Thread(asks);
        store.meanwhile = () -> {
            store.meanwhile = () -> {};
            thread.start();
            while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
                Thread.onSpinWait();
            }
        };
        a.session.life().rename("t");
        assertFalse(asks.get());
    }
}

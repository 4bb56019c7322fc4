package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sidecar may have done what nobody hears of: whatever comes next, nothing is left behind. */
class LostAnswerTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    @Test
    void whatWasCreatedThoughTheAnswerWasLostEndsInTheStoreToo() {
        store.losesAnswer = true;
        a.request(() -> a.session.set("x", "1"));
        assertTrue(store.has("s"));
        assertTrue(a.session.life().end(), "nobody else has ended it");
        assertFalse(store.has("s"));
    }

    @Test
    void soItDoesWhereNobodyAnswersYet() {
        store.losesAnswer = true;
        a.request(() -> a.session.set("x", "1"));
        store.refuses = Refusal.Why.AWAY;
        assertTrue(a.session.life().end());
        store.refuses = null;
        a.backlog.work();
        assertFalse(store.has("s"));
    }

    /** It may get there after its end, which only finds a tombstone to leave if it is there. */
    @Test
    void whatMayStillBeOnItsWayIsThereBeforeItEnds() {
        store.refuses = Refusal.Why.AWAY;
        a.request(() -> a.session.set("x", "1"));
        store.refuses = null;
        store.asked.clear();
        assertTrue(a.session.life().end());
        assertEquals(List.of("COMMIT 0", "END"), store.asked);
    }

    @Test
    void whatWasNeverSentIsNoBusinessOfTheStores() {
        a.session.set("x", "1");
        assertTrue(a.session.life().end());
        assertEquals(List.of(), store.asked);
    }

    @Test
    void aNewNameAfterALostAnswerLeavesNothingUnderTheOldOne() {
        store.losesAnswer = true;
        a.request(() -> a.session.set("x", "1"));
        a.session.life().rename("t");
        assertFalse(store.has("s"));
        a.request(() -> {});
        assertTrue(store.has("t"));
    }

    @Test
    void aNewNameAfterALostAnswerTakesAlongWhatOthersHaveCommitted() {
        store.losesAnswer = true;
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> b.session.set("y", "2"));
        a.session.life().rename("t");
        a.request(() -> assertEquals("2", a.get("y")));
    }

    @Test
    void aNewNameAfterALostAnswerInAnOutageLeavesNothingUnderTheOldOne() {
        store.losesAnswer = true;
        a.request(() -> a.session.set("x", "1"));
        store.refuses = Refusal.Why.AWAY;
        a.session.life().rename("t");
        store.refuses = null;
        store.asked.clear();
        a.backlog.work();
        assertEquals(List.of("COMMIT 0", "END"), store.asked.subList(0, 2));
        assertFalse(store.has("s"));
        assertTrue(store.has("t"));
    }

    @Test
    void whatMayStillBeOnItsWayIsThereBeforeItEndsHoweverLateThatIs() {
        store.refuses = Refusal.Why.AWAY;
        a.request(() -> a.session.set("x", "1"));
        assertTrue(a.session.life().end());
        store.refuses = null;
        store.asked.clear();
        a.backlog.work();
        assertEquals(List.of("COMMIT 0", "END"), store.asked);
        assertFalse(a.backlog.isEnding("s"));
    }

    @Test
    void whatHasItsNewNameThoughTheAnswerWasLostEndsUnderThat() {
        a.request(() -> a.session.set("x", "1"));
        store.losesAnswer = true;
        a.session.life().rename("t");
        assertTrue(store.has("t"));
        assertTrue(a.session.life().end());
        assertFalse(store.has("t"));
    }
}

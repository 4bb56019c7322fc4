package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several sessions of one id, one after another. */
class GenerationsTest {
    private final FakeStore store = new FakeStore();
    private final Backlog backlog = new Backlog(store, Runnable::run);
    private final Generations here = new Generations(store, backlog);
    private final Generations elsewhere = new Generations(store, new Backlog(store, Runnable::run));

    @Test
    void theFirstHasTheNameThatItAlwaysHad() throws Exception {
        assertEquals(0, here.begin("/app\nX", 1_800, 1).number);
        assertTrue(store.has("/app\nX"));
        assertEquals(0, elsewhere.last("/app\nX"));
    }

    @Test
    void eachThatComesAfterAnEndHasANameOfItsOwnThatTheOthersFind() throws Exception {
        for (long generation = 0; generation < 4; generation++) {
            Generations pod = generation % 2 == 0 ? here : elsewhere;
            assertEquals(generation, pod.begin("/app\nX", 1_800, 1).number);
            assertEquals(generation, here.last("/app\nX"));
            assertEquals(generation, elsewhere.last("/app\nX"));
            assertTrue(store.end(Generations.name("/app\nX", generation)));
        }
        assertEquals(0, here.last("/other\nX"));
    }

    @Test
    void whoBeginsBesideAnotherBeginsTheSame() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        store.end("/app\nX");
        assertEquals(1, here.begin("/app\nX", 1_800, 2).number);
        assertEquals(1, elsewhere.begin("/app\nX", 1_800, 3).number);
    }

    /** What is left of the one before may live: whoever has logged out since must not be given it. */
    @Test
    void whereAStoreHasLostWhichWasTheLastTheNextIsYetAnother() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        store.end("/app\nX");
        long left = here.begin("/app\nX", 1_800, 60_000).number;
        store.lose("/app\nX\n");
        assertNotEquals(left, elsewhere.begin("/app\nX", 1_800, 180_000).number);
    }

    @Test
    void whatTellsOfASessionIsKeptForLongerThanTheSession() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        store.end("/app\nX");
        Generation second = here.begin("/app\nX", 1_800, 2);
        assertEquals(2 * 1_800 + 1_200, store.idle("/app\nX\n"));
        store.asked.clear();
        here.keep("/app\nX", second, 1_800, 2);
        assertEquals(List.of(), store.asked);
        here.keep("/app\nX", second, 7_200, 2);
        assertEquals(2 * 7_200 + 1_200, store.idle("/app\nX\n"));
        here.keep("/app\nX", second, -1, 2);
        assertEquals(-1, store.idle("/app\nX\n"));
    }

    @Test
    void whoComesToASessionThatWasBegunElsewhereKeepsWhatTellsOfIt() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        store.end("/app\nX");
        long second = here.begin("/app\nX", 1_800, 2).number;
        Generation found = Generation.of(elsewhere.last("/app\nX"));
        store.asked.clear();
        elsewhere.keep("/app\nX", found, 1_800, 2);
        elsewhere.keep("/app\nX", found, 1_800, 2);
        assertEquals(List.of("OPEN 0"), store.asked);
        store.lose("/app\nX\n");
        elsewhere.keep("/app\nX", Generation.of(second), 1_800, 2);
        assertEquals(second, here.last("/app\nX"));
    }

    @Test
    void whoHasAnOlderOneDoesNotSayThatItIsTheLast() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        store.end("/app\nX");
        Generation second = here.begin("/app\nX", 1_800, 2);
        store.end(Generations.name("/app\nX", second.number));
        long third = elsewhere.begin("/app\nX", 1_800, 3).number;
        here.keep("/app\nX", Generation.of(second.number), 7_200, 2);
        assertEquals(third, here.last("/app\nX"));
    }

    @Test
    void whoIsNotAnsweredBeginsNone() {
        store.refuses = Refusal.Why.UNAVAILABLE;
        assertThrows(Refusal.class, () -> here.begin("/app\nX", 1_800, 1));
        assertFalse(store.has("/app\nX"));
    }

    /** Else it would be the session that its user has logged out of, and end with it. */
    @Test
    void whoBeginsWhileTheEndOfTheOneBeforeIsStillToBeToldBeginsTheNext() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        backlog.endLater("/app\nX");
        long second = here.begin("/app\nX", 1_800, 2).number;
        backlog.work();
        assertFalse(store.has("/app\nX"));
        assertTrue(store.has(Generations.name("/app\nX", second)));
        assertEquals(second, elsewhere.last("/app\nX"));
    }

    @Test
    void whoIsNotAnsweredThenBeginsOneThatIsToldLater() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        for (Refusal.Why why : List.of(Refusal.Why.UNAVAILABLE, Refusal.Why.BUSY)) {
            store.refuses = Refusal.Why.UNAVAILABLE;
            backlog.end("/app\nX");
            store.refuses = why;
            Generation second = here.begin("/app\nX", 1_800, 2);
            backlog.endLater(Generations.name("/app\nX", second.number));
            Generation third = here.begin("/app\nX", 1_800, 2);
            assertEquals(List.of(1L, 2L), List.of(second.number, third.number));
            store.refuses = null;
            here.keep("/app\nX", third, 1_800, 2);
            assertEquals(2, elsewhere.last("/app\nX"));
            backlog.work();
        }
    }

    @Test
    void whatIsAnnouncedSaysWhichItIs() {
        assertEquals("X", Generations.idOf("X"));
        assertEquals(0, Generations.numberOf("X"));
        assertEquals("X", Generations.idOf("X\n12"));
        assertEquals(12, Generations.numberOf("X\n12"));
        assertEquals(0, Generations.numberOf("X\nwhat"));
        assertTrue(Generations.isNote("X\n"));
        assertFalse(Generations.isNote("X\n1"));
        assertFalse(Generations.isNote("X"));
    }
}

package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import org.junit.jupiter.api.Test;

/** Several sessions of one id, one after another. */
class GenerationsTest {
    private final FakeStore store = new FakeStore();
    private final Generations here = new Generations(store);
    private final Generations elsewhere = new Generations(store);

    @Test
    void theFirstHasTheNameThatItAlwaysHad() throws Exception {
        assertEquals(0, here.begin("/app\nX", 1_800, 1));
        assertTrue(store.has("/app\nX"));
        assertEquals(0, elsewhere.last("/app\nX"));
    }

    @Test
    void eachThatComesAfterAnEndHasANameOfItsOwnThatTheOthersFind() throws Exception {
        for (long generation = 0; generation < 4; generation++) {
            Generations pod = generation % 2 == 0 ? here : elsewhere;
            assertEquals(generation, pod.begin("/app\nX", 1_800, 1));
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
        assertEquals(1, here.begin("/app\nX", 1_800, 2));
        assertEquals(1, elsewhere.begin("/app\nX", 1_800, 3));
    }

    /** What is left of the one before may live: whoever has logged out since must not be given it. */
    @Test
    void whereAStoreHasLostWhichWasTheLastTheNextIsYetAnother() throws Exception {
        here.begin("/app\nX", 1_800, 1);
        store.end("/app\nX");
        long left = here.begin("/app\nX", 1_800, 60_000);
        store.lose("/app\nX\n");
        assertNotEquals(left, elsewhere.begin("/app\nX", 1_800, 180_000));
    }

    @Test
    void whoIsNotAnsweredBeginsNone() {
        store.refuses = Refusal.Why.UNAVAILABLE;
        assertThrows(Refusal.class, () -> here.begin("/app\nX", 1_800, 1));
        assertFalse(store.has("/app\nX"));
    }

    @Test
    void whatIsAnnouncedSaysWhichItIs() {
        assertEquals("X", Generations.idOf("X"));
        assertEquals(0, Generations.numberOf("X"));
        assertEquals("X", Generations.idOf("X\n12"));
        assertEquals(12, Generations.numberOf("X\n12"));
        assertEquals(0, Generations.numberOf("X\nwhat"));
    }
}

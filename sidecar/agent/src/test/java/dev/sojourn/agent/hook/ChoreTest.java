package dev.sojourn.agent.hook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.session.Expiries;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ChoreTest {
    @Test
    void aListenerThatLeavesTheThreadInterruptedIsNotTheLastOneTold() throws Exception {
        CountDownLatch told = new CountDownLatch(2);
        Expiries expiries = new Expiries();
        expiries.listen("/app", id -> {
            told.countDown();
            Thread.currentThread().interrupt();
        });
        // One in each round.
        Chore.start("sojourn-test", 10, () -> {
            if (told.getCount() > 0) {
                expiries.heard("/app\nsession");
                expiries.work();
            }
        });
        assertTrue(told.await(20, SECONDS), "nobody is told any more");
    }

    @Test
    void itGoesOnThoughThereIsNoMemoryForAWordAboutWhatFailed() throws Exception {
        CountDownLatch rounds = new CountDownLatch(2);
        Chore.start("sojourn-test", 10, () -> {
            rounds.countDown();
            throw new IllegalStateException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String toString() {
                    throw new InternalError("as if there were no memory");
                }
            };
        });
        assertTrue(rounds.await(20, SECONDS), "it is over");
    }
}

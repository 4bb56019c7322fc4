package dev.sojourn.agent.session;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Threads that may be held for ever, each by what it does. */
class FewThreadsTest {
    private final FewThreads threads = new FewThreads("few");
    private final CountDownLatch letGo = new CountDownLatch(1);

    @Test
    void thoseThatAreHeldDoNotStopTheOthers() throws Exception {
        for (int round = 0; round < 3; round++) {
            hold(round == 0 ? 4 : 1);
            CountDownLatch done = new CountDownLatch(1);
            threads.execute(done::countDown);
            threads.makeRoom(System.nanoTime() + SECONDS.toNanos(5));
            assertTrue(done.await(20, SECONDS), "nobody has a thread any more");
        }
        letGo.countDown();
    }

    @Test
    void thereIsOneThatIsNotHeld() {
        assertEquals(4, FewThreads.wanted(0));
        assertEquals(4, FewThreads.wanted(3));
        assertEquals(5, FewThreads.wanted(4));
        assertEquals(64, FewThreads.wanted(63));
    }

    @Test
    void thereAreNotAnyNumberOfThem() {
        assertEquals(64, FewThreads.wanted(64));
    }

    @Test
    void workIsDoneAlsoWhereThereIsNoMemoryToNoteItsBeginning() throws Exception {
        Field atWork = FewThreads.class.getDeclaredField("atWork");
        atWork.setAccessible(true);
        atWork.set(threads, new HashMap<Thread, Long>() {
            @Override
            public Long put(Thread thread, Long since) {
                throw new InternalError("as if there were no memory");
            }
        });
        CountDownLatch done = new CountDownLatch(1);
        threads.execute(done::countDown);
        assertTrue(done.await(20, SECONDS), "it is lost");
    }

    private void hold(int many) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            threads.execute(() -> {
                held.countDown();
                try {
                    letGo.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        assertTrue(held.await(20, SECONDS), "no thread for what holds it");
    }
}

package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TallyTest {
    private static final int THREADS = 200;

    private final Tally tally = new Tally();

    @Test
    void whatBeginsOnOneThreadMayEndOnAnother() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                int place = Tally.place(Thread.currentThread());
                for (int k = 0; k < 1_000; k++) {
                    tally.begin(place);
                    tally.end(place);
                }
                tally.begin(place);
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(THREADS, tally.now());

        for (int i = 0; i < THREADS; i++) {
            tally.end(Tally.place(Thread.currentThread()));
        }
        assertEquals(0, tally.now());
    }
}

package testapp;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Lets a test hold a request in flight until it has seen what it wants. */
final class Gates {
    private static final ConcurrentHashMap<String, Gate> GATES = new ConcurrentHashMap<>();

    private Gates() {}

    private static final class Gate {
        final CountDownLatch latch = new CountDownLatch(1);
        final AtomicInteger waiting = new AtomicInteger();
    }

    static void open(String gate) {
        of(gate).latch.countDown();
    }

    /** At this gate only: those of a test that has failed may be there still. */
    static int waiting(String gate) {
        return of(gate).waiting.get();
    }

    static void await(String gate) {
        Gate at = of(gate);
        at.waiting.incrementAndGet();
        try {
            at.latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            at.waiting.decrementAndGet();
        }
    }

    private static Gate of(String gate) {
        return GATES.computeIfAbsent(gate, g -> new Gate());
    }
}

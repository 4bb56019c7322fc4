package testapp;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Lets a test hold a request in flight until it has seen what it wants. */
final class Gates {
    private static final ConcurrentHashMap<String, CountDownLatch> GATES = new ConcurrentHashMap<>();

    static final AtomicInteger WAITING = new AtomicInteger();

    private Gates() {}

    static void open(String gate) {
        latch(gate).countDown();
    }

    static void await(String gate) {
        WAITING.incrementAndGet();
        try {
            latch(gate).await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            WAITING.decrementAndGet();
        }
    }

    private static CountDownLatch latch(String gate) {
        return GATES.computeIfAbsent(gate, g -> new CountDownLatch(1));
    }
}

package dev.sojourn.agent.session;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Attributes touched by threads of which no request is known: they may still be changing them. */
final class Strays {
    // Longer than application threads of async requests usually take between reading and changing an attribute.
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Set<Attribute> touched = ConcurrentHashMap.newKeySet();
    private volatile long last;

    // Of the one thread that asks whether it is due.
    private long seen;
    private int rounds;

    void add(Attribute attribute) {
        last = System.nanoTime();
        attribute.strayed();
        touched.add(attribute);
    }

    boolean isEmpty() {
        return touched.isEmpty();
    }

    /** To be committed. {@code settled}: there is no request that any such thread could belong to. */
    Set<Attribute> take(boolean settled) {
        Set<Attribute> all = new HashSet<>(touched);
        if (settled || System.nanoTime() - last > KEPT_NANOS) {
            touched.removeAll(all);
        }
        return all;
    }

    /**
     * To be asked in each round: whether all that was ever touched is to be looked at again. A thread may keep what it has read, and change it any time
     * later. Each time after twice as many rounds: to compare them in each would cost more than it finds.
     */
    boolean areDue() {
        long now = last;
        rounds = now == seen ? rounds + 1 : 1;
        seen = now;
        return rounds > 1 && Integer.bitCount(rounds) == 1;
    }
}

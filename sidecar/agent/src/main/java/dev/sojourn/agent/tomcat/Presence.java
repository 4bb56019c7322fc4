package dev.sojourn.agent.tomcat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whether what is in a copy was told that it leaves this JVM, or that it is here again; one thread at a time tells it. Who comes for the copy meanwhile waits until
 * it was told that it is here, as an ordinary container activates a session before anybody can find it. Not for long: what is told may wait for a lock of the
 * application's that he has.
 */
final class Presence {
    /** The copy. */
    interface Copy {
        /** A request has it, or can find it. */
        boolean isWanted();

        /** Requests can find it again. */
        void takeBack();

        void passivate();

        void activate();
    }

    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Copy copy;
    private final long patienceNanos;
    /** Held while it is told. */
    private final ReentrantLock telling = new ReentrantLock();
    /** It is told that it leaves, or was, and not yet that it is here again. Written under the lock. */
    private volatile boolean isAway;

    Presence(Copy copy, long patienceNanos) {
        this.copy = copy;
        this.patienceNanos = patienceNanos;
    }

    /** Requests cannot find it any more. False: one has it all the same. */
    boolean leave() {
        telling.lock();
        try {
            // First: who comes from now on waits.
            isAway = true;
            boolean leaves = !copy.isWanted();
            if (leaves) {
                copy.passivate();
                if (!copy.isWanted()) {
                    return true;
                }
            }
            copy.takeBack();
            if (leaves) {
                // Who has come may have waited for long enough, and not have told it.
                copy.activate();
            }
            isAway = false;
            return false;
        } finally {
            telling.unlock();
        }
    }

    /** A request has it. */
    void comeBack() {
        // What is told may come for it too.
        if (!isAway || telling.isHeldByCurrentThread()) {
            return;
        }
        // It may have been found before it was forgotten.
        copy.takeBack();
        if (!isFree()) {
            return;
        }
        try {
            if (isAway) {
                copy.activate();
                isAway = false;
            }
        } finally {
            telling.unlock();
        }
    }

    private boolean isFree() {
        try {
            return telling.tryLock(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

package dev.sojourn.agent.session;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock that another thread may give back: of a commit that nobody waits for, the thread that reads the answer. A thread may take it again
 * while it has it (the application's {@code writeObject} may end the session that is being written).
 *
 * <p>Whoever runs the application's code meanwhile lends it: that code may wait for a thread that waits for this turn, and then neither would ever go on.
 */
final class Turn {
    /** Hardly any value takes so long to write. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition free = lock.newCondition();

    // All guarded by the lock.
    private boolean taken;
    private @Nullable Thread owner;
    private int depth;
    private boolean lent;
    private long lentAt;
    /** Doubled each time, until somebody gets to the end: those whose values do take so long must not take it from each other for ever. */
    private long patience = PATIENCE_NANOS;

    void take() {
        boolean interrupted = false;
        lock.lock();
        try {
            if (owner == Thread.currentThread()) {
                depth++;
                return;
            }
            while (taken && !isToBeTakenOver()) {
                try {
                    free.awaitNanos(PATIENCE_NANOS);
                } catch (InterruptedException e) {
                    // Whatever the application wants: a commit is not left half done.
                    interrupted = true;
                }
            }
            if (taken) {
                patience *= 2;
            }
            lent = false;
            taken = true;
            owner = Thread.currentThread();
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean isToBeTakenOver() {
        return lent && depth == 0 && System.nanoTime() - lentAt >= patience;
    }

    /** Another thread that has waited for long may take it over, until {@link #keep}. Not while it is taken twice. */
    void lend() {
        lock.lock();
        lent = true;
        lentAt = System.nanoTime();
        lock.unlock();
    }

    /** False: it was taken over, and is to be taken anew. */
    boolean keep() {
        lock.lock();
        try {
            if (owner != Thread.currentThread()) {
                return false;
            }
            lent = false;
            patience = PATIENCE_NANOS;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** It stays taken, and is nobody's: anybody calls {@link #giveBackLeft} once. Not while it is taken twice. */
    void leave() {
        own(null);
    }

    /** By who left it, if nobody else has been told of it. */
    void takeLeft() {
        own(Thread.currentThread());
    }

    private void own(@Nullable Thread by) {
        lock.lock();
        owner = by;
        lock.unlock();
    }

    /** Whether this thread has it. */
    boolean isOwn() {
        lock.lock();
        try {
            return taken && owner == Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    /** By the owner. */
    boolean isTakenOnce() {
        return depth == 0;
    }

    void giveBackLeft() {
        lock.lock();
        taken = false;
        free.signal();
        lock.unlock();
    }

    void giveBack() {
        lock.lock();
        if (depth > 0) {
            depth--;
        } else {
            owner = null;
            taken = false;
            free.signal();
        }
        lock.unlock();
    }
}

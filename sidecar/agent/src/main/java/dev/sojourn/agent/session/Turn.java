package dev.sojourn.agent.session;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A lock that another thread may give back: of a commit that nobody waits for, the thread that reads the answer. A thread may take it again
 * while it has it (the application's {@code writeObject} may end the session that is being written).
 */
final class Turn {
    private final Semaphore free = new Semaphore(1);
    private volatile @Nullable Thread owner;
    /** By the owner. */
    private int depth;

    void take() {
        if (owner == Thread.currentThread()) {
            depth++;
            return;
        }
        free.acquireUninterruptibly();
        owner = Thread.currentThread();
    }

    /** It stays taken, and is nobody's: anybody calls {@link #giveBackLeft} once. Not while it is taken twice. */
    void leave() {
        owner = null;
    }

    /** By who left it, if nobody else has been told of it. */
    void takeLeft() {
        owner = Thread.currentThread();
    }

    boolean isTakenOnce() {
        return depth == 0;
    }

    void giveBackLeft() {
        free.release();
    }

    void giveBack() {
        if (depth > 0) {
            depth--;
        } else {
            owner = null;
            free.release();
        }
    }
}

package dev.sojourn.agent.session;

import dev.sojourn.agent.core.OwnThread;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads once more what needs a deeper stack than a request's thread has, and writes what was read there: a JVM that has just begun reads and writes less deep
 * than a warm one writes.
 *
 * <p>A stack that overflows costs the JVM some ten times its size of native memory: one thread at a time, and no more of a stack than the bytes may need. What
 * recurses without end, as application code may that reads the session while it is read, is told by that, or by being there already.
 */
final class DeepStack {
    /** Enough for ten thousand objects, each of the next, and more than the stacks of requests are written from. */
    private static final long LARGEST = 16L << 20;
    /** What needs no more was not too deep for a request's thread: it recurses without end. */
    private static final long SMALLEST = 1L << 20;
    /** Each step down has 6 bytes at least in the stream, and takes 1.4 KiB of stack at most. */
    private static final long STACK_PER_BYTE = 512;
    /** The application's code may need a lock there that the thread has that waits for it. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Semaphore ONE = new Semaphore(1, true);
    /** What is done there; cancelled once who waited for it has given it up. */
    private static volatile @Nullable FutureTask<?> current;
    /** Set on a thread that reads. */
    private static final ThreadLocal<Boolean> READS = new ThreadLocal<>();
    /** Set on one that writes: the application's code may read the session meanwhile, which may be too deep by itself. */
    private static final ThreadLocal<Boolean> WRITES = new ThreadLocal<>();

    private DeepStack() {}

    /** There was no thread with a deeper stack for it, which says nothing of the bytes. */
    static final class Busy extends StackOverflowError {
        private static final long serialVersionUID = 1L;

        Busy(String why, StackOverflowError overflow) {
            super(why);
            initCause(overflow);
        }
    }

    /** What the work throws, checked or not, is thrown here. */
    static <T> T read(int bytes, Callable<T> work) {
        return read(bytes, work, PATIENCE_NANOS);
    }

    static <T> T read(int bytes, Callable<T> work, long patienceNanos) {
        return outermost(READS, bytes, work, patienceNanos);
    }

    /** {@code bytes}: as many as it had when it was last written or read; 0: it never was. */
    static <T> T write(int bytes, Callable<T> work) {
        return stack(bytes) < SMALLEST ? call(work) : outermost(WRITES, bytes, work, PATIENCE_NANOS);
    }

    private static long stack(int bytes) {
        return Math.min(LARGEST, bytes * STACK_PER_BYTE);
    }

    private static <T> T outermost(ThreadLocal<Boolean> does, int bytes, Callable<T> work, long patienceNanos) {
        if (does.get() != null) {
            // What is read while something is read is not the one that is too deep, or both are.
            return call(work);
        }
        does.set(true);
        try {
            return call(work);
        } catch (StackOverflowError e) {
            if (stack(bytes) < SMALLEST) {
                throw e;
            }
            return deeper(stack(bytes), work, e, patienceNanos);
        } finally {
            does.remove();
        }
    }

    private static <T> T call(Callable<T> work) {
        try {
            return work.call();
        } catch (Exception e) {
            throw DeepStack.<RuntimeException>unchecked(e);
        }
    }

    /** {@code overflow}: how it ended on this thread, and ends where it is not done on another in that time, once that has begun. */
    private static <T> T deeper(long stack, Callable<T> work, StackOverflowError overflow, long patienceNanos) {
        FutureTask<T> task = new FutureTask<>(work);
        try {
            start(stack, task, overflow, System.nanoTime() + patienceNanos);
            // Of its own, however long it has waited for its turn.
            long until = System.nanoTime() + patienceNanos;
            return uninterrupted(() -> task.get(until - System.nanoTime(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw DeepStack.<RuntimeException>unchecked(cause == null ? e : cause);
        } catch (TimeoutException e) {
            task.cancel(false);
            throw overflow;
        }
    }

    /** The thread is the one until it ends, waited for or not. */
    private static void start(long stack, FutureTask<?> task, StackOverflowError overflow, long until)
            throws ExecutionException, TimeoutException {
        FutureTask<?> before = current;
        if (before != null && before.isCancelled()) {
            // It may not end, and nobody else is to wait for it.
            throw overflow;
        }
        uninterrupted(() -> {
            if (!ONE.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new Busy("the one thread for what is as deep is at work on something else", overflow);
            }
            return true;
        });
        current = task;
        Runnable deep = () -> {
            READS.set(true);
            WRITES.set(true);
            try {
                task.run();
            } finally {
                release();
            }
        };
        try {
            OwnThread.of("sojourn-deep", deep, stack).start();
        } catch (OutOfMemoryError e) {
            // There can be no more threads.
            release();
            throw new Busy("the JVM can begin no more threads", overflow);
        }
    }

    private static void release() {
        // First: who has the permit next is not to be taken for this one.
        current = null;
        ONE.release();
    }

    private interface Wait<T> {
        T once() throws InterruptedException, ExecutionException, TimeoutException;
    }

    /** Whoever interrupts this thread finds it interrupted after that. */
    private static <T> T uninterrupted(Wait<T> wait) throws ExecutionException, TimeoutException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.once();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** As it is, though the compiler would have it declared. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable> X unchecked(Throwable thrown) throws X {
        throw (X) thrown;
    }
}

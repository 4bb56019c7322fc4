package dev.sojourn.agent.session;

import dev.sojourn.agent.core.OwnThread;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What needs a deeper stack than a request's thread has: an object is written and read as deep as it refers to others, and a JVM that has just begun reads less
 * deep than a warm one writes. It is done once more on a thread with enough of it, which costs memory only as far as it is used.
 */
final class DeepStack {
    /** Enough for the 100,000 that a filter allows, or nearly. */
    static final long TO_READ = 128L << 20;
    /** So much less that what can be written can be read, by a JVM that has compiled nothing yet too. */
    static final long TO_WRITE = 16L << 20;
    /** The application's code may need a lock there that the thread has that waits for it. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private DeepStack() {}

    /**
     * What the work throws, checked or not, is thrown here. {@code overflow}: how it ended on this thread, and is taken to have ended where it lasts for longer
     * than {@code patienceNanos}.
     */
    static <T> T run(long stackBytes, Callable<T> work, StackOverflowError overflow, long patienceNanos) {
        FutureTask<T> task = new FutureTask<>(work);
        OwnThread.of("sojourn-deep", task, stackBytes).start();
        try {
            return await(task, patienceNanos);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw DeepStack.<RuntimeException>unchecked(cause == null ? e : cause);
        } catch (TimeoutException e) {
            task.cancel(true);
            throw overflow;
        }
    }

    /** Whoever interrupts this thread finds it interrupted after that. */
    private static <T> T await(FutureTask<T> task, long patienceNanos) throws ExecutionException, TimeoutException {
        long until = System.nanoTime() + patienceNanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
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

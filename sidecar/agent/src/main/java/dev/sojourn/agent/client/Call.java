package dev.sojourn.agent.client;

import dev.sojourn.agent.wire.Reply;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One request that is under way: a thread waits for its reply, or somebody is told. */
final class Call {
    interface Then {
        void answered(Reply reply);

        void failed(IOException why);

        /** One of the two was called, and has failed. */
        void untold();
    }

    /** When it was first seen under way, by the time that this JVM ran. Of who watches over the line alone. */
    private long seen = -1;

    private final @Nullable Then then;
    private final Thread waiter = Thread.currentThread();

    private volatile boolean done;
    /** The waiter is parked, or about to be. */
    private volatile boolean parks;
    // Written before done.
    private @Nullable Reply reply;
    private @Nullable IOException failure;

    /** {@code then} runs on the thread that reads for all: it must return at once. Null: {@link #await} is called. */
    Call(@Nullable Then then) {
        this.then = then;
    }

    boolean isOverdue(long ranNanos, long timeoutNanos) {
        if (seen < 0) {
            seen = ranNanos;
        }
        return ranNanos - seen > timeoutNanos;
    }

    void answer(Reply with) {
        if (then == null) {
            reply = with;
            wake();
            return;
        }
        try {
            then.answered(with);
        } catch (RuntimeException | Error e) {
            then.untold();
            throw e;
        }
    }

    void fail(IOException why) {
        if (then == null) {
            failure = why;
            wake();
            return;
        }
        try {
            then.failed(why);
        } catch (RuntimeException | Error e) {
            then.untold();
            throw e;
        }
    }

    /** A permit for who does not park would end the next thing that the thread waits for. */
    private void wake() {
        done = true;
        if (parks) {
            LockSupport.unpark(waiter);
        }
    }

    /** By the thread that made it. Bounded by who watches over the line. An interrupt is not meant for it, and stays. */
    Reply await() throws IOException {
        boolean interrupted = false;
        if (!done) {
            // On cores that are busy the answer is often there when it is this thread's turn again: neither has to park
            // then, nor to wake it.
            Pause.FOR_OTHERS.take();
            parks = true;
        }
        while (!done) {
            LockSupport.park(this);
            // Parking ends at once for a thread that is interrupted.
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            waiter.interrupt();
        }
        Reply answer = reply;
        if (answer == null) {
            throw failure == null ? new IOException("no answer") : failure;
        }
        return answer;
    }
}

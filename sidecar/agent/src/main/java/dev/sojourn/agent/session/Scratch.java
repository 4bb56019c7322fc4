package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Mismatch;
import dev.sojourn.agent.core.Spares;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Where a value is written to before anybody knows how long it is, and whether it is what it was: in most requests it is, and then nothing is allocated. New
 * room for each would be filled with zeros first, in memory that no cache holds.
 */
final class Scratch extends ByteArrayOutputStream {
    private static final int FIRST = 8 << 10;
    /** More of a rare large value is not kept. */
    private static final int KEPT = 256 << 10;

    /** It would become longer than any value may be. Unchecked, for a stream in memory throws nothing else. */
    static final class Full extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Full() {
            super("more than " + MOST + " bytes", null, false, false);
        }
    }

    /** The protocol's limit for one value. All of a graph without an end would be the whole heap. */
    static final int MOST = 16 << 20;

    private boolean full;

    private static final Spares<Scratch> IDLE = new Spares<>();

    private Scratch(int size) {
        super(size);
    }

    /** Nobody else's until {@link #giveBack}. {@code expected}: about so many bytes will come. */
    static Scratch take(int expected) {
        if (expected > KEPT) {
            return new Scratch(expected);
        }
        Scratch idle = IDLE.take();
        return idle == null ? new Scratch(Math.max(expected, FIRST)) : idle;
    }

    @Override
    public synchronized void write(int next) {
        make(1);
        super.write(next);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
        make(length);
        super.write(bytes, from, length);
    }

    /** Room. */
    private void make(int more) {
        if (more > MOST - count) {
            full = true;
        }
        refuseIfFull();
    }

    /** The application's code may have caught it. */
    private void refuseIfFull() {
        if (full) {
            throw new Full();
        }
    }

    void giveBack() {
        if (buf.length <= KEPT) {
            reset();
            full = false;
            IDLE.giveBack(this);
        }
    }

    /** What was written; {@code like} itself if it is the same. */
    byte[] written(byte @Nullable [] like) {
        refuseIfFull();
        if (like != null && like.length == count && Mismatch.find(like, buf, 0, count) == count) {
            return like;
        }
        return count == buf.length && count > KEPT ? buf : toByteArray();
    }
}

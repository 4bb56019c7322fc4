package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.session.Later;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** One response whose bytes wait. It ends when all that was held is written. */
final class Hold implements Later {
    /** More is for a thread to wait with. */
    private static final int MOST = 64 << 10;

    private final Holds holds;
    private final Object wrapper;
    private final SocketChannel channel;

    // All guarded by this.
    private @Nullable ByteBuffer held;
    private boolean released;
    private boolean over;
    private boolean written;

    Hold(Holds holds, Object wrapper, SocketChannel channel) {
        this.holds = holds;
        this.wrapper = wrapper;
        this.channel = channel;
    }

    @Override
    public void begin() {
        holds.begin(wrapper, this);
    }

    /** Takes all of them, or returns when they may be written. */
    void take(ByteBuffer bytes) {
        synchronized (this) {
            int before = held == null ? 0 : held.position();
            ByteBuffer more = released ? null : room(before + bytes.remaining());
            if (more != null) {
                if (held != null) {
                    held.flip();
                    more.put(held);
                }
                held = more.put(bytes);
                return;
            }
        }
        awaitWritten();
    }

    /** Null: there is none for so many. */
    private static @Nullable ByteBuffer room(int bytes) {
        try {
            return bytes > MOST ? null : ByteBuffer.allocate(bytes);
        } catch (Throwable e) {
            // The container writes whatever is not taken, at once: ahead of what is held, and before the commit is
            // there.
            return null;
        }
    }

    @Override
    public void end() {
        ByteBuffer bytes;
        synchronized (this) {
            released = true;
            bytes = held;
            held = null;
        }
        if (bytes == null) {
            written();
            return;
        }
        bytes.flip();
        write(bytes);
    }

    /** As much as the client takes now; the rest when it takes more. */
    void write(ByteBuffer bytes) {
        try {
            channel.write(bytes);
            if (bytes.hasRemaining()) {
                holds.leftovers().add(channel, this, bytes);
                return;
            }
        } catch (Throwable e) {
            // Also no memory outside the heap, which the write takes: who waits for the response would wait for ever.
            cutOff(e);
            return;
        }
        written();
    }

    /**
     * Nothing more of it leaves, nor anything else on its connection, which the client would take for the rest. It is closed by the container, which sees
     * it end: of one that is closed here it hears nothing, and counts it among its connections for ever.
     */
    void cutOff(Throwable why) {
        try {
            channel.shutdownInput();
            channel.shutdownOutput();
        } catch (IOException | RuntimeException ignored) {
            // It is closed.
        } finally {
            written();
        }
        if (why instanceof Error) {
            Log.warnOnce(
                    "responses are cut off that this JVM cannot write, most likely for want of memory outside the"
                            + " heap: raise -XX:MaxDirectMemorySize: ",
                    why.getClass());
        } else {
            Log.debug("a response that was held back did not leave, its client has gone: ", why);
        }
    }

    void written() {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
        }
        try {
            // Before anybody is told: the next response would find this one still in its way.
            holds.written(wrapper, this);
        } finally {
            synchronized (this) {
                written = true;
                notifyAll();
            }
        }
    }

    synchronized void awaitWritten() {
        boolean interrupted = false;
        while (!written) {
            try {
                wait();
            } catch (InterruptedException e) {
                // Bytes of two responses must not mix, whatever the application wants.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What several threads have to say at a time leaves in one write, by the first of them: under load that is what a request costs least with. */
final class Outbox {
    /** Where it leaves to; one thread writes at a time. */
    interface Sink {
        void write(RequestEncoder requests) throws IOException;
    }

    // Made before it is needed: there may be no memory then, and nobody else would give the connection up.
    private static final IOException UNWRITTEN = new IOException("requests could not be written");

    private final Sink sink;
    /** What who writes does first, for others to have a turn. */
    private final Pause pause;

    // All guarded by this.
    private RequestEncoder gathered = new RequestEncoder();
    private RequestEncoder spare = new RequestEncoder();
    private boolean writing;

    Outbox(Sink sink, Pause pause) {
        this.sink = sink;
        this.pause = pause;
    }

    /**
     * Fails with an {@link IOException} where the caller wrote for all and could not: part of it may have left, and nobody writes any more. With anything else where there
     * was no room for the request, and nothing of it will be sent.
     */
    void send(RequestEncoder request) throws IOException {
        boolean virtual = isVirtual(Thread.currentThread());
        if (!gather(request, !virtual)) {
            return;
        }
        try {
            // On cores that are busy others have something to say by the time that it is this thread's turn again, and
            // it leaves in the same write. They do not pause: that would cost each its turn, and bring this one's too
            // soon.
            pause.take();
            if (!virtual || begins()) {
                writeAll();
            }
        } catch (RuntimeException | Error e) {
            // Whatever it is: nobody else writes. At the end of the stack there is no room for a word about it either.
            try {
                Log.warnOnce("requests to the sidecar could not be written, the connection is closed: ", e);
            } catch (Throwable ignored) {
                // As above.
            }
            throw UNWRITTEN;
        }
    }

    /** Nobody has to write any more what nobody can read. */
    synchronized void close() {
        writing = true;
    }

    /**
     * Whether the caller has to write for all: nobody does. {@code begins}: from now on, and whoever comes meanwhile leaves it to the caller; else it has to ask again.
     */
    private synchronized boolean gather(RequestEncoder request, boolean begins) {
        gathered.append(request);
        boolean first = !writing;
        writing |= begins;
        return first;
    }

    /** Whether the caller still has to write for all: nobody has done it meanwhile, or does. */
    private synchronized boolean begins() {
        boolean begins = !writing && gathered.length() > 0;
        writing |= begins;
        return begins;
    }

    /**
     * Its turn may not come again while others wait for what it is to write: until JDK 24 a virtual thread that waits with a monitor keeps its core. The name is what all
     * virtual threads' group has (JEP 444).
     */
    private static boolean isVirtual(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && group.getName().equals("VirtualThreads");
    }

    private void writeAll() throws IOException {
        for (RequestEncoder out = next(); out != null; out = next()) {
            sink.write(out);
            out.clear();
        }
    }

    /** What was said meanwhile; null: nothing, and the next one who says something writes. */
    private synchronized @Nullable RequestEncoder next() {
        if (gathered.length() == 0) {
            writing = false;
            return null;
        }
        RequestEncoder out = gathered;
        gathered = spare;
        spare = out;
        return out;
    }
}

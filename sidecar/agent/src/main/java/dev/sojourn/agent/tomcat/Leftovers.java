package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Responses of clients that do not read fast enough: what is left of them is written as they do. One thread, from the first of them on. */
final class Leftovers {
    /** As long as Tomcat waits by default for a client that does not read. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long LOOK_MILLIS = 1_000;

    private static final class Rest {
        final SocketChannel channel;
        final Hold hold;
        final ByteBuffer bytes;
        long movedAt = System.nanoTime();
        boolean isOver;

        @Nullable
        SelectionKey key;

        Rest(SocketChannel channel, Hold hold, ByteBuffer bytes) {
            this.channel = channel;
            this.hold = hold;
            this.bytes = bytes;
        }
    }

    private final ThreadFactory threads;
    private final ConcurrentLinkedQueue<Rest> fresh = new ConcurrentLinkedQueue<>();
    /** Guarded by this. */
    private @Nullable Selector selector;

    Leftovers(ThreadFactory threads) {
        this.threads = threads;
    }

    void add(SocketChannel channel, Hold hold, ByteBuffer bytes) {
        fresh.add(new Rest(channel, hold, bytes));
        synchronized (this) {
            try {
                if (selector == null) {
                    selector = served();
                }
                selector.wakeup();
            } catch (Throwable e) {
                cutOffAll(e);
                Log.warnOnce("responses cannot be written to clients that read slowly, they are cut off: ", e);
            }
        }
    }

    /** By a thread that has begun: where there is none for it the next response asks for one again. */
    private Selector served() throws IOException {
        Selector opened = Selector.open();
        try {
            threads.newThread(() -> run(opened)).start();
            return opened;
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
    }

    private void run(Selector with) {
        List<Rest> waiting = new ArrayList<>();
        while (true) {
            try {
                register(with, waiting);
                with.select(LOOK_MILLIS);
                Iterator<SelectionKey> ready = with.selectedKeys().iterator();
                while (ready.hasNext()) {
                    write(ready.next());
                    ready.remove();
                }
                waiting.removeIf(Leftovers::isOver);
            } catch (Throwable e) {
                Log.warnOnce("writing to clients that read slowly failed and goes on, this is a bug: ", e);
            }
        }
    }

    private void register(Selector with, List<Rest> waiting) throws IOException {
        if (fresh.isEmpty()) {
            return;
        }
        // A channel is refused as long as the key of the response before is cancelled and still there.
        with.selectNow();
        for (Rest rest = fresh.poll(); rest != null; rest = fresh.poll()) {
            try {
                waiting.add(rest);
                rest.key = rest.channel.register(with, SelectionKey.OP_WRITE, rest);
            } catch (Throwable e) {
                over(rest, e);
            }
        }
    }

    private static void write(SelectionKey key) {
        Rest rest = (Rest) key.attachment();
        try {
            if (rest.channel.write(rest.bytes) > 0) {
                rest.movedAt = System.nanoTime();
            }
            if (rest.bytes.hasRemaining()) {
                return;
            }
            key.cancel();
            rest.isOver = true;
            rest.hold.written();
        } catch (Throwable e) {
            over(rest, e);
        }
    }

    /** By now, or from now on. */
    private static boolean isOver(Rest rest) {
        if (rest.isOver) {
            return true;
        }
        if (!rest.channel.isOpen()) {
            // With a channel its key goes, and no selector says so.
            over(rest, new IOException("the container has closed its connection"));
        } else if (System.nanoTime() - rest.movedAt > PATIENCE_NANOS) {
            over(rest, new IOException("it has read nothing for 20 s"));
        }
        return rest.isOver;
    }

    private void cutOffAll(Throwable why) {
        for (Rest rest = fresh.poll(); rest != null; rest = fresh.poll()) {
            over(rest, why);
        }
    }

    private static void over(Rest rest, Throwable why) {
        rest.isOver = true;
        if (rest.key != null) {
            rest.key.cancel();
        }
        rest.hold.cutOff(why);
    }
}

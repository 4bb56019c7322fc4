package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.core.OwnThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
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

        Rest(SocketChannel channel, Hold hold, ByteBuffer bytes) {
            this.channel = channel;
            this.hold = hold;
            this.bytes = bytes;
        }
    }

    private final ConcurrentLinkedQueue<Rest> fresh = new ConcurrentLinkedQueue<>();
    /** Guarded by this. */
    private @Nullable Selector selector;

    void add(SocketChannel channel, Hold hold, ByteBuffer bytes) {
        fresh.add(new Rest(channel, hold, bytes));
        synchronized (this) {
            if (selector != null) {
                selector.wakeup();
                return;
            }
            try {
                selector = Selector.open();
            } catch (IOException e) {
                Log.warn("responses cannot be written to clients that read slowly, they are cut off: " + e);
                cutOffAll();
                return;
            }
            Selector opened = selector;
            OwnThread.of("sojourn-slow-clients", () -> run(opened)).start();
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
            } catch (IOException | RuntimeException e) {
                Log.warnOnce("writing to clients that read slowly failed and goes on, this is a bug: " + e);
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
                rest.channel.register(with, SelectionKey.OP_WRITE, rest);
                waiting.add(rest);
            } catch (IOException | RuntimeException e) {
                // Part of it has left: what comes next must not be taken for the rest.
                close(rest.channel);
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
        } catch (IOException | RuntimeException e) {
            key.cancel();
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
            close(rest.channel);
            over(rest, new IOException("it has read nothing for 20 s"));
        }
        return rest.isOver;
    }

    private void cutOffAll() {
        for (Rest rest = fresh.poll(); rest != null; rest = fresh.poll()) {
            close(rest.channel);
            over(rest, new IOException("no selector"));
        }
    }

    private static void over(Rest rest, Exception why) {
        rest.isOver = true;
        rest.hold.gone(why);
        rest.hold.written();
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException ignored) {
            // It is closed, whatever it says.
        }
    }
}

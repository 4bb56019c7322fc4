package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.OwnThread;
import dev.sojourn.agent.session.Later;
import dev.sojourn.agent.session.Requests;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.coyote.AbstractProcessor;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Responses whose bytes wait for the store while their thread goes on to other requests. Only where the bytes that the connector writes are those on
 * the wire: HTTP/1.1 without TLS over NIO. Everywhere else the thread waits.
 */
final class Holds {
    private static final String PROCESSOR = "org.apache.coyote.http11.Http11Processor";
    /** The file goes past everything that could hold it back. */
    private static final String SENDFILE = "org.apache.tomcat.sendfile.filename";

    private static final int SWITCHING_PROTOCOLS = 101;

    private final Requests requests;
    private final Leftovers leftovers = new Leftovers(work -> OwnThread.of("sojourn-slow-clients", work));
    private final ConcurrentHashMap<Object, Hold> bySocket = new ConcurrentHashMap<>();
    /** Only what is hooked can be held back; the first response of all shows whether it is. */
    private volatile boolean hooked;

    Holds(Requests requests) {
        this.requests = requests;
    }

    /** Null: the bytes of this response cannot be held back. */
    @Nullable
    Later of(AbstractProcessor processor, Request request) {
        if (!hooked
                || !processor.getClass().getName().equals(PROCESSOR)
                || request.getResponse().getStatus() == SWITCHING_PROTOCOLS
                || request.getAttribute(SENDFILE) != null) {
            return null;
        }
        SocketWrapperBase<?> wrapper = Sockets.of(processor);
        if (wrapper == null) {
            return null;
        }
        Object channel = wrapper.getSocket();
        // Exactly this: its subclass encrypts.
        return channel != null && channel.getClass() == NioChannel.class
                ? new Hold(this, wrapper, ((NioChannel) channel).getIOChannel())
                : null;
    }

    /** The connector is about to write {@code bytes}, or to close ({@code null}). */
    void writing(Object wrapper, @Nullable ByteBuffer bytes) {
        if (!hooked) {
            // Not each time: all cores wait for such a write.
            hooked = true;
        }
        if (bySocket.isEmpty()) {
            return;
        }
        Hold hold = bySocket.get(wrapper);
        if (hold == null) {
            return;
        }
        if (bytes != null) {
            hold.take(bytes);
        } else if (!Thread.currentThread().getName().contains("-Poller")) {
            // The poller serves all connections and must not wait; it closes only what is of no use any more.
            hold.awaitWritten();
        }
    }

    /** The one that it follows on the same connection has to leave first. */
    void begin(Object wrapper, Hold hold) {
        requests.hold();
        try {
            for (Hold before = bySocket.putIfAbsent(wrapper, hold);
                    before != null;
                    before = bySocket.putIfAbsent(wrapper, hold)) {
                before.awaitWritten();
                // It stays where it failed at its end.
                bySocket.remove(wrapper, before);
            }
        } catch (RuntimeException | Error e) {
            // Nobody ends what has not begun, and who drains this JVM would wait for it.
            written(wrapper, hold);
            throw e;
        }
    }

    void written(Object wrapper, Hold hold) {
        try {
            bySocket.remove(wrapper, hold);
        } finally {
            requests.letGo();
        }
    }

    Leftovers leftovers() {
        return leftovers;
    }
}

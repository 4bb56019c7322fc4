package dev.sojourn.agent.it;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports that nobody listens on. */
final class Ports {
    private static final int FIRST = 12_000;
    /** Where the kernel starts to take the ports of outgoing connections from, of which a test has hundreds. */
    private static final int END = 32_000;

    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(END - FIRST));

    private Ports() {}

    /**
     * Handed out once: a server that starts slowly has not bound its port yet when the next one asks, and of two
     * servers with one port the second would be tested through the first.
     */
    static int freePort() throws IOException {
        for (int i = 0; i < END - FIRST; i++) {
            int port = FIRST + NEXT.getAndIncrement() % (END - FIRST);
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Another one's.
            }
        }
        throw new IOException("no free port from " + FIRST + " to " + END);
    }
}

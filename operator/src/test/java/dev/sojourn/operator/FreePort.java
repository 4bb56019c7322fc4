package dev.sojourn.operator;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** For the servers that tests start. */
public final class FreePort {
    private static final int FIRST = 12_000;
    /** Where the kernel starts to take the ports of outgoing connections from. */
    private static final int END = 32_000;

    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(END - FIRST));

    private FreePort() {}

    /** Each is handed out once: what got it may not have bound it yet when the next one asks. */
    public static int take() throws IOException {
        for (int i = 0; i < END - FIRST; i++) {
            int port = FIRST + NEXT.getAndIncrement() % (END - FIRST);
            try (var socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Another one's.
            }
        }
        throw new IOException("no free port from " + FIRST + " to " + END);
    }
}

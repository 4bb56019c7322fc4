package dev.sojourn.bench.measure;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the commands that clients sent to a store: its own counters add what scripts call inside. MONITOR is expensive for the store, so it
 * watches some requests that are not measured.
 */
final class Monitor implements AutoCloseable {
    private static final int HEAD = 64;

    private final Socket socket;
    private final AtomicLong commands = new AtomicLong();
    /** A line may be megabytes: that one is still coming in only its bytes tell. */
    private final AtomicLong bytes = new AtomicLong();

    private final Thread reader;

    Monitor(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
        InputStream in = new BufferedInputStream(new Counted(socket.getInputStream()), 1 << 16);
        line(in);
        reader = new Thread(
                () -> {
                    try {
                        while (true) {
                            String head = line(in);
                            if (!head.contains(" lua] ") && !head.contains("\"PING\"")) {
                                commands.incrementAndGet();
                            }
                        }
                    } catch (IOException e) {
                        // Closed: it has counted what there was.
                    }
                },
                "monitor");
        reader.setDaemon(true);
        reader.start();
    }

    /** {@code +<time> [<db> <client or "lua">] "<command>" ...}: a line is as long as its arguments, its beginning tells. */
    private static String line(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("closed");
            }
            if (head.length() < HEAD) {
                head.append((char) c);
            }
        }
        return head.toString();
    }

    /** So many so far, once 100 ms have passed without another: what is sent behind the answers counts too. */
    long settled() throws InterruptedException {
        long before = -1;
        for (int i = 0; i < 300 && bytes.get() != before; i++) {
            before = bytes.get();
            Thread.sleep(100);
        }
        return commands.get();
    }

    /** So many in the time from now on. */
    long during(Duration period) throws InterruptedException {
        long before = commands.get();
        Thread.sleep(period.toMillis());
        return commands.get() - before;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private final class Counted extends FilterInputStream {
        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = super.read(into, offset, length);
            bytes.addAndGet(read);
            return read;
        }
    }
}

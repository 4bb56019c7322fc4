package dev.sojourn.operator.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** One connection of HTTP/2 whose uploads go on for as long as windows let them: no client library would do that. */
final class Http2Uploads implements AutoCloseable {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int WINDOW = 8;

    private static final int FRAME_BYTES = 16_384;
    private static final int FIRST_WINDOW = 65_535;

    /** Uploads that Envoy has ended. */
    final AtomicInteger resets = new AtomicInteger();

    private final Socket socket;
    private final DataOutputStream out;
    /** What each upload may send, beside what every one could at first. */
    private final Map<Integer, Long> windows = new LinkedHashMap<>();

    private long connection = FIRST_WINDOW;
    private long initial = FIRST_WINDOW;

    Http2Uploads(int port, int uploads) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
        frame(SETTINGS, 0, 0, new byte[0]);
        var head = head(":method", "POST", ":scheme", "http", ":path", "/", ":authority", "shop.example");
        for (int i = 0; i < uploads; i++) {
            frame(HEADERS, 4, 2 * i + 1, head);
            windows.put(2 * i + 1, 0L);
        }
        out.flush();
        start(this::read);
        start(this::write);
    }

    /** Literals without a table: nothing to compress. */
    private static byte[] head(String... fields) throws IOException {
        var head = new ByteArrayOutputStream();
        for (int i = 0; i < fields.length; i += 2) {
            head.write(0);
            for (var text : new String[] {fields[i], fields[i + 1]}) {
                head.write(text.length());
                head.write(text.getBytes(ISO_8859_1));
            }
        }
        return head.toByteArray();
    }

    private synchronized void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        out.writeInt(payload.length << 8 | type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(payload);
    }

    private void read() throws IOException {
        var in = new DataInputStream(socket.getInputStream());
        while (true) {
            var lengthAndType = in.readInt();
            var flags = in.readUnsignedByte();
            var stream = in.readInt();
            var payload = in.readNBytes(lengthAndType >>> 8);
            take(lengthAndType & 0xff, flags, stream, payload);
        }
    }

    private synchronized void take(int type, int flags, int stream, byte[] payload) throws IOException {
        switch (type) {
            case SETTINGS -> {
                if (flags == 0) {
                    for (int at = 0; at < payload.length; at += 6) {
                        initial = payload[at + 1] == 4 ? number(payload, at + 2) : initial;
                    }
                    frame(SETTINGS, 1, 0, new byte[0]);
                    out.flush();
                }
            }
            case WINDOW -> {
                if (stream == 0) {
                    connection += number(payload, 0);
                } else {
                    windows.computeIfPresent(stream, (same, window) -> window + number(payload, 0));
                }
            }
            case RESET -> {
                windows.remove(stream);
                resets.incrementAndGet();
            }
            default -> {
                // Answers to those that are reset, and what is of no concern.
            }
        }
        notifyAll();
    }

    private static long number(byte[] bytes, int at) {
        return (bytes[at] & 0xffL) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | bytes[at + 3] & 0xff;
    }

    private synchronized void write() throws IOException, InterruptedException {
        while (true) {
            var next = windows.entrySet().stream()
                    .filter(upload -> initial + upload.getValue() > 0)
                    .findFirst();
            if (connection <= 0 || next.isEmpty()) {
                out.flush();
                wait();
                continue;
            }
            var upload = next.get();
            var length = (int) Math.min(FRAME_BYTES, Math.min(connection, initial + upload.getValue()));
            frame(DATA, 0, upload.getKey(), new byte[length]);
            upload.setValue(upload.getValue() - length);
            connection -= length;
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void start(Work work) {
        var thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException | InterruptedException e) {
                // The connection is closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

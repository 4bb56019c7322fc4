package dev.sojourn.operator.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** An application of a few lines: says what it was asked for, echoes behind an Upgrade, and answers /slow when it is let. */
final class Application implements AutoCloseable {

    final CountDownLatch slow = new CountDownLatch(1);
    final CountDownLatch slowAsked = new CountDownLatch(1);
    /** What it says to everybody, in place of an answer: a status and perhaps a header. */
    volatile String refusal = "";

    final AtomicInteger refused = new AtomicInteger();

    /** The last request's, to be read when that is answered. */
    volatile String asked = "";

    private final ServerSocket server;

    Application() throws IOException {
        this(0);
    }

    Application(int port) throws IOException {
        this(InetAddress.getLoopbackAddress(), port);
    }

    Application(InetAddress address, int port) throws IOException {
        server = new ServerSocket(port, 50, address);
        start(() -> {
            while (!server.isClosed()) {
                var socket = server.accept();
                start(() -> serve(socket));
            }
        });
    }

    int port() {
        return server.getLocalPort();
    }

    private void serve(Socket socket) throws Exception {
        try (socket) {
            for (var head = Http1.head(socket.getInputStream());
                    !head.isEmpty();
                    head = Http1.head(socket.getInputStream())) {
                var out = socket.getOutputStream();
                asked = head;
                socket.getInputStream().skipNBytes(bodyLength(head));
                if (head.toLowerCase().contains("upgrade: websocket")) {
                    out.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n"
                            .getBytes(ISO_8859_1));
                    socket.getInputStream().transferTo(out);
                    return;
                }
                if (!refusal.isEmpty()) {
                    refused.incrementAndGet();
                    out.write(("HTTP/1.1 " + refusal + "\r\ncontent-length: 0\r\n\r\n").getBytes(ISO_8859_1));
                    continue;
                }
                var path = head.split(" ")[1];
                if (path.equals("/slow")) {
                    slowAsked.countDown();
                    slow.await();
                }
                var length = path.startsWith("/bytes/") ? Integer.parseInt(path.substring(7)) : path.length();
                var body = path.startsWith("/bytes/") ? "x".repeat(length) : path;
                out.write(("HTTP/1.1 200 OK\r\nx-pod: " + port() + "\r\ncontent-length: " + length + "\r\n\r\n" + body)
                        .getBytes(ISO_8859_1));
            }
        }
    }

    private static long bodyLength(String head) {
        var length = new Http1.Response(head, "").header("content-length");
        return length.isEmpty() ? 0 : Long.parseLong(length);
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void start(Work work) {
        var thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                // The other side hung up; the test sees what came of it.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        slow.countDown();
        server.close();
    }
}

package dev.sojourn.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** The same closed loop over TLS, for requests without a session: a thread for each connection, which the handshake made before it counts. */
public final class TlsLoad implements AutoCloseable {
    private final List<SSLSocket> sockets = new ArrayList<>();
    private final ExecutorService threads;
    private final Script script;

    public TlsLoad(SSLContext tls, InetSocketAddress node, int users, Script script) throws IOException {
        this.script = script;
        threads = Executors.newFixedThreadPool(users);
        for (int i = 0; i < users; i++) {
            SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(node.getAddress(), node.getPort());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(20_000);
            sockets.add(socket);
            socket.startHandshake();
        }
    }

    public Outcome run(Duration period) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long end = began + period.toNanos();
        List<Future<Outcome>> parts = new ArrayList<>();
        for (SSLSocket socket : sockets) {
            parts.add(threads.submit(() -> clicks(socket, end)));
        }
        Outcome outcome = new Outcome();
        for (Future<Outcome> part : parts) {
            try {
                outcome.addAll(part.get());
            } catch (ExecutionException e) {
                throw new IOException("over TLS: " + e.getCause(), e);
            }
        }
        outcome.ended(System.nanoTime() - began);
        return outcome;
    }

    private Outcome clicks(SSLSocket socket, long end) throws IOException {
        Outcome outcome = new Outcome();
        Expectation nothing = new Expectation(0);
        byte[] request = ("GET " + script.target(0) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] buffer = new byte[1 << 16];
        InputStream in = socket.getInputStream();
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            socket.getOutputStream().write(request);
            Response response = new Response();
            boolean complete = false;
            while (!complete) {
                int length = in.read(buffer);
                if (length < 0) {
                    throw new IOException("the server closed the connection");
                }
                complete = response.read(ByteBuffer.wrap(buffer, 0, length));
            }
            Verdict verdict = response.status() == 200
                    ? script.check(nothing, 0, response.body(), response.length())
                    : Verdict.FAILED;
            outcome.add(verdict, System.nanoTime() - now);
        }
        return outcome;
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        for (SSLSocket socket : sockets) {
            socket.close();
        }
    }
}

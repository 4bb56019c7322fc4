package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BodiesTest {

    private static final int MOST = 16_384;

    private final Vertx vertx = Vertx.vertx();
    private final List<Socket> sockets = new ArrayList<>();
    private final BlockingQueue<HttpServerRequest> begun = new LinkedBlockingQueue<>();

    @AfterEach
    void close() throws Exception {
        for (var socket : sockets) {
            socket.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void ofMoreThanThereIsRoomForTheOldestGoesAndWhatIsWholeIsAnswered() throws Exception {
        var port = serve(Duration.ofMinutes(5));
        var first = begin(port, MOST, MOST - 1);
        var others = new ArrayList<Socket>();
        for (var n = 0; n < 4; n++) {
            others.add(begin(port, MOST, MOST - 1));
        }
        assertThat(answer(begin(port, MOST, MOST))).startsWith("HTTP/1.1 200");
        assertThat(answer(first)).isEmpty();
        for (var open : others.subList(2, 4)) {
            send(open, 1);
            assertThat(answer(open)).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void oneThatDoesNotEndIsGivenUp() throws Exception {
        var port = serve(Duration.ofMillis(100));
        assertThat(answer(begin(port, MOST, 1))).isEmpty();
    }

    @Test
    void oneThatIsTooLongIsRefused() throws Exception {
        var port = serve(Duration.ofMinutes(5));
        assertThat(answer(begin(port, 2 * MOST, MOST + 1))).startsWith("HTTP/1.1 413");
        assertThat(answer(begin(port, MOST, MOST))).startsWith("HTTP/1.1 200");
    }

    private int serve(Duration patience) throws Exception {
        var bodies = new Bodies(vertx, MOST, 4 * MOST, patience);
        return vertx.createHttpServer()
                .requestHandler(request -> {
                    bodies.read(request, body -> request.response().end());
                    begun.add(request);
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .actualPort();
    }

    /** Returns once the request has come in, whatever there is of its body. */
    private Socket begin(int port, int length, int sent) throws Exception {
        var socket = new Socket("127.0.0.1", port);
        sockets.add(socket);
        socket.setSoTimeout(60_000);
        var head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: " + length + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        send(socket, sent);
        assertThat(begun.poll(30, TimeUnit.SECONDS)).isNotNull();
        return socket;
    }

    private static void send(Socket socket, int bytes) throws IOException {
        socket.getOutputStream().write(new byte[bytes]);
    }

    /** Its first line; empty: the connection was closed without one. */
    private static String answer(Socket socket) {
        var line = new StringBuilder();
        try {
            var in = socket.getInputStream();
            for (var next = in.read(); next >= 0 && next != '\r'; next = in.read()) {
                line.append((char) next);
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("neither answered nor closed", e);
        } catch (IOException e) {
            // Reset, for what it had sent was not read.
        }
        return line.toString();
    }
}

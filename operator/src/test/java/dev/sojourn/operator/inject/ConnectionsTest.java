package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectionsTest {

    private final Vertx vertx = Vertx.vertx();
    private final Connections connections = new Connections(3);
    private final BlockingQueue<HttpConnection> opened = new LinkedBlockingQueue<>();
    private final List<Socket> sockets = new ArrayList<>();
    private int port;

    @BeforeEach
    void listen() throws Exception {
        // With HTTP/2 it would wait for the first bytes; with TLS, as it is in truth, they have been there already.
        var server = vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .connectionHandler(connection -> {
                    connections.opened(connection);
                    opened.add(connection);
                })
                .requestHandler(request -> {
                    connections.asks(request.connection());
                    request.response().end();
                });
        port = server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .actualPort();
    }

    @AfterEach
    void close() throws Exception {
        for (var socket : sockets) {
            socket.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void ofTooManyTheOneGoesThatWasSilentForLongest() throws Exception {
        var asks = open();
        var silent = open();
        open();
        assertThat(isAnswered(asks)).isTrue();
        var newest = open();
        assertThat(silent.getInputStream().read()).as("closed").isEqualTo(-1);
        assertThat(isAnswered(asks)).isTrue();
        assertThat(isAnswered(newest)).isTrue();
    }

    /** Where it was not forgotten the first would go for what is not there any more. */
    @Test
    void oneThatWasClosedTakesNoRoom() throws Exception {
        var first = open();
        for (var n = 0; n < 3; n++) {
            var gone = open();
            gone.shutdownOutput();
            assertThat(gone.getInputStream().read())
                    .as("closed by the server too")
                    .isEqualTo(-1);
        }
        assertThat(isAnswered(first)).isTrue();
    }

    /** Returns once the server has it. */
    private Socket open() throws Exception {
        var socket = new Socket("127.0.0.1", port);
        sockets.add(socket);
        socket.setSoTimeout(30_000);
        assertThat(opened.poll(30, TimeUnit.SECONDS)).isNotNull();
        return socket;
    }

    private static boolean isAnswered(Socket socket) throws IOException {
        socket.getOutputStream().write("GET / HTTP/1.1\r\nhost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        var answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\n") < 0) {
            var next = socket.getInputStream().read();
            if (next < 0) {
                return false;
            }
            answer.append((char) next);
        }
        return answer.toString().startsWith("HTTP/1.1 200");
    }
}

package dev.sojourn.e2e;

import dev.sojourn.e2e.load.Browser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A WebSocket in a browser's session: each message comes back with the name of the pod in front. */
final class EchoSocket {
    private static final long PATIENCE_SECONDS = 60;

    private final WebSocket socket;
    private final Heard heard;

    private EchoSocket(WebSocket socket, Heard heard) {
        this.socket = socket;
        this.heard = heard;
    }

    static EchoSocket open(HttpClient http, URI application, Browser browser) {
        String cookies = browser.cookies().entrySet().stream()
                .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                .collect(Collectors.joining("; "));
        var heard = new Heard();
        var socket = http.newWebSocketBuilder()
                .header("Cookie", cookies)
                .buildAsync(URI.create("ws://" + application.getAuthority() + "/long/echo"), heard)
                .join();
        return new EchoSocket(socket, heard);
    }

    /** The pod that answered. */
    String echo(String text) throws InterruptedException {
        socket.sendText(text, true).join();
        String answer = heard.answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer == null || !answer.endsWith(" " + text)) {
            throw new AssertionError("to " + text + " the WebSocket answered " + answer);
        }
        return answer.substring(0, answer.indexOf(' '));
    }

    /** The code that the server closed it with. */
    int awaitClosed() throws Exception {
        return heard.closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    void close() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    }

    private static final class Heard implements WebSocket.Listener {
        private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final StringBuilder partial = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            partial.append(data);
            if (last) {
                answers.add(partial.toString());
                partial.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.complete(code);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            closed.completeExceptionally(error);
        }
    }
}

package dev.sojourn.agent.it;

import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What comes over a socket. */
final class Heard implements WebSocket.Listener {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
        heard.add(text.toString());
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String why) {
        heard.add("closed " + code);
        return null;
    }

    @Nullable
    String next() throws InterruptedException {
        return heard.poll(60, TimeUnit.SECONDS);
    }

    /** Of what is tried again where it is not said. */
    @Nullable
    String soon() throws InterruptedException {
        return heard.poll(15, TimeUnit.SECONDS);
    }
}

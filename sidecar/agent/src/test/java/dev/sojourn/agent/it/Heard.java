package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What comes over a socket. */
final class Heard implements WebSocket.Listener {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    /** A socket that has answered: what is closed while Tomcat makes it of the handshake may be closed without a word. */
    static Heard over(Browser user, TomcatNode node, String path) throws Exception {
        Heard heard = new Heard();
        user.socket(node, path, heard).sendText("handshake", true);
        assertEquals("done", heard.next());
        return heard;
    }

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

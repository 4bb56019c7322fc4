package dev.sojourn.agent.it;

import dev.sojourn.agent.client.Digest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Sees what daemons ask a store about one session of {@code /app}; what they do by the clock, for all sessions, is none of it. */
final class Watch implements AutoCloseable {
    private final Store store;
    private final Socket socket;
    private final BufferedReader in;

    Watch(Store store) throws IOException {
        this.store = store;
        socket = new Socket("127.0.0.1", store.port);
        socket.setSoTimeout(30_000);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
        in.readLine();
    }

    /** How often it was committed. */
    int version(Browser user) throws Exception {
        String answer = store.ask("HGET " + key(user) + " v");
        return Integer.parseInt(answer.substring(answer.indexOf('\n') + 1));
    }

    boolean isStored(Browser user) throws Exception {
        return store.ask("EXISTS " + key(user)).equals(":1");
    }

    /** It has expired, and nobody has said yet that its listeners were told. */
    boolean awaitsListeners(Browser user) throws Exception {
        return store.ask("HEXISTS " + key(user) + " y").equals(":1");
    }

    /** The commands since the last call; not those that its scripts call. */
    List<String> about(Browser user) throws Exception {
        String digest = digest(String.valueOf(user.cookie()));
        String fence = "fence-" + System.nanoTime();
        store.ask("ECHO " + fence);
        List<String> about = new ArrayList<>();
        for (String line = in.readLine(); !line.contains(fence); line = in.readLine()) {
            if (line.contains(digest) && !line.contains(" lua] ")) {
                about.add(line);
            }
        }
        return about;
    }

    private static String key(Browser user) {
        String digest = digest(String.valueOf(user.cookie()));
        return "sj:{" + digest.substring(0, 2) + "}:test.agent:" + digest;
    }

    /** As sidecar/protocol/store.md has it, of the name that the agent gives a session. */
    private static String digest(String cookie) {
        String name = "/app\n" + cookie.substring(cookie.indexOf('=') + 1);
        return Digest.of(name);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

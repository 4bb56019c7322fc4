package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A real Valkey or Redis on loopback, which writes a file only when it is told to. */
final class Store implements AutoCloseable {
    final int port;
    private final Path folder;
    private Child process;

    Store(Path folder) throws Exception {
        this.folder = Files.createDirectories(folder);
        port = Ports.freePort();
        process = run();
        awaitAnswer();
    }

    private Child run() throws IOException {
        List<String> command = List.of(
                Child.program("valkey-server", "redis-server"),
                "--port",
                "" + port,
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                folder.toString());
        return new Child(new ProcessBuilder(command), folder.resolve("store.log"));
    }

    private void awaitAnswer() throws Exception {
        Eventually.holds("the store answers", Nodes.SOON, () -> {
            try {
                return ask("PING").equals("+PONG");
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** What it has now it will have when it starts again. */
    void save() throws IOException {
        ask("SAVE");
    }

    /** What it has not saved is lost. */
    void kill() throws InterruptedException {
        process.kill();
    }

    /** On purpose: it saves what it has, and takes nothing that it would not save. */
    void stop() throws Exception {
        ask("SHUTDOWN SAVE");
        process.exit(60);
    }

    void start() throws Exception {
        process = run();
        awaitAnswer();
    }

    /** It is there and answers nobody. */
    void pause() throws Exception {
        process.pause();
    }

    void resume() throws Exception {
        process.resume();
    }

    String ask(String command) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            StringBuilder answer = new StringBuilder();
            for (String line = in.readLine(); line != null && !line.equals("+OK"); line = in.readLine()) {
                answer.append(answer.length() == 0 ? "" : "\n").append(line);
            }
            return answer.toString();
        }
    }

    /** How many keys there are, each of which has a time-out. */
    int keysWithAnEnd() throws IOException {
        int keys = 0;
        for (String key : ask("KEYS *").split("\n")) {
            if (key.startsWith("sj:")) {
                assertNotEquals(":-1", ask("TTL " + key), key + " never ends");
                keys++;
            }
        }
        return keys;
    }

    @Override
    public void close() throws Exception {
        process.close();
    }
}

package dev.sojourn.agent.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A real Valkey or Redis on loopback, without a file. */
final class Store implements AutoCloseable {
    final int port;
    private final Child process;

    Store(Path folder) throws Exception {
        port = Ports.freePort();
        String program = Child.program("valkey-server", "redis-server");
        process = new Child(
                new ProcessBuilder(
                        program, "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"),
                folder.resolve("store.log"));
        Eventually.holds("the store answers", Duration.ofSeconds(10), () -> {
            try {
                return ask("PING").equals("+PONG");
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** It is there and answers nobody. */
    void pause() throws Exception {
        process.signal("STOP");
    }

    void resume() throws Exception {
        process.signal("CONT");
    }

    String ask(String command) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(5_000);
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

    @Override
    public void close() throws Exception {
        process.close();
    }
}

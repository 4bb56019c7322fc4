package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.store.StoreConnections.Login;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** A real server, one of a cluster that has no other yet; {@code valkey-server} or {@code redis-server}, from the PATH. */
final class StoreServer implements AutoCloseable {

    static final Login NOBODY = new Login(null, null);

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final int port;
    private final Process process;

    private StoreServer(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    static StoreServer start(StoreConnections connections, Path directory) throws IOException, InterruptedException {
        var port = FreePort.take();
        var process = new ProcessBuilder(
                        program(),
                        "--port",
                        String.valueOf(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--cluster-enabled",
                        "yes",
                        // Left to itself it takes the port 10,000 above, and there may be none.
                        "--cluster-port",
                        String.valueOf(FreePort.take()))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        var server = new StoreServer(port, process);
        server.awaitListening(connections, directory.resolve("log"));
        return server;
    }

    private void awaitListening(StoreConnections connections, Path log) throws IOException, InterruptedException {
        var deadline = Instant.now().plus(DEADLINE);
        while (true) {
            try (var session = connections.open(address(), NOBODY, 1)) {
                return;
            } catch (StoreException e) {
                assertThat(process.isAlive() && Instant.now().isBefore(deadline))
                        .as("%s does not listen: %s%n%s", address(), e.getMessage(), Files.readString(log))
                        .isTrue();
                Thread.sleep(20);
            }
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    private static String program() {
        var folders = List.of(System.getenv("PATH").split(":"));
        return Stream.of("valkey-server", "redis-server")
                .flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "neither valkey-server nor redis-server is on the PATH; apt-get install redis-server"))
                .toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

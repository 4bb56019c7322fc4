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
import java.util.Objects;
import java.util.stream.Stream;

/** A real server, one of a cluster that has no other yet; {@code valkey-server} or {@code redis-server}, from the PATH. */
public final class StoreServer implements AutoCloseable {

    public static final Login NOBODY = new Login(null, null);

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final Address address;
    private final int clusterPort;
    private final Process process;

    private StoreServer(Address address, int clusterPort, Process process) {
        this.address = address;
        this.clusterPort = clusterPort;
        this.process = process;
    }

    static StoreServer start(StoreConnections connections, Path directory) throws IOException, InterruptedException {
        return start(connections, directory, "127.0.0.1", NOBODY);
    }

    /**
     * @param login of the one user: {@code default} and its password, or {@link #NOBODY}
     * @param more of its settings, each with its value
     */
    public static StoreServer start(
            StoreConnections connections, Path directory, String host, Login login, String... more)
            throws IOException, InterruptedException {
        var address = new Address(host, FreePort.take());
        var clusterPort = FreePort.take();
        var settings = Stream.of(
                "--port",
                String.valueOf(address.port()),
                "--bind",
                host,
                "--save",
                "",
                "--cluster-enabled",
                "yes",
                // Left to itself it takes the port 10,000 above, and there may be none.
                "--cluster-port",
                String.valueOf(clusterPort),
                "--requirepass",
                Objects.requireNonNullElse(login.password(), ""));
        var server = new StoreServer(address, clusterPort, run(directory, Stream.concat(settings, Stream.of(more))));
        server.awaitListening(connections, login, directory.resolve("log"));
        return server;
    }

    /** A Sentinel that watches {@code primary} under that name. */
    static StoreServer sentinel(StoreConnections connections, Path directory, String name, Address primary)
            throws IOException, InterruptedException {
        var address = new Address("127.0.0.1", FreePort.take());
        var file = directory.resolve("sentinel.conf");
        Files.writeString(
                file,
                "port %d%nbind %s%nsentinel monitor %s %s %d 1%n"
                        .formatted(address.port(), address.host(), name, primary.host(), primary.port()));
        var server = new StoreServer(address, 0, run(directory, Stream.of(file.toString(), "--sentinel")));
        server.awaitListening(connections, NOBODY, directory.resolve("log"));
        return server;
    }

    private static Process run(Path directory, Stream<String> arguments) throws IOException {
        return new ProcessBuilder(Stream.concat(Stream.of(program()), arguments).toList())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    private void awaitListening(StoreConnections connections, Login login, Path log)
            throws IOException, InterruptedException {
        var deadline = Instant.now().plus(DEADLINE);
        while (true) {
            try (var session = connections.open(address.toString(), login, 1)) {
                return;
            } catch (StoreException e) {
                assertThat(process.isAlive() && Instant.now().isBefore(deadline))
                        .as("%s does not listen: %s%n%s", address, e.getMessage(), Files.readString(log))
                        .isTrue();
                Thread.sleep(20);
            }
        }
    }

    public Address address() {
        return address;
    }

    /** Where the other members of a cluster talk to it. */
    public int clusterPort() {
        return clusterPort;
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

    /** Once it writes no more where JUnit is about to delete. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}

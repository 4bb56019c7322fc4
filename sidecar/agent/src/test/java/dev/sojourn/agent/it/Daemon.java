package dev.sojourn.agent.it;

import java.io.File;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One pod's sidecar: the real daemon. */
final class Daemon implements AutoCloseable {
    final Path socket;
    private final Path folder;
    private final int storePort;
    private final int httpPort;
    private final Map<String, String> more;
    private @Nullable Child process;

    /** The path of a Unix socket is at most about 100 bytes long, so not below the build's folder. */
    Daemon(String name, Path folder, Path sockets, Store store, Map<String, String> more) throws Exception {
        this.more = more;
        this.folder = folder.resolve(name);
        // A folder of its own, as every pod has: a daemon that starts takes pages of claims in its folder for left
        // over.
        this.socket = Files.createDirectories(sockets.resolve(name)).resolve("s.sock");
        this.storePort = store.port;
        this.httpPort = Ports.freePort();
        start();
    }

    void start() throws Exception {
        if (process != null && process.isAlive()) {
            return;
        }
        Files.deleteIfExists(socket);
        ProcessBuilder builder = new ProcessBuilder(binary(), "serve");
        Map<String, String> environment = builder.environment();
        environment.put("SOJOURN_CLUSTER", "test.agent");
        environment.put("SOJOURN_STORE_URL", "redis://127.0.0.1:" + storePort);
        environment.put("SOJOURN_SOCKET", socket.toString());
        environment.put("SOJOURN_STORE_PATIENCE", "5s");
        environment.put("SOJOURN_REAP_EVERY", "500ms");
        environment.put("SOJOURN_HTTP", "127.0.0.1:" + httpPort);
        environment.putAll(more);
        Child started = new Child(builder, folder.resolve("sojournd.log"));
        process = started;
        Eventually.holds("sojournd answers, see " + started.log, Nodes.SOON, () -> {
            if (!started.isAlive()) {
                throw new AssertionError("sojournd ended: " + started.logged());
            }
            return Files.exists(socket) && ask("PING").startsWith("+PONG");
        });
    }

    /** As the kubelet does at the pod's deletion. */
    void drain() throws Exception {
        ask("SJ.DRAIN");
    }

    /** As a machine that stands still would. */
    void pause() throws Exception {
        running().pause();
    }

    void resume() throws Exception {
        running().resume();
    }

    private Child running() {
        if (process == null) {
            throw new IllegalStateException("not started");
        }
        return process;
    }

    void kill() throws Exception {
        if (process != null) {
            process.kill();
        }
        Files.deleteIfExists(socket);
    }

    @Override
    public void close() throws Exception {
        kill();
    }

    /** So many it has got; {@code command}: as its metrics call it. */
    long requests(String command) throws Exception {
        return metric("sojourn_requests_total{command=\"" + command + "\"}");
    }

    /** {@code name}: with all of its labels, as it is written. Zero if there is none. */
    long metric(String name) throws Exception {
        URI metrics = URI.create("http://127.0.0.1:" + httpPort + "/metrics");
        String all;
        try (InputStream body = metrics.toURL().openStream()) {
            all = new String(body.readAllBytes(), StandardCharsets.US_ASCII);
        }
        return all.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                .sum();
    }

    String ask(String command) throws Exception {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            String request = "*1\r\n$" + command.length() + "\r\n" + command + "\r\n";
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(256);
            channel.read(answer);
            return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
        } catch (java.io.IOException e) {
            return "";
        }
    }

    /** What `sojournd sessions` prints. */
    String sessions(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(binary(), "sessions", "--socket", socket.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(printed);
        }
        return printed;
    }

    private static String binary() {
        String configured = System.getProperty("sojourn.daemon", "");
        File file = new File(configured);
        if (!file.canExecute()) {
            throw new IllegalStateException("no daemon at " + file.getAbsolutePath()
                    + ": build it with `cargo build` in sidecar/daemon, or set SOJOURN_DAEMON to its path");
        }
        return file.getAbsolutePath();
    }
}

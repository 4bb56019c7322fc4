package dev.sojourn.agent.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** One store and the pods on it: each a Tomcat with its own sidecar. Whatever was started ends with this. */
final class Pods implements AutoCloseable {
    static final Path TARGET =
            Path.of(System.getProperty("basedir", "."), "target").toAbsolutePath();

    final Store store;
    private final Server server;
    private final Map<String, String> settings;
    private final Path folder;
    private final Path sockets;
    /** The agent's settings where there are no Unix sockets, by the socket of the same daemon. */
    private final Map<Path, String> loopback = new HashMap<>();

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    Pods(String name, Server server) throws Exception {
        this(name, server, Map.of());
    }

    /** {@code settings}: of all daemons. */
    Pods(String name, Server server, Map<String, String> settings) throws Exception {
        this.server = server;
        this.settings = settings;
        folder = TARGET.resolve("it").resolve(name);
        delete(folder);
        sockets = Files.createTempDirectory("sj");
        server.build(folder);
        store = keep(new Store(folder));
    }

    Daemon daemon(String name) throws Exception {
        return daemon(name, Map.of());
    }

    /** {@code more}: settings of the daemon beside those of all. */
    Daemon daemon(String name, Map<String, String> more) throws Exception {
        Map<String, String> all = new HashMap<>(settings);
        all.putAll(more);
        if (server.hasUnixSockets()) {
            return keep(new Daemon(name, folder, sockets, store, all));
        }
        // As in a pod: it draws a token and puts it beside the agent.
        Path agent = folder.resolve("agent-" + name);
        String tcp = "127.0.0.1:" + Ports.freePort();
        all.putAll(Map.of(
                "SOJOURN_TCP", tcp,
                "SOJOURN_INSTALL_AGENT", agent.toString(),
                "SOJOURN_AGENT_JAR", TomcatNode.agentJar()));
        Daemon daemon = keep(new Daemon(name, folder, sockets, store, all));
        loopback.put(daemon.socket, "tcp=" + tcp + ",tokenFile=" + agent.resolve("token") + ",");
        return daemon;
    }

    TomcatNode tomcat(String name, Path socket, Release release, String settings) throws Exception {
        return tomcat(name, release, "socket=" + socket + "," + loopback.getOrDefault(socket, "") + settings);
    }

    TomcatNode tomcat(String name, Release release, String agent) throws Exception {
        return keep(TomcatNode.start(server, folder.resolve("node-" + name), release, agent));
    }

    Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    Path noSocket() {
        return sockets.resolve("nobody.sock");
    }

    @Override
    public void close() throws Exception {
        while (!started.isEmpty()) {
            started.pop().close();
        }
        delete(sockets);
    }

    private <T extends AutoCloseable> T keep(T child) {
        started.push(child);
        return child;
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

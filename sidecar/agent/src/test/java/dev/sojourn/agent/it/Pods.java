package dev.sojourn.agent.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.stream.Stream;

/** One store and the pods on it: each a Tomcat with its own sidecar. Whatever was started ends with this. */
final class Pods implements AutoCloseable {
    private static final Path TARGET =
            Path.of(System.getProperty("basedir", "."), "target").toAbsolutePath();

    final Store store;
    private final Path tomcat;
    private final Path folder;
    private final Path sockets;
    private final Webapp webapp;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    Pods(String version, boolean jakarta) throws Exception {
        tomcat = TARGET.resolve("tomcat-" + version).resolve("apache-tomcat-" + version);
        folder = TARGET.resolve("it").resolve(version);
        delete(folder);
        sockets = Files.createTempDirectory("sj");
        webapp = new Webapp(tomcat, jakarta, folder);
        store = keep(new Store(folder));
    }

    Daemon daemon(String name) throws Exception {
        return keep(new Daemon(name, folder, sockets, store));
    }

    TomcatNode tomcat(String name, Path socket, String without, String settings) throws IOException {
        String agent = "socket=" + socket + "," + settings;
        return keep(TomcatNode.start(tomcat, folder.resolve("node-" + name), webapp, without, agent));
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

    private static void delete(Path folder) throws IOException {
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

package dev.sojourn.bench.peers;

import dev.sojourn.bench.server.Server;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One stock Tomcat in a process of its own. */
public final class Node implements AutoCloseable {
    /**
     * The same for all; the serial collector, for two cores share it all and its CPU is the process's own. The agent's entries are not compiled into
     * their callers, for a profiler then took the clock and the allocations of the callers for the agent's: it costs the agent some calls more.
     */
    public static final List<String> JVM = List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=dontinline,dev.sojourn.agent.Bridge::*");

    private final int port;
    private final Server server;

    private Node(int port, Server server) {
        this.port = port;
        this.server = server;
    }

    /**
     * Does not wait: several nodes start at once.
     *
     * @param base the node's {@code CATALINA_BASE}, with its configuration and application
     */
    static Node start(Path tomcat, Path base, List<String> options, Map<String, String> environment)
            throws IOException {
        int port = Server.freePort();
        for (String folder : List.of("logs", "temp", "work")) {
            Files.createDirectories(base.resolve(folder));
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(JVM);
        command.addAll(options);
        command.addAll(List.of(
                "-Dhttp.port=" + port,
                "-Dcatalina.home=" + tomcat,
                "-Dcatalina.base=" + base,
                "-Djava.io.tmpdir=" + base.resolve("temp"),
                "-cp",
                tomcat.resolve("bin/bootstrap.jar") + File.pathSeparator + tomcat.resolve("bin/tomcat-juli.jar"),
                "org.apache.catalina.startup.Bootstrap",
                "start"));
        return new Node(port, new Server(base.resolve("logs/out.log"), environment, command));
    }

    void awaitReady() throws IOException, InterruptedException {
        awaitApplication(server, port);
    }

    /** Until the application answers on the port, at the server or behind it. */
    static void awaitApplication(Server server, int port) throws IOException, InterruptedException {
        URI plain = URI.create("http://127.0.0.1:" + port + "/app/plain");
        server.awaitReady(() -> ((HttpURLConnection) plain.toURL().openConnection()).getResponseCode() == 200, 50);
    }

    public InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    public Server server() {
        return server;
    }

    @Override
    public void close() {
        server.close();
    }
}

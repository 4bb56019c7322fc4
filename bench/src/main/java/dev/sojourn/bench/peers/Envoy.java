package dev.sojourn.bench.peers;

import dev.sojourn.bench.server.Scratch;
import dev.sojourn.bench.server.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** An Envoy in front of one Tomcat. It is none of the fleet's servers: its CPU does not count. */
public final class Envoy implements AutoCloseable {
    private final Server server;
    private final int port;

    private Envoy(Server server, int port) {
        this.server = server;
        this.port = port;
    }

    /** @param tomcat the port of the connector behind it */
    public static Envoy start(Places places, Scratch scratch, int tomcat) throws IOException, InterruptedException {
        Path folder = scratch.folder("envoy");
        int port = Server.freePort();
        String configuration = Files.readString(places.configuration("common").resolve("envoy.yaml"))
                .replace("$own", String.valueOf(port))
                .replace("$tomcat", String.valueOf(tomcat));
        Path file = Files.writeString(folder.resolve("envoy.yaml"), configuration);
        var command = List.of(
                places.envoy(),
                "--config-path",
                file.toString(),
                "--concurrency",
                "1",
                "--disable-hot-restart",
                "--log-level",
                "warn");
        Server server;
        try {
            server = new Server(folder.resolve("out.log"), Map.of(), command);
        } catch (IOException e) {
            throw new IOException("there is no Envoy to start: set SOJOURN_ENVOY to the path of one", e);
        }
        Node.awaitApplication(server, port);
        return new Envoy(server, port);
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        server.close();
    }
}

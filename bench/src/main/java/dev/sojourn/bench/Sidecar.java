package dev.sojourn.bench;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;

/** A daemon of its own on a store. */
final class Sidecar implements AutoCloseable {
    private final Server server;
    private final Path folder;
    private final int port;
    private final Duration readyAfter;

    private Sidecar(Server server, Path folder, int port, int http) throws IOException, InterruptedException {
        this.server = server;
        this.folder = folder;
        this.port = port;
        URI ready = URI.create("http://127.0.0.1:" + http + "/readyz");
        readyAfter =
                server.awaitReady(() -> ((HttpURLConnection) ready.toURL().openConnection()).getResponseCode() == 200);
    }

    static Sidecar start(Path daemon, Path scratch, Store store) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(scratch, "sidecar");
        int port = Server.freePort();
        int http = Server.freePort();
        var server = new Server(
                folder.resolve("log"),
                Map.of(
                        "SOJOURN_CLUSTER",
                        "bench",
                        "SOJOURN_STORE_URL",
                        store.url(),
                        "SOJOURN_SOCKET",
                        folder.resolve("sock").toString(),
                        "SOJOURN_TCP",
                        "127.0.0.1:" + port,
                        "SOJOURN_HTTP",
                        "127.0.0.1:" + http),
                List.of(daemon.toString(), "serve"));
        return new Sidecar(server, folder, port, http);
    }

    Path socket() {
        return folder.resolve("sock");
    }

    Duration readyAfter() {
        return readyAfter;
    }

    long residentKib() throws IOException {
        return server.residentKib();
    }

    Jedis client() {
        return Footprint.connect(port);
    }

    @Override
    public void close() {
        server.close();
    }
}

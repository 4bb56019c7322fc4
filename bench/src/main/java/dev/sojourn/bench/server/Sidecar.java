package dev.sojourn.bench.server;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;

/** A daemon of its own on a store. */
public final class Sidecar implements AutoCloseable {
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

    public static Sidecar start(Path daemon, Path scratch, Store store) throws IOException, InterruptedException {
        return start(daemon, scratch, store, Map.of());
    }

    /** @param settings more of the daemon's environment */
    public static Sidecar start(Path daemon, Path scratch, Store store, Map<String, String> settings)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(scratch, "sidecar");
        int port = Server.freePort();
        int http = Server.freePort();
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("SOJOURN_CLUSTER", "bench");
        environment.put("SOJOURN_STORE_URL", store.url());
        environment.put("SOJOURN_SOCKET", folder.resolve("sock").toString());
        environment.put("SOJOURN_TCP", "127.0.0.1:" + port);
        environment.put("SOJOURN_HTTP", "127.0.0.1:" + http);
        var server = new Server(folder.resolve("log"), environment, List.of(daemon.toString(), "serve"));
        return new Sidecar(server, folder, port, http);
    }

    public Path socket() {
        return folder.resolve("sock");
    }

    public Duration readyAfter() {
        return readyAfter;
    }

    public Server server() {
        return server;
    }

    public Jedis client() {
        return Store.connect(port);
    }

    @Override
    public void close() {
        server.close();
    }
}

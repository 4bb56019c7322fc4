package dev.sojourn.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;

/** A real store of its own, in memory only: {@code valkey-server} if there is one, else {@code redis-server}. */
public final class Store implements AutoCloseable {
    private final Server server;
    private final int port;

    private Store(Server server, int port) {
        this.server = server;
        this.port = port;
    }

    public static Store start(Path scratch) throws IOException, InterruptedException {
        int port = Server.freePort();
        String command = onPath("valkey-server") ? "valkey-server" : "redis-server";
        var server = new Server(
                scratch.resolve("store.log"),
                Map.of(),
                List.of(
                        command,
                        "--port",
                        String.valueOf(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no"));
        var store = new Store(server, port);
        server.awaitReady(() -> {
            try (var client = store.client()) {
                return "PONG".equals(client.ping());
            }
        });
        return store;
    }

    public Jedis client() {
        return connect(port);
    }

    /** A Redis client's view of a daemon or a store. */
    static Jedis connect(int port) {
        return new Jedis("127.0.0.1", port);
    }

    public int port() {
        return port;
    }

    public Server server() {
        return server;
    }

    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** Commands from outside so far; what scripts call inside is not counted. */
    public long commands() {
        try (var client = client()) {
            String info = client.info("commandstats");
            return calls(info, "cmdstat_evalsha:") + calls(info, "cmdstat_eval:");
        }
    }

    /** What the store counted by itself so far, asked for with one command. */
    public Traffic traffic() {
        try (var client = client()) {
            String info = client.info("stats");
            return new Traffic(
                    field(info, "total_commands_processed:"),
                    field(info, "total_net_input_bytes:"),
                    field(info, "total_net_output_bytes:"));
        }
    }

    /** @param commands with those that scripts call inside */
    public record Traffic(long commands, long bytesIn, long bytesOut) {
        public Traffic minus(Traffic earlier) {
            return new Traffic(commands - earlier.commands, bytesIn - earlier.bytesIn, bytesOut - earlier.bytesOut);
        }
    }

    /** Bytes that came in over the network so far. */
    public long bytesIn() {
        try (var client = client()) {
            return field(client.info("stats"), "total_net_input_bytes:");
        }
    }

    private static long calls(String info, String command) {
        return info.lines()
                .filter(line -> line.startsWith(command))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }

    private static long field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).trim()))
                .sum();
    }

    private static boolean onPath(String command) {
        return List.of(System.getenv("PATH").split(":", -1)).stream()
                .anyMatch(folder -> Path.of(folder, command).toFile().canExecute());
    }

    @Override
    public void close() {
        server.close();
    }
}

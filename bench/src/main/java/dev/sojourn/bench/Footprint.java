package dev.sojourn.bench;

import dev.sojourn.bench.server.Server;
import dev.sojourn.bench.server.Sidecar;
import dev.sojourn.bench.server.Store;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** What the sidecar weighs, and what the agent adds to a stock Tomcat's start: {@code make bench}. */
final class Footprint {
    private static final int RUNS = 7;

    private final Path top;
    private final Path scratch;
    private final Path daemon;

    Footprint(Path top, Path scratch, Path daemon) {
        this.top = top;
        this.scratch = scratch;
        this.daemon = daemon;
    }

    void print() throws IOException, InterruptedException {
        System.out.printf("%nThe sidecar%n");
        System.out.printf("  %-44s %8d KiB%n", "sojournd, static binary", Files.size(daemon) / 1024);
        Path agent = top.resolve("sidecar/agent/target/sojourn-agent.jar");
        System.out.printf("  %-44s %8d KiB%n", "agent's jar", Files.size(agent) / 1024);
        daemon();
        System.out.printf("%nA stock Tomcat's start, %d runs each in turn%n", RUNS);
        Starts starts = tomcatStarts(agent);
        long without = median(starts.without());
        long with = median(starts.with());
        System.out.printf("  %-44s %8d ms%n", "without the agent, median", without);
        System.out.printf("  %-44s %8d ms%n", "with agent and daemon, median", with);
        System.out.printf("  %-44s %8d ms%n", "added", with - without);
    }

    private void daemon() throws IOException, InterruptedException {
        List<Long> ready = new ArrayList<>();
        List<Long> resident = new ArrayList<>();
        try (var store = Store.start(scratch)) {
            for (int i = 0; i < RUNS; i++) {
                try (var sidecar = Sidecar.start(daemon, scratch, store)) {
                    ready.add(sidecar.readyAfter().toMillis());
                    try (var client = sidecar.client()) {
                        client.ping();
                    }
                    resident.add(sidecar.server().residentKib());
                }
            }
        }
        System.out.printf("  %-44s %8d ms%n", "ready after its start, median of " + RUNS, median(ready));
        System.out.printf("  %-44s %8d KiB%n", "resident when idle, median of " + RUNS, median(resident));
    }

    private Starts tomcatStarts(Path agent) throws IOException, InterruptedException {
        var starts = new Starts(new ArrayList<>(), new ArrayList<>());
        try (var tomcat = new TomcatHome(top, scratch);
                var store = Store.start(scratch);
                var sidecar = Sidecar.start(daemon, scratch, store)) {
            for (int i = 0; i <= RUNS; i++) {
                long without = start(tomcat, "").toMillis();
                long with = start(tomcat, "-javaagent:" + agent + "=socket=" + sidecar.socket())
                        .toMillis();
                if (i > 0) { // the first pair warms the file cache
                    starts.without().add(without);
                    starts.with().add(with);
                }
            }
        }
        return starts;
    }

    /** Milliseconds from a Tomcat's start to its application's first answer. */
    private record Starts(List<Long> without, List<Long> with) {}

    private Duration start(TomcatHome tomcat, String options) throws IOException, InterruptedException {
        URI health = URI.create("http://127.0.0.1:" + tomcat.port() + "/healthz");
        try (var server = new Server(
                scratch.resolve("tomcat.log"),
                Map.of("CATALINA_OPTS", options, "CATALINA_BASE", tomcat.path().toString()),
                List.of(tomcat.path().resolve("bin/catalina.sh").toString(), "run"))) {
            return server.awaitReady(() -> {
                var connection = (HttpURLConnection) health.toURL().openConnection();
                return connection.getResponseCode() == 200;
            });
        }
    }

    static long median(List<Long> values) {
        long[] sorted = values.stream().flatMapToLong(LongStream::of).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}

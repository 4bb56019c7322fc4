package dev.sojourn.bench;

import dev.sojourn.bench.peers.Node;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.report.Report;
import dev.sojourn.bench.scenario.Alternating;
import dev.sojourn.bench.scenario.AsyncDownloads;
import dev.sojourn.bench.scenario.Connectors;
import dev.sojourn.bench.scenario.S3Paper;
import dev.sojourn.bench.scenario.Scenario;
import dev.sojourn.bench.scenario.Settings;
import dev.sojourn.bench.scenario.Terracotta;
import dev.sojourn.bench.scenario.Wadi;
import dev.sojourn.bench.server.Server;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code make bench-peers}: Sojourn and the other ways of keeping sessions, side by side. */
public final class PeersBench {
    private PeersBench() {}

    /** @param arguments the path of {@code sojournd}; run it in the top folder of the source tree */
    public static void main(String[] arguments) throws Exception {
        // The plots are drawn where there is no screen.
        System.setProperty("java.awt.headless", "true");
        Settings settings = Settings.of(System.getenv());
        Places places =
                new Places(Path.of("").toAbsolutePath(), Path.of(arguments[0]).toAbsolutePath());
        Map<String, Scenario> scenarios = new LinkedHashMap<>();
        scenarios.put("terracotta", new Terracotta(settings, places));
        scenarios.put("wadi", new Wadi(settings, places));
        scenarios.put("s3paper", new S3Paper(settings, places));
        scenarios.put("alternating", new Alternating(settings, places));
        scenarios.put("async", new AsyncDownloads(settings, places));
        scenarios.put("connectors", new Connectors(settings, places));
        boolean right = true;
        for (Map.Entry<String, Scenario> chosen : chosen(settings, scenarios).entrySet()) {
            var report = new Report(places.results(), chosen.getKey(), conditions(settings), Server::isStopping);
            chosen.getValue().run(report);
            right &= report.isSojournRight();
        }
        if (!right) {
            System.err.println("Sojourn gave wrong answers, or none: see the column \"wrong\"");
            System.exit(1);
        }
    }

    /** All of them are looked up before the first one runs: that may take an hour. */
    private static Map<String, Scenario> chosen(Settings settings, Map<String, Scenario> scenarios) {
        if (settings.only().isEmpty() && settings.all()) {
            return scenarios;
        }
        Map<String, Scenario> chosen = new LinkedHashMap<>();
        for (String name : settings.only().isEmpty() ? List.of("terracotta", "s3paper") : settings.only()) {
            Scenario scenario = scenarios.get(name);
            if (scenario == null) {
                throw new IllegalArgumentException(
                        "ONLY=" + name + ": no such scenario, there are " + scenarios.keySet());
            }
            chosen.put(name, scenario);
        }
        return chosen;
    }

    private static Map<String, Object> conditions(Settings settings) {
        Map<String, Object> conditions = new LinkedHashMap<>();
        conditions.put("cores", Runtime.getRuntime().availableProcessors());
        conditions.put("java", Runtime.version().toString());
        conditions.put("jvm", Node.JVM);
        conditions.put("measuredSeconds", settings.pace().measured().toSeconds());
        conditions.put("repetitions", settings.pace().repetitions());
        return conditions;
    }
}

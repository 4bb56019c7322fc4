package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Load;
import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Script;
import dev.sojourn.bench.load.TlsLoad;
import dev.sojourn.bench.measure.CpuCost;
import dev.sojourn.bench.measure.Median;
import dev.sojourn.bench.measure.Profile;
import dev.sojourn.bench.measure.Stacks;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.peers.StaticFile;
import dev.sojourn.bench.report.Bars;
import dev.sojourn.bench.report.Report;
import dev.sojourn.bench.report.Table;
import dev.sojourn.bench.scenario.Stand.Subject;
import dev.sojourn.bench.server.Scratch;
import dev.sojourn.bench.server.Server;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * What the agent costs requests that use no session. Two Tomcats without it and one with it take turns: what the two without it differ by is what
 * the measurement cannot tell. Fresh JVMs each round, for no two are compiled alike. They differ by more than the agent costs, so the one with it
 * is also asked, sample by sample, whose code it is at.
 */
public final class Connectors implements Scenario {
    /** {@code connector} is its name in {@code connectors.xml}, or {@link Stand#ENVOY}. */
    private record Case(String connector, int connections, StaticFile file) {
        boolean tls() {
            return connector.endsWith("-tls");
        }

        boolean envoy() {
            return connector.equals(Stand.ENVOY);
        }

        /** What flame graphs are drawn from. */
        String fileName() {
            return title().replace(", ", "-").replace(' ', '-') + ".collapsed";
        }

        String title() {
            return connector + ", " + connections + " connections, " + file.size();
        }
    }

    /** As long as so many measured periods: a thousand samples are to tell tenths of a percent. */
    private static final int PROFILED = 10;

    /** What came of one case: the turns, and whose code it was. */
    private record Result(List<Turn> turns, List<String> samples) {
        Result() {
            this(new ArrayList<>(), new ArrayList<>());
        }
    }

    /** CPU µs per request: without the agent, without it again, with it. */
    private record Turn(double without, double control, double with) {}

    private final Settings settings;
    private final Places places;

    public Connectors(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    @Override
    public void run(Report report) throws Exception {
        Map<Case, Result> results = new LinkedHashMap<>();
        List<String> failures = new ArrayList<>();
        for (Stand.Kind kind : Stand.Kind.values()) {
            if (!kind.isHere() && !cases(kind).isEmpty()) {
                failures.add("- " + kind.connectors() + ": left out, for Tomcat's native library is not installed"
                        + " (Debian: libtcnative-1)");
            }
        }
        int rounds = settings.quick() ? 1 : 3;
        for (int round = 0; round < rounds; round++) {
            round(results, failures);
        }
        if (!failures.isEmpty()) {
            report.section("connectors: what failed", String.join("\n", failures) + "\n");
        }
        Table table = new Table(
                "connector, connections, file",
                "µs per request without",
                "with",
                "added, % (quartiles)",
                "control, % (quartiles)",
                "agent's code, % of samples");
        List<Object> figures = new ArrayList<>();
        Bars bars = new Bars(
                "requests without a session: whose code the Tomcat with the agent is at", "agent's, % of samples");
        for (Map.Entry<Case, Result> entry : results.entrySet()) {
            Case which = entry.getKey();
            Result result = entry.getValue();
            List<Turn> all = result.turns();
            if (all.isEmpty()) {
                continue;
            }
            Stacks stacks = new Stacks(result.samples());
            List<Double> added = percent(all, true);
            List<Double> control = percent(all, false);
            table.row(
                    which.title(),
                    "%.1f".formatted(Median.of(all.stream().map(Turn::without).toList())),
                    "%.1f".formatted(Median.of(all.stream().map(Turn::with).toList())),
                    spread(added),
                    spread(control),
                    "%.2f of %,d".formatted(stacks.agentPercent(), stacks.samples()));
            bars.bar(which.title(), "agent", stacks.agentPercent());
            Files.write(report.folder().resolve(which.fileName()), result.samples());
            figures.add(Map.of(
                    "case",
                    which.title(),
                    "turns",
                    all,
                    "addedPercent",
                    added,
                    "controlPercent",
                    control,
                    "agentPercentOfSamples",
                    stacks.agentPercent(),
                    "samples",
                    stacks.samples()));
        }
        report.section("connectors: what the agent adds to requests without a session", table.toString());
        report.add(figures);
        if (!bars.isEmpty()) {
            bars.write(report.folder(), "connectors");
        }
    }

    private static List<Double> percent(List<Turn> turns, boolean agent) {
        return turns.stream()
                .map(turn -> 100 * ((agent ? turn.with() : turn.control()) / turn.without() - 1))
                .sorted()
                .toList();
    }

    private static String spread(List<Double> sorted) {
        return "%+.1f (%+.1f to %+.1f)"
                .formatted(Median.of(sorted), sorted.get(sorted.size() / 4), sorted.get(3 * sorted.size() / 4));
    }

    private void round(Map<Case, Result> results, List<String> failures) throws Exception {
        for (Stand.Kind kind : Stand.Kind.values()) {
            List<Case> cases = cases(kind);
            if (cases.isEmpty() || !kind.isHere()) {
                continue;
            }
            try (var scratch = new Scratch();
                    var stand = Stand.start(kind, cases.stream().anyMatch(Case::envoy), places, scratch)) {
                var profile = new Profile(scratch.path());
                for (Case one : cases) {
                    try {
                        Result result = results.computeIfAbsent(one, any -> new Result());
                        result.turns().addAll(turns(stand, one));
                        result.samples().addAll(profile(profile, stand, one).lines());
                    } catch (IOException e) {
                        // One connector that does not work says nothing about the others.
                        failures.add("- " + one.title() + ": " + e.getMessage());
                    }
                }
            }
        }
    }

    private List<Turn> turns(Stand stand, Case one) throws Exception {
        List<Subject> all = stand.subjects();
        SSLContext tls = stand.tls();
        for (Subject subject : all) {
            cost(subject, one, tls, settings.pace().fleetWarmUp().dividedBy(3));
        }
        List<Turn> turns = new ArrayList<>();
        for (int repetition = 0; repetition < settings.pace().repetitions(); repetition++) {
            double[] cost = new double[all.size()];
            for (int i = 0; i < all.size(); i++) {
                int which = (i + repetition) % all.size();
                cost[which] = cost(all.get(which), one, tls, settings.pace().measured());
            }
            turns.add(new Turn(cost[0], cost[1], cost[2]));
        }
        return turns;
    }

    private Stacks profile(Profile profile, Stand stand, Case one) throws Exception {
        Subject subject = stand.subjects().get(2);
        SSLContext tls = stand.tls();
        Server server =
                subject.fleet().processes().getOrDefault("app", List.of()).get(0);
        Duration period = settings.pace().measured().multipliedBy(PROFILED);
        return profile.of(server, () -> cost(subject, one, tls, period));
    }

    private static double cost(Subject subject, Case one, SSLContext tls, Duration period) throws Exception {
        int port = subject.ports().getOrDefault(one.connector(), 0);
        var address = new InetSocketAddress("127.0.0.1", port);
        Script script = Script.plain("/app/" + one.file().fileName(), one.file().length());
        if (one.tls()) {
            try (var load = new TlsLoad(tls, address, one.connections(), script)) {
                return CpuCost.microsPerRequest(subject.fleet(), () -> load.run(period));
            }
        }
        try (var load = new Load(List.of(address), one.connections(), Routing.STICKY, script, 1)) {
            return CpuCost.microsPerRequest(subject.fleet(), () -> load.run(period));
        }
    }

    private List<Case> cases(Stand.Kind kind) {
        return cases().stream()
                .filter(one -> kind.connectors().contains(one.connector()))
                .toList();
    }

    private List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        boolean all = settings.all();
        List<String> connectors = Stream.of(Stand.Kind.values())
                .flatMap(kind -> kind.connectors().stream())
                .toList();
        for (String connector : connectors) {
            for (int connections : all ? new int[] {4, 40, 80} : new int[] {40}) {
                for (StaticFile file : StaticFile.values()) {
                    cases.add(new Case(connector, connections, file));
                }
            }
        }
        for (String cell : settings.cells()) {
            if (!connectors.contains(cell)) {
                throw new IllegalArgumentException("CELLS=" + cell + ": no such connector, there are " + connectors);
            }
        }
        if (!settings.cells().isEmpty()) {
            return cases.stream()
                    .filter(one -> settings.cells().contains(one.connector()))
                    .toList();
        }
        return settings.quick() && !all ? cases.subList(0, 1) : cases;
    }
}

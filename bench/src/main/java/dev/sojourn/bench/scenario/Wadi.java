package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.report.CellReport;
import dev.sojourn.bench.report.Plot;
import dev.sojourn.bench.report.Report;
import dev.sojourn.bench.report.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A small session and one user: with every request on another node, and sticky, by the number of nodes, as WADI was measured. */
public final class Wadi implements Scenario {
    private static final int SESSION = 1024;
    private static final int CHANGED = 32;

    private final Settings settings;
    private final Places places;

    public Wadi(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    @Override
    public void run(Report report) throws Exception {
        List<Integer> counts =
                settings.quick() ? List.of(1, 2) : settings.all() ? List.of(1, 2, 3, 4, 5, 6, 8) : List.of(2, 4, 8);
        List<Figures> figures = new ArrayList<>();
        for (int nodes : counts) {
            Cell migrating = new Cell("wadi", nodes, Routing.ROUND_ROBIN, 1, SESSION, CHANGED);
            figures.addAll(new Cells(settings, places, report)
                    .measure(
                            settings.variants(),
                            migrating.users(16),
                            List.of(migrating, migrating.with(Routing.STICKY)),
                            Map.of()));
        }
        for (Routing routing : List.of(Routing.ROUND_ROBIN, Routing.STICKY)) {
            summary(routing, counts, figures, report);
        }
    }

    private void summary(Routing routing, List<Integer> counts, List<Figures> figures, Report report)
            throws IOException {
        List<String> head = new ArrayList<>(List.of("variant"));
        counts.forEach(nodes -> head.add("p50 ms, " + nodes));
        counts.forEach(nodes -> head.add("CPU µs, " + nodes));
        counts.forEach(nodes -> head.add("commands, " + nodes));
        Table table = new Table(head.toArray(new String[0]));
        Plot plot = new Plot("1 user, session 1 KiB, " + routing, "nodes", "median ms per request");
        for (Variant variant : settings.variants()) {
            List<String> row = new ArrayList<>();
            boolean right = true;
            for (String name : List.of("p50Millis", "cpu", "storeCommands")) {
                for (int nodes : counts) {
                    Figures cell = find(figures, variant, nodes, routing);
                    right &= cell != null && cell.count(Verdict.RIGHT) > 0 && cell.right();
                    row.add(cell == null ? "failed" : figure(cell, name));
                    if (cell != null && name.equals("p50Millis")) {
                        plot.point(variant.label(), nodes, cell.value(name));
                    }
                }
            }
            row.add(0, variant.label() + (right ? "" : " (**wrong answers**)"));
            table.row(row.toArray(new String[0]));
        }
        report.section("wadi: " + routing + ", by the number of nodes", table.toString());
        if (!plot.isEmpty()) {
            plot.write(report.folder(), "wadi-" + routing.toString().replace(' ', '-'));
        }
    }

    private static String figure(Figures cell, String name) {
        return name.equals("cpu")
                ? CellReport.number(1e6 / cell.value("requestsPerCpuSecond"))
                : CellReport.decimals(cell.value(name));
    }

    private static @Nullable Figures find(List<Figures> figures, Variant variant, int nodes, Routing routing) {
        return figures.stream()
                .filter(one -> one.variant() == variant
                        && one.cell().nodes() == nodes
                        && one.cell().routing() == routing)
                .findFirst()
                .orElse(null);
    }
}

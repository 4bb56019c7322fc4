package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Routing;
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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A small session and one user, by the number of nodes, as WADI was measured. */
public final class Wadi implements Scenario {
    private static final int SESSION = 1024;
    private static final int CHANGED = 32;

    /** Its three tables. */
    private enum Row {
        MIGRATION("migration", Routing.ROUND_ROBIN, Cell.Kind.READ),
        MIGRATION_AND_REPLICATION("migration and replication", Routing.ROUND_ROBIN, Cell.Kind.CLICK),
        REPLICATION("replication with stickiness", Routing.STICKY, Cell.Kind.CLICK);

        final String title;
        final Routing routing;
        final Cell.Kind kind;

        Row(String title, Routing routing, Cell.Kind kind) {
            this.title = title;
            this.routing = routing;
            this.kind = kind;
        }

        Cell cell(int nodes) {
            return new Cell("wadi", nodes, routing, 1, SESSION, CHANGED).with(kind);
        }
    }

    private final Settings settings;
    private final Places places;

    public Wadi(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    @Override
    public void run(Report report) throws Exception {
        List<Integer> counts = counts();
        List<Cell> warmUps = counts.stream()
                .flatMap(nodes -> Stream.of(Row.MIGRATION_AND_REPLICATION, Row.MIGRATION)
                        .map(row -> row.cell(nodes).users(16)))
                .toList();
        // One number of nodes after the other: the machine's speed goes up and down meanwhile, for all of them.
        List<List<Cell>> rows = Arrays.stream(Row.values())
                .map(row -> counts.stream().map(row::cell).toList())
                .toList();
        List<Figures> figures =
                new Cells(settings, places, report).measure(settings.variants(), warmUps, rows, Map.of());
        for (Row row : Row.values()) {
            summary(row, counts, figures, report);
        }
    }

    private List<Integer> counts() {
        if (!settings.cells().isEmpty()) {
            return settings.cells().stream().map(Wadi::nodes).toList();
        }
        return settings.quick() ? List.of(1, 2) : settings.all() ? List.of(1, 2, 3, 4, 5, 6, 7, 8) : List.of(2, 4, 8);
    }

    private static int nodes(String cell) {
        if (!cell.matches("[1-9][0-9]?")) {
            throw new IllegalArgumentException("CELLS=" + cell + " is no number of nodes");
        }
        return Integer.parseInt(cell);
    }

    private void summary(Row row, List<Integer> counts, List<Figures> figures, Report report) throws IOException {
        List<String> head = new ArrayList<>(List.of("variant"));
        counts.forEach(nodes -> head.add("p50 ms, " + nodes));
        counts.forEach(nodes -> head.add("CPU µs, " + nodes));
        counts.forEach(nodes -> head.add("commands, " + nodes));
        counts.forEach(nodes -> head.add("B, " + nodes));
        Table table = new Table(head.toArray(new String[0]));
        Plot plot = new Plot("1 user, session 1 KiB, " + row.title, "nodes", "median ms per request");
        for (Variant variant : settings.variants()) {
            List<String> line = new ArrayList<>();
            boolean right = true;
            for (String name : List.of("p50Millis", "cpu", "storeCommands", "bytes")) {
                for (int nodes : counts) {
                    Figures cell = find(figures, variant, row.cell(nodes));
                    right &= cell != null && cell.right();
                    line.add(cell == null || cell.values().isEmpty() ? "failed" : figure(cell, name));
                    if (cell != null && name.equals("p50Millis")) {
                        plot.point(variant.label(), nodes, cell.value(name));
                    }
                }
            }
            line.add(0, variant.label() + (right ? "" : " (**wrong answers**)"));
            table.row(line.toArray(new String[0]));
        }
        report.section("wadi: " + row.title + ", by the number of nodes", table + CellReport.apart(figures));
        if (!plot.isEmpty()) {
            plot.write(report.folder(), "wadi-" + row.title.replace(' ', '-'));
        }
    }

    private static String figure(Figures cell, String name) {
        return switch (name) {
            case "cpu" -> CellReport.number(1e6 / cell.value("requestsPerCpuSecond"));
            case "bytes" ->
                CellReport.number(cell.value(cell.variant().cluster() ? "bytesBetweenNodes" : "storeBytesIn"));
            default -> CellReport.decimals(cell.value(name));
        };
    }

    private static @Nullable Figures find(List<Figures> figures, Variant variant, Cell cell) {
        return figures.stream()
                .filter(one -> one.variant() == variant && one.cell().equals(cell))
                .findFirst()
                .orElse(null);
    }
}

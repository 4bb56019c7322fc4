package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.report.Plot;
import dev.sojourn.bench.report.Report;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Session size by bytes changed, as the Terracotta Sessions benchmark had it: what a delta is worth. */
public final class Terracotta implements Scenario {
    private static final Pattern CELL =
            Pattern.compile("(?<size>\\d{1,6})x(?<change>\\d{1,6})(?<sticky>s)?(@(?<nodes>[1-9]))?");
    private static final int KIB = 1024;

    private final Settings settings;
    private final Places places;

    public Terracotta(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    @Override
    public void run(Report report) throws Exception {
        List<Figures> figures = new ArrayList<>();
        List<Cell> cells = cells();
        for (int nodes : cells.stream().map(Cell::nodes).distinct().toList()) {
            figures.addAll(new Cells(settings, places, report)
                    .measure(
                            settings.variants(),
                            List.of(cell(nodes, Routing.RANDOM, 20 * KIB, 32)),
                            cells.stream()
                                    .filter(cell -> cell.nodes() == nodes)
                                    .map(List::of)
                                    .toList(),
                            Map.of()));
        }
        plot(figures, report);
    }

    private static void plot(List<Figures> figures, Report report) throws IOException {
        var plot = new Plot("2 nodes, random node, 32 B changed", "session, KiB", "requests per CPU-second");
        for (Figures one : figures) {
            Cell cell = one.cell();
            if (cell.nodes() == 2 && cell.routing() == Routing.RANDOM && cell.changedBytes() == 32) {
                plot.point(one.variant().label(), cell.sessionBytes() / 1024.0, one.value("requestsPerCpuSecond"));
            }
        }
        if (!plot.isEmpty()) {
            plot.write(report.folder(), "terracotta");
        }
    }

    private List<Cell> cells() {
        if (!settings.cells().isEmpty()) {
            return settings.cells().stream().map(this::parse).toList();
        }
        if (settings.quick()) {
            return List.of(cell(2, Routing.RANDOM, 20 * KIB, 32));
        }
        if (!settings.all()) {
            return List.of(
                    cell(2, Routing.RANDOM, 4 * KIB, 32),
                    cell(2, Routing.RANDOM, 20 * KIB, 32),
                    cell(2, Routing.RANDOM, 20 * KIB, 2048),
                    cell(2, Routing.RANDOM, 100 * KIB, 32));
        }
        List<Cell> cells = new ArrayList<>();
        for (int size : new int[] {4, 7, 10, 20, 100}) {
            for (int change : new int[] {32, 512, 2048}) {
                cells.add(cell(2, Routing.RANDOM, size * KIB, change));
            }
        }
        cells.add(cell(2, Routing.RANDOM, KIB * KIB, KIB));
        for (int size : new int[] {4, 20, 100}) {
            cells.add(cell(2, Routing.STICKY, size * KIB, 32));
        }
        cells.add(cell(5, Routing.RANDOM, 4 * KIB, 32));
        cells.add(cell(5, Routing.RANDOM, 20 * KIB, 32));
        return cells;
    }

    /** {@code 20x32} is 20 KiB with 32 bytes changed; {@code 20x32@5} on five nodes, {@code 20x32s} sticky. */
    private Cell parse(String text) {
        Matcher parts = CELL.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "CELLS=" + text + ": a cell is KiB x bytes changed, as 20x32, 20x32s or 20x32@5");
        }
        return cell(
                parts.group("nodes") == null ? 2 : Integer.parseInt(parts.group("nodes")),
                parts.group("sticky") == null ? Routing.RANDOM : Routing.STICKY,
                Integer.parseInt(parts.group("size")) * KIB,
                Integer.parseInt(parts.group("change")));
    }

    /** Fewer users with large sessions: the peers that hold all of them in each JVM would end for want of heap. */
    private Cell cell(int nodes, Routing routing, int size, int change) {
        int users = size >= KIB * KIB ? Math.min(16, settings.users()) : settings.users();
        return new Cell("terracotta", nodes, routing, users, size, change);
    }
}

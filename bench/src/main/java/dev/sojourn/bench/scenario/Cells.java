package dev.sojourn.bench.scenario;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.measure.Meter;
import dev.sojourn.bench.peers.Fleet;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.report.CellReport;
import dev.sojourn.bench.report.Report;
import dev.sojourn.bench.report.Table;
import dev.sojourn.bench.server.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cells, measured and reported: the variants side by side as far as the memory allows. */
final class Cells {
    private static final long TOMCAT_KIB = 700 * 1024;

    private final Settings settings;
    private final Places places;
    private final Report report;

    Cells(Settings settings, Places places, Report report) {
        this.settings = settings;
        this.places = places;
        this.report = report;
    }

    /**
     * @param warmUps of each number of nodes that there is
     * @param rows cells that differ in the number of nodes alone are measured in turn
     * @param properties system properties of the Tomcats that are not the default
     */
    List<Figures> measure(
            List<Variant> variants, List<Cell> warmUps, List<List<Cell>> rows, Map<String, String> properties)
            throws Exception {
        Map<Integer, List<Cell>> byNodes =
                warmUps.stream().collect(groupingBy(Cell::nodes, LinkedHashMap::new, toList()));
        int nodes = byNodes.keySet().stream().mapToInt(Integer::intValue).sum();
        int batch = Math.max(1, tomcats() / nodes);
        Map<Cell, List<Figures>> byCell = new LinkedHashMap<>();
        for (int from = 0; from < variants.size(); from += batch) {
            List<Variant> together = variants.subList(from, Math.min(variants.size(), from + batch));
            boolean last = from + batch >= variants.size();
            Meter meter = new Meter(settings.pace());
            try (var scratch = new Scratch();
                    var fleets = new Fleets(places, scratch, meter)) {
                List<Fleet> running = fleets.start(together, byNodes, properties);
                reportWarmUps(fleets.wrongWarmUps());
                for (List<Cell> row : rows) {
                    List<Figures> all = new ArrayList<>(meter.measure(row, running));
                    row.forEach(cell -> all.addAll(fleets.failed(cell)));
                    for (Figures figures : all) {
                        byCell.computeIfAbsent(figures.cell(), any -> new ArrayList<>())
                                .add(figures.together(together));
                    }
                    if (last) {
                        for (Cell cell : row) {
                            List<Figures> figures = byCell.getOrDefault(cell, List.of());
                            report.section(cell.title(), CellReport.of(figures));
                            report.add(figures);
                        }
                    }
                }
            }
        }
        return byCell.values().stream().flatMap(List::stream).toList();
    }

    private void reportWarmUps(List<Figures> wrong) throws IOException {
        if (wrong.isEmpty()) {
            return;
        }
        Table table = new Table("variant, cell", "wrong");
        for (Figures one : wrong) {
            table.row(one.variant().label() + ", " + one.cell().title(), CellReport.wrong(one));
        }
        report.section("Wrong answers before anything was measured", table.toString());
        report.add(wrong);
    }

    /** With full heaps they take half of what is free now: the other half is for others, and for what the store holds. */
    private static int tomcats() throws IOException {
        long available = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
        return (int) (available / 2 / TOMCAT_KIB);
    }
}

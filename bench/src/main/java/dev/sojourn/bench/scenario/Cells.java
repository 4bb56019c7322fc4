package dev.sojourn.bench.scenario;

import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.measure.Meter;
import dev.sojourn.bench.peers.Fleet;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.report.CellReport;
import dev.sojourn.bench.report.Report;
import dev.sojourn.bench.server.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Cells of one number of nodes, measured and reported: the variants side by side as far as the memory allows. */
final class Cells {
    /** About 250 MiB each. */
    private static final int TOMCATS = 24;

    private final Settings settings;
    private final Places places;
    private final Report report;

    Cells(Settings settings, Places places, Report report) {
        this.settings = settings;
        this.places = places;
        this.report = report;
    }

    /** @param properties system properties of the Tomcats that are not the default */
    List<Figures> measure(List<Variant> variants, Cell warmUp, List<Cell> cells, Map<String, String> properties)
            throws Exception {
        int batch = Math.max(1, TOMCATS / warmUp.nodes());
        List<List<Figures>> byCell = new ArrayList<>();
        cells.forEach(cell -> byCell.add(new ArrayList<>()));
        for (int from = 0; from < variants.size(); from += batch) {
            List<Variant> together = variants.subList(from, Math.min(variants.size(), from + batch));
            boolean last = from + batch >= variants.size();
            Meter meter = new Meter(settings.pace());
            try (var scratch = new Scratch();
                    var fleets = new Fleets(places, scratch, meter)) {
                List<Fleet> running = fleets.start(together, warmUp, properties);
                if (!fleets.failures().isEmpty()) {
                    report.section("Did not start", String.join("\n", fleets.failures()) + "\n");
                }
                for (int i = 0; i < cells.size(); i++) {
                    List<Figures> figures = byCell.get(i);
                    figures.addAll(meter.measure(cells.get(i), running));
                    if (last) {
                        report.section(cells.get(i).title(), CellReport.of(figures));
                        report.add(figures);
                    }
                }
            }
        }
        return byCell.stream().flatMap(List::stream).toList();
    }
}

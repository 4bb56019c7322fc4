package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.report.Bars;
import dev.sojourn.bench.report.Report;
import java.util.List;
import java.util.Map;

/**
 * 100 slow downloads at once where the container has 10 threads, each in a session that changes when the download begins and when it ends, half a
 * second later.
 */
public final class AsyncDownloads implements Scenario {
    private final Settings settings;
    private final Places places;

    public AsyncDownloads(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    @Override
    public void run(Report report) throws Exception {
        Cell cell = new Cell(
                "async", 2, Routing.RANDOM, 100, 4 * 1024, 32, settings.quick() ? 100 : 1_000, Cell.Kind.DOWNLOAD);
        List<Figures> figures = new Cells(settings, places, report)
                .measure(
                        settings.variants(),
                        List.of(cell),
                        List.of(List.of(cell), List.of(cell.with(Routing.STICKY))),
                        Map.of("http.threads", "10"));
        Bars bars = new Bars("100 downloads at a time on 10 threads, 2 nodes", "requests per CPU-second");
        for (Figures one : figures) {
            bars.bar(
                    one.variant().label(),
                    one.cell().routing() + (one.right() ? "" : ", some answers wrong"),
                    one.value("requestsPerCpuSecond"));
        }
        if (!bars.isEmpty()) {
            bars.write(report.folder(), "async");
        }
    }
}

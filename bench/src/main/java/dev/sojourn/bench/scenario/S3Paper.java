package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.report.Bars;
import dev.sojourn.bench.report.CellReport;
import dev.sojourn.bench.report.Report;
import dev.sojourn.bench.report.Table;
import java.util.List;
import java.util.Map;

/** Begin a session, click 1,000 times, two nodes in turn: as "Tomcat sessions in S3" was measured. */
public final class S3Paper implements Scenario {
    private static final int CLICKS = 1_000;

    private final Settings settings;
    private final Places places;

    public S3Paper(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    @Override
    public void run(Report report) throws Exception {
        Cell cell = new Cell(
                "s3paper", 2, Routing.ROUND_ROBIN, 1, 1024, 32, settings.quick() ? 100 : CLICKS, Cell.Kind.CLICK);
        List<Figures> figures = new Cells(settings, places, report)
                .measure(settings.variants(), List.of(cell.users(16)), List.of(List.of(cell)), Map.of());
        Table table = new Table("variant", "ms per click", "clicks per minute", "wrong");
        Bars bars = new Bars("1 user, two nodes in turn, session 1 KiB", "ms per click");
        for (Figures one : figures) {
            bars.bar(one.variant().label(), "ms per click", one.value("meanMillis"));
            long all =
                    one.verdicts().values().stream().mapToLong(Long::longValue).sum();
            table.row(
                    one.variant().label(),
                    CellReport.decimals(one.value("meanMillis")),
                    CellReport.number(60 * one.value("requestsPerSecond")),
                    one.values().isEmpty() ? "failed" : (all - one.count(Verdict.RIGHT)) + " of " + all);
        }
        report.section(
                "s3paper: " + cell.clicks() + " clicks, two nodes in turn, one user",
                table + CellReport.apart(figures));
        if (!bars.isEmpty()) {
            bars.write(report.folder(), "s3paper");
        }
    }
}

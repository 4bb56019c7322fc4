package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.report.CellReport;
import dev.sojourn.bench.report.Report;
import dev.sojourn.bench.report.Table;
import java.util.List;
import java.util.Map;

/**
 * A million clicks, each on another of three nodes than the one before, as soon as that shows the first line of its answer: with a length, in chunks, as a
 * stream that goes on, or as a redirect. Whoever answers before the next node can know is found out.
 */
public final class Alternating implements Scenario {
    private static final long CLICKS = 1_000_000;
    private static final int USERS = 64;

    private final Settings settings;
    private final Places places;

    public Alternating(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    @Override
    public void run(Report report) throws Exception {
        long clicks = settings.quick() ? 4_000 : CLICKS / settings.pace().repetitions() + 1;
        Cell cell = new Cell("alternating", 3, Routing.ROUND_ROBIN, USERS, 4 * 1024, 32, clicks, Cell.Kind.MIXED);
        List<Figures> figures = new Cells(settings, places, report)
                .measure(settings.variants(), List.of(cell), List.of(List.of(cell)), Map.of());
        Table table = new Table("variant", "answers", "stale", "lost", "corrupt", "failed");
        for (Figures one : figures) {
            table.row(
                    one.variant().label(),
                    one.values().isEmpty()
                            ? "failed"
                            : CellReport.number(one.verdicts().values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum()),
                    CellReport.number(one.count(Verdict.STALE)),
                    CellReport.number(one.count(Verdict.LOST)),
                    CellReport.number(one.count(Verdict.CORRUPT)),
                    CellReport.number(one.count(Verdict.FAILED)));
        }
        report.section(
                "alternating: the next click on another node at the first line of the answer",
                table + CellReport.apart(figures));
    }
}

package dev.sojourn.bench.report;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Variant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CellReportTest {
    private static final List<Variant> ALL = List.of(Variant.SPRING_SESSION, Variant.DELTA_SYNC, Variant.LOCAL);

    private static Figures of(Variant variant, List<Variant> together) {
        return Figures.failed(new Cell("cell", 2, Routing.RANDOM, 1, 1024, 32), variant, "it was not asked")
                .together(together);
    }

    @Test
    void saysWhichVariantsWereNotMeasuredSideBySide() {
        List<Variant> first = ALL.subList(0, 2);
        List<Variant> second = ALL.subList(2, 3);
        String text = CellReport.of(
                List.of(of(Variant.SPRING_SESSION, first), of(Variant.DELTA_SYNC, first), of(Variant.LOCAL, second)));
        assertTrue(text.contains("apart, one group after the other: Spring Session; DeltaManager sync | local"), text);
    }

    @Test
    void saysNothingOfVariantsThatAllWere() {
        String text = CellReport.of(ALL.stream().map(one -> of(one, ALL)).toList());
        assertFalse(text.contains("apart"), text);
    }
}

package dev.sojourn.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.bench.load.Outcome;
import dev.sojourn.bench.load.Outcomes;
import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.server.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static final Cell CELL = new Cell("figures", 2, Routing.RANDOM, 1, 1024, 32);

    private static Figures of(Outcome measured, Outcome... beside) {
        var used = new Usage(Map.of("app", 10L), 0, new Store.Traffic(0, 0, 0), -1);
        List<Outcome> judged = new ArrayList<>(List.of(beside));
        judged.add(measured);
        return Figures.of(
                CELL, Variant.SOJOURN_SYNC, List.of(new Measurement(measured, judged, used, Map.of(), Double.NaN)));
    }

    @Test
    void aSessionThatIsLostBeforeAnythingIsMeasuredIsWrong() {
        Outcome measured = Outcomes.of(Verdict.RIGHT, Verdict.RIGHT);
        assertTrue(of(measured, Outcomes.of(Verdict.RIGHT)).right());
        Figures figures = of(measured, Outcomes.of(Verdict.LOST));
        assertFalse(figures.right());
        assertEquals(1, figures.count(Verdict.LOST));
        assertEquals(of(measured).values(), figures.values());
    }

    @Test
    void aWrongWarmUpIsWrong() {
        assertTrue(Figures.unmeasured(CELL, Variant.LOCAL, List.of(Outcomes.of(Verdict.RIGHT)))
                .right());
        assertFalse(Figures.unmeasured(CELL, Variant.LOCAL, List.of(Outcomes.of(Verdict.RIGHT, Verdict.STALE)))
                .right());
    }
}

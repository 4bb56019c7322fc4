package dev.sojourn.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellsTest {
    @TempDir
    private Path top;

    @Test
    void whatDoesNotStartHasFailed() throws Exception {
        Files.createDirectories(top.resolve("sidecar/agent/target"));
        Files.createFile(top.resolve("sidecar/agent/target/sojourn-agent.jar"));
        Files.createDirectories(top.resolve("bench/target/peers/tomcat"));
        var report = new Report(top, "cells", Map.of(), () -> false);
        var cell = new Cell("cells", 1, Routing.STICKY, 1, 1024, 32);

        List<Figures> figures = new Cells(
                        Settings.of(Map.of("QUICK", "1")), new Places(top, Path.of("/bin/false")), report)
                .measure(List.of(Variant.SOJOURN_SYNC), List.of(cell), List.of(List.of(cell)), Map.of());

        assertEquals(List.of(cell), figures.stream().map(Figures::cell).toList());
        assertFalse(report.isSojournRight());
        assertTrue(Files.readString(top.resolve("cells.md")).contains("did not start"));
    }
}

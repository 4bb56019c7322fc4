package dev.sojourn.bench.scenario;

import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.measure.Meter;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.report.CellReport;
import dev.sojourn.bench.server.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Session size by bytes changed, as the Terracotta Sessions benchmark had it: what a delta is worth. */
public final class Terracotta {
    private static final int KIB = 1024;

    private final Settings settings;
    private final Places places;

    public Terracotta(Settings settings, Places places) {
        this.settings = settings;
        this.places = places;
    }

    public List<Figures> run() throws Exception {
        List<Figures> figures = new ArrayList<>();
        List<Cell> cells = cells();
        for (int nodes : cells.stream().map(Cell::nodes).distinct().toList()) {
            figures.addAll(
                    run(cells.stream().filter(cell -> cell.nodes() == nodes).toList(), nodes));
        }
        return figures;
    }

    private List<Figures> run(List<Cell> cells, int nodes) throws Exception {
        List<Figures> figures = new ArrayList<>();
        Meter meter = new Meter(settings.pace());
        try (var scratch = new Scratch();
                var fleets = new Fleets(places, scratch, meter)) {
            var running = fleets.start(settings.variants(), cell(nodes, Routing.RANDOM, 20 * KIB, 32));
            fleets.failures().forEach(System.out::println);
            for (Cell cell : cells) {
                List<Figures> measured = meter.measure(cell, running);
                System.out.printf("%n### %s%n%n%s", cell.title(), CellReport.of(measured));
                figures.addAll(measured);
            }
        }
        return figures;
    }

    private List<Cell> cells() {
        if (settings.quick()) {
            return List.of(cell(2, Routing.RANDOM, 20 * KIB, 32));
        }
        if (!settings.cells().isEmpty()) {
            return settings.cells().stream().map(this::parse).toList();
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
        cells.addAll(IntStream.of(4, 20, 100)
                .mapToObj(size -> cell(2, Routing.STICKY, size * KIB, 32))
                .collect(Collectors.toList()));
        cells.add(cell(5, Routing.RANDOM, 4 * KIB, 32));
        cells.add(cell(5, Routing.RANDOM, 20 * KIB, 32));
        return cells;
    }

    /** {@code 20x32} is 20 KiB with 32 bytes changed; {@code 20x32@5} on five nodes, {@code 20x32s} sticky. */
    private Cell parse(String text) {
        String[] parts = text.replace("s", "").split("[x@]", -1);
        return cell(
                parts.length > 2 ? Integer.parseInt(parts[2]) : 2,
                text.contains("s") ? Routing.STICKY : Routing.RANDOM,
                Integer.parseInt(parts[0]) * KIB,
                Integer.parseInt(parts[1]));
    }

    /** Fewer users with large sessions: the peers that hold all of them in each JVM would end for want of heap. */
    private Cell cell(int nodes, Routing routing, int size, int change) {
        return new Cell(
                "terracotta",
                nodes,
                routing,
                size >= KIB * KIB ? Math.min(16, settings.users()) : settings.users(),
                size,
                change);
    }
}

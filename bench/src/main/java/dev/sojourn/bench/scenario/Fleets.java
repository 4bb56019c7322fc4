package dev.sojourn.bench.scenario;

import dev.sojourn.bench.measure.Cell;
import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.measure.Meter;
import dev.sojourn.bench.peers.Fleet;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.server.Scratch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The fleets of several variants, up side by side and warm. One that does not start has failed in each of its cells. */
final class Fleets implements AutoCloseable {
    private final Places places;
    private final Scratch scratch;
    private final Meter meter;
    private final List<Fleet> running = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final List<Figures> warmUps = new ArrayList<>();

    Fleets(Places places, Scratch scratch, Meter meter) {
        this.places = places;
        this.scratch = scratch;
        this.meter = meter;
    }

    private record Failure(Variant variant, int nodes, String why) {}

    /**
     * @param cells to warm up with, by their numbers of nodes: each variant has a fleet of each number
     * @param properties system properties of the Tomcats that are not the default
     */
    List<Fleet> start(List<Variant> variants, Map<Integer, List<Cell>> cells, Map<String, String> properties)
            throws InterruptedException {
        List<Fleet> warm = new ArrayList<>();
        for (Variant variant : variants) {
            for (int nodes : cells.keySet()) {
                try {
                    Fleet fleet = Fleet.start(variant, nodes, places, scratch, properties);
                    running.add(fleet);
                    for (Cell warmUp : cells.getOrDefault(nodes, List.of())) {
                        warmUps.add(meter.warmUp(fleet, warmUp));
                    }
                    warm.add(fleet);
                } catch (IOException | RuntimeException e) {
                    failures.add(new Failure(variant, nodes, String.valueOf(e.getMessage())));
                }
            }
        }
        return warm;
    }

    /** Those in which not every answer was right. */
    List<Figures> wrongWarmUps() {
        return warmUps.stream().filter(figures -> !figures.right()).toList();
    }

    /** What there is to report of this cell and those that have not started. */
    List<Figures> failed(Cell cell) {
        return failures.stream()
                .filter(failure -> failure.nodes == cell.nodes())
                .map(failure -> Figures.failed(cell, failure.variant, "did not start: " + failure.why))
                .toList();
    }

    @Override
    public void close() {
        running.forEach(Fleet::close);
    }
}

package dev.sojourn.bench.measure;

import dev.sojourn.bench.load.Load;
import dev.sojourn.bench.load.Outcome;
import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.peers.Fleet;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.server.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures cells with fleets that run side by side: repetition by repetition, each variant in turn. */
public final class Meter {
    private static final long WATCHED = 1_000;
    /** Without a request, to see what is sent by the clock. */
    private static final Duration UNASKED = Duration.ofSeconds(2);
    /** More would only keep the JIT from the cores. */
    private static final int WARMING_USERS = 8;
    /** Of all the CPU in a window: below it a fleet is warm. */
    private static final double WARM_PERCENT = 3;
    /** After so many times its usual warm-up a fleet is measured as it is: the table says what the JIT still took. */
    private static final int LONGEST = 6;

    private final Pace pace;

    public Meter(Pace pace) {
        this.pace = pace;
    }

    /**
     * What the JIT compiles, it shall have compiled before anything counts: requests until it has nothing more to do, of a few users first, then of
     * all; for each of many nodes as long as for each of two.
     *
     * @return what was wrong of it, if anything: it is of no cell that is measured
     */
    public Figures warmUp(Fleet fleet, Cell cell) throws IOException {
        Routing routing = fleet.variant().shares() ? cell.routing() : Routing.STICKY;
        Duration warmUp =
                pace.fleetWarmUp().multipliedBy(Math.max(2, cell.nodes())).dividedBy(2);
        List<Outcome> judged = new ArrayList<>();
        for (int users : new int[] {Math.min(WARMING_USERS, cell.users()), cell.users()}) {
            try (var load = new Load(fleet.addresses(), users, routing, cell.script(), 1)) {
                long end = System.nanoTime() + LONGEST * warmUp.toNanos();
                load.run(warmUp);
                while (jitPercent(fleet, load) > WARM_PERCENT && System.nanoTime() < end) {
                    // The next window tells.
                }
                load.end();
                judged.addAll(load.outcomes());
            }
        }
        return Figures.unmeasured(cell, fleet.variant(), judged);
    }

    private double jitPercent(Fleet fleet, Load load) throws IOException {
        Usage before = Usage.of(fleet);
        load.run(pace.measured());
        Usage used = Usage.of(fleet).minus(before);
        return 100.0 * used.jitMillis() / Math.max(1, used.cpuSum());
    }

    /**
     * Cells that differ in the number of nodes alone, each with the fleets of that number.
     *
     * @return in the cells' order, then in the fleets'; a variant that failed says why
     */
    public List<Figures> measure(List<Cell> cells, List<Fleet> fleets) throws InterruptedException {
        List<Turn> turns = cells.stream()
                .flatMap(cell -> fleets.stream()
                        .filter(fleet -> fleet.size() == cell.nodes())
                        .map(fleet -> new Turn(cell, fleet)))
                .toList();
        Map<Turn, List<Measurement>> runs = new HashMap<>();
        Map<Turn, String> failures = new HashMap<>();
        for (int repetition = 0; repetition < pace.repetitions(); repetition++) {
            for (int i = 0; i < turns.size(); i++) {
                // Another one begins each time: none has always the same neighbour.
                Turn turn = turns.get((i + repetition) % turns.size());
                if (failures.containsKey(turn)) {
                    continue;
                }
                try {
                    runs.computeIfAbsent(turn, any -> new ArrayList<>()).add(run(turn.cell, turn.fleet, repetition));
                } catch (IOException | RuntimeException e) {
                    failures.put(turn, String.valueOf(e.getMessage()));
                }
            }
        }
        List<Figures> figures = new ArrayList<>();
        for (Turn turn : turns) {
            String failure = failures.get(turn);
            Variant variant = turn.fleet.variant();
            figures.add(
                    failure != null
                            ? Figures.failed(turn.cell, variant, failure)
                            : Figures.of(turn.cell, variant, runs.getOrDefault(turn, List.of())));
        }
        return figures;
    }

    private record Turn(Cell cell, Fleet fleet) {}

    private Measurement run(Cell cell, Fleet fleet, int repetition) throws IOException, InterruptedException {
        Cell own = fleet.variant().shares() ? cell : cell.with(Routing.STICKY);
        try (var load = new Load(fleet.addresses(), cell.users(), own.routing(), cell.script(), repetition)) {
            Outcome warmUp = load.run(pace.cellWarmUp());
            if (warmUp.count(Verdict.FAILED) == warmUp.requests()) {
                throw new IOException("no request succeeded: " + warmUp.firstFailure());
            }
            Usage before = Usage.of(fleet);
            Outcome outcome = cell.clicks() > 0 ? load.run(cell.clicks()) : load.run(pace.measured());
            Usage used = Usage.of(fleet).minus(before);
            Map<String, Long> resident = Usage.residentKib(fleet);
            double commands = repetition == 0 ? clientCommands(fleet, load) : Double.NaN;
            load.end();
            return new Measurement(outcome, load.outcomes(), used, resident, commands);
        }
    }

    private static double clientCommands(Fleet fleet, Load load) throws IOException, InterruptedException {
        Store store = fleet.store();
        if (store == null) {
            return Double.NaN;
        }
        try (var monitor = new Monitor(store.port())) {
            long began = System.nanoTime();
            load.run(WATCHED);
            long commands = monitor.settled();
            double took = System.nanoTime() - began;
            // However long it takes, so much is sent without a request, too.
            double unasked = monitor.during(UNASKED) * took / UNASKED.toNanos();
            return (commands - unasked) / WATCHED;
        }
    }
}

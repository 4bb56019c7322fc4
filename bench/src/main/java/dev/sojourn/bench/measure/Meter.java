package dev.sojourn.bench.measure;

import dev.sojourn.bench.load.Load;
import dev.sojourn.bench.load.Outcome;
import dev.sojourn.bench.load.Routing;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.peers.Fleet;
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
     */
    public void warmUp(Fleet fleet, Cell cell) throws IOException {
        Routing routing = fleet.variant().shares() ? cell.routing() : Routing.STICKY;
        Duration warmUp =
                pace.fleetWarmUp().multipliedBy(Math.max(2, cell.nodes())).dividedBy(2);
        for (int users : new int[] {Math.min(WARMING_USERS, cell.users()), cell.users()}) {
            try (var load = new Load(fleet.addresses(), users, routing, cell.script(), 1)) {
                long end = System.nanoTime() + LONGEST * warmUp.toNanos();
                load.run(warmUp);
                while (jitPercent(fleet, load) > WARM_PERCENT && System.nanoTime() < end) {
                    // The next window tells.
                }
                load.end();
            }
        }
    }

    private double jitPercent(Fleet fleet, Load load) throws IOException {
        Usage before = Usage.of(fleet);
        load.run(pace.measured());
        Usage used = Usage.of(fleet).minus(before);
        return 100.0 * used.jitMillis() / Math.max(1, used.cpuSum());
    }

    /** @return in the fleets' order; a variant that failed says why */
    public List<Figures> measure(Cell cell, List<Fleet> fleets) throws InterruptedException {
        Map<Fleet, List<Measurement>> runs = new HashMap<>();
        Map<Fleet, String> failures = new HashMap<>();
        for (int repetition = 0; repetition < pace.repetitions(); repetition++) {
            for (int i = 0; i < fleets.size(); i++) {
                // Another one begins each time: none has always the same neighbour.
                Fleet fleet = fleets.get((i + repetition) % fleets.size());
                if (failures.containsKey(fleet)) {
                    continue;
                }
                try {
                    runs.computeIfAbsent(fleet, any -> new ArrayList<>()).add(run(cell, fleet, repetition));
                } catch (IOException | RuntimeException e) {
                    failures.put(fleet, String.valueOf(e.getMessage()));
                }
            }
        }
        List<Figures> figures = new ArrayList<>();
        for (Fleet fleet : fleets) {
            String failure = failures.get(fleet);
            figures.add(
                    failure != null
                            ? Figures.failed(cell, fleet.variant(), failure)
                            : Figures.of(cell, fleet.variant(), runs.getOrDefault(fleet, List.of())));
        }
        return figures;
    }

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
            return new Measurement(outcome, used, resident, commands);
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

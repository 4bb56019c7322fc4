package dev.sojourn.bench.measure;

import dev.sojourn.bench.load.Outcome;
import dev.sojourn.bench.load.Verdict;
import dev.sojourn.bench.peers.Fleet;
import java.io.IOException;
import java.util.concurrent.Callable;

/** CPU of a fleet's processes per request. */
public final class CpuCost {
    private CpuCost() {}

    public static double microsPerRequest(Fleet fleet, Callable<Outcome> load) throws Exception {
        Usage before = Usage.of(fleet);
        Outcome outcome = load.call();
        Usage used = Usage.of(fleet).minus(before);
        if (outcome.count(Verdict.RIGHT) != outcome.requests()) {
            throw new IOException("not all answers were right: " + outcome.firstFailure());
        }
        return used.cpuSum() * 1e3 / outcome.requests();
    }
}

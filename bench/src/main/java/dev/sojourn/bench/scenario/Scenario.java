package dev.sojourn.bench.scenario;

import dev.sojourn.bench.report.Report;

/** One question asked of the variants. */
public interface Scenario {
    void run(Report report) throws Exception;
}

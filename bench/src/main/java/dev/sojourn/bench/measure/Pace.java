package dev.sojourn.bench.measure;

import java.time.Duration;

/** How long and how often. */
public record Pace(Duration fleetWarmUp, Duration cellWarmUp, Duration measured, int repetitions) {}

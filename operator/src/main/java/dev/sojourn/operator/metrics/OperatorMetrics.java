package dev.sojourn.operator.metrics;

import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** The framework's metrics without a series per SessionCluster: their number is the users' to choose. */
public class OperatorMetrics {

    @Produces
    @Singleton
    MicrometerMetrics metrics(MeterRegistry registry) {
        return MicrometerMetrics.withoutPerResourceMetrics(registry);
    }
}

package dev.sojourn.operator.inject;

import dev.sojourn.operator.cert.Certificates;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.jspecify.annotations.Nullable;

/**
 * Ready to inject: a replica that answers without knowing the SessionClusters would let pods pass by. Made at the start: who is not ready
 * says so from then on, also where nobody has asked yet.
 */
@Startup
@Readiness
@ApplicationScoped
public class WebhookReady implements HealthCheck {

    private final SessionClusters clusters;
    private final Certificates certificates;
    private final InstantSource clock = InstantSource.system();
    private final AtomicReference<@Nullable Instant> since = new AtomicReference<>();

    public WebhookReady(SessionClusters clusters, Certificates certificates, MeterRegistry metrics) {
        this.clusters = clusters;
        this.certificates = certificates;
        Gauge.builder("sojourn.webhook.ready", this, ready -> ready.isReady() ? 1 : 0)
                .description("1 while this pod can answer for the webhook")
                .register(metrics);
    }

    private boolean isReady() {
        return clusters.haveSynced() && certificates.areLoaded();
    }

    /** Empty while it is not; from the first question on that found it so, and the kubelet asks all the time. */
    public Optional<Instant> readySince() {
        if (!isReady()) {
            since.set(null);
            return Optional.empty();
        }
        since.compareAndSet(null, clock.instant());
        return Optional.ofNullable(since.get());
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("webhook")
                .status(readySince().isPresent())
                .withData("informersSynced", clusters.haveSynced())
                .withData("certificateLoaded", certificates.areLoaded())
                .build();
    }
}

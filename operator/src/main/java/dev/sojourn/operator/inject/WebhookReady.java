package dev.sojourn.operator.inject;

import dev.sojourn.operator.cert.Certificates;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready to inject: a replica that answers without knowing the SessionClusters would let pods pass by. */
@Readiness
@ApplicationScoped
public class WebhookReady implements HealthCheck {

    private final SessionClusters clusters;
    private final Certificates certificates;

    public WebhookReady(SessionClusters clusters, Certificates certificates) {
        this.clusters = clusters;
        this.certificates = certificates;
    }

    public boolean isReady() {
        return clusters.haveSynced() && certificates.areLoaded();
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("webhook")
                .status(isReady())
                .withData("informersSynced", clusters.haveSynced())
                .withData("certificateLoaded", certificates.areLoaded())
                .build();
    }
}

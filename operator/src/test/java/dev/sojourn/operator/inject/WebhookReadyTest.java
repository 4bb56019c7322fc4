package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.cert.Certificates;
import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.owner.OwnDeployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.runtime.Startup;
import io.vertx.core.Vertx;
import java.util.Map;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An operator that is not ready answers Prometheus all the same: only what it says of itself tells that no pod starts. */
class WebhookReadyTest {

    private final KubernetesClient client = new KubernetesClientBuilder().build();
    private final Vertx vertx = Vertx.vertx();
    private final OperatorConfig config = InPod.with(Map.of());
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private boolean synced;
    private boolean loaded;

    private final SessionClusters clusters = new SessionClusters(client, config) {
        @Override
        public boolean haveSynced() {
            return synced;
        }
    };

    private final Certificates certificates =
            new Certificates(client, config, new OwnDeployment(client, config), server(), registry) {
                @Override
                public boolean areLoaded() {
                    return loaded;
                }
            };

    private final WebhookReady webhook = new WebhookReady(clusters, certificates, registry);

    @AfterEach
    void close() {
        client.close();
        vertx.close();
    }

    @Test
    void itIsToldJustAsReadinessTells() {
        assertSays(false);
        synced = true;
        assertSays(false);
        loaded = true;
        assertSays(true);
        synced = false;
        assertSays(false);
    }

    /** Without it a series would begin with the first probe: one that nobody probes would be missing. */
    @Test
    void itIsToldFromTheStart() {
        assertThat(WebhookReady.class).hasAnnotation(Startup.class);
    }

    private void assertSays(boolean ready) {
        assertThat(registry.scrape().lines()).contains("sojourn_webhook_ready " + (ready ? "1.0" : "0.0"));
        assertThat(webhook.call().getStatus())
                .isEqualTo(ready ? HealthCheckResponse.Status.UP : HealthCheckResponse.Status.DOWN);
    }

    private WebhookServer server() {
        return new WebhookServer(
                vertx, config, clusters, new Namespaces(client, config, clusters), new Events(client), registry);
    }
}

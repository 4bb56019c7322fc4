package dev.sojourn.operator.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.inject.WebhookServer;
import dev.sojourn.operator.owner.ApiServer;
import dev.sojourn.operator.owner.OwnDeployment;
import io.quarkiverse.operatorsdk.runtime.AppEventListener;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.ObserverMethod;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {

    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/system/leases/sojourn-operator";

    private static final OperatorConfig CONFIG =
            InPod.with(Map.of("POD_NAMESPACE", "system", "HOSTNAME", "sojourn-7d9f"));

    /** It would within the process's end, which waits for what it exits from. */
    @Test
    void theFrameworkDoesNotExitByItself() throws IOException {
        try (var api = new ApiServer(200, Map.of())) {
            var client = api.client();
            var election = new LeaderElection().lease(CONFIG, client, new OwnDeployment(client, CONFIG));
            assertThat(election.isExitOnStopLeading()).isFalse();
        }
    }

    @Test
    void whoHoldsTheLeaseReleasesIt() throws IOException {
        try (var api = new ApiServer(200, heldBy("sojourn-7d9f"))) {
            release(api);
            assertThat(api.asked).extracting(ApiServer.Asked::what).containsExactly("GET " + LEASE, "PUT " + LEASE);
            assertThat(api.asked.get(1).body()).contains("\"holderIdentity\":\"\"", "\"resourceVersion\":\"7\"");
        }
    }

    @Test
    void theLeaseOfAnotherOneIsLeftAlone() throws IOException {
        try (var api = new ApiServer(200, heldBy("sojourn-another"))) {
            release(api);
            assertThat(api.asked).extracting(ApiServer.Asked::what).containsExactly("GET " + LEASE);
        }
    }

    @Test
    void anApiServerThatFailsHoldsUpNothing() throws IOException {
        try (var api = new ApiServer(500, Map.of())) {
            release(api);
            assertThat(api.asked).hasSize(1);
        }
    }

    /** The answers of the webhook need what ends after it, and nobody else may lead while the framework reconciles. */
    @Test
    void theWebhookEndsBeforeTheFrameworkAndTheLeaseAfterIt() {
        int framework = priority(AppEventListener.class);
        assertThat(priority(WebhookServer.class)).isLessThan(framework);
        assertThat(priority(LeaderElection.class)).isGreaterThan(framework);
    }

    private static int priority(Class<?> observer) {
        return Arrays.stream(observer.getDeclaredMethods())
                .flatMap(method -> Arrays.stream(method.getParameters()))
                .filter(parameter -> parameter.getType() == ShutdownEvent.class)
                .map(parameter -> Optional.ofNullable(parameter.getAnnotation(Priority.class))
                        .map(Priority::value)
                        .orElse(ObserverMethod.DEFAULT_PRIORITY))
                .findFirst()
                .orElseThrow();
    }

    private static void release(ApiServer api) {
        new LeaderElection().release(new ShutdownEvent(), CONFIG, api.client());
    }

    private static Map<String, String> heldBy(String holder) {
        return Map.of("sojourn-operator", """
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"name": "sojourn-operator", "namespace": "system", "resourceVersion": "7"},
                 "spec": {"holderIdentity": "%s"}}""".formatted(holder));
    }
}

package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlindEnvoysTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

    @ParameterizedTest
    @CsvSource({
        "true, false, 00:09:30, 00:00:00, true",
        // Its edge has just started.
        "true, false, 00:09:50, 00:09:40, false",
        // It was ready while no pod was, and now some are.
        "true, false, 00:00:00, 00:09:30, true",
        "true, false, 00:00:00, 00:09:50, false",
        "true, true, 00:00:00, 00:00:00, false",
        // Envoy itself has not started.
        "false, false, 00:00:00, 00:00:00, false"
    })
    void oneWhoseEdgeIsNotReadyThoughItHasHadTheTime(
            boolean envoy, boolean edge, String started, String changed, boolean blind) {
        var pod = pod(envoy, edge, "running: {startedAt: \"2026-01-01T" + started + "Z\"}", changed);
        assertThat(BlindEnvoys.among(List.of(pod), NOW)).hasSize(blind ? 1 : 0);
    }

    @Test
    void noneWhoseEdgeDoesNotRunAndNoneThatIsDeleted() {
        var crashes = pod(true, false, "waiting: {reason: CrashLoopBackOff}", "00:00:00");
        var deleted = pod(true, false, "running: {startedAt: \"2026-01-01T00:00:00Z\"}", "00:00:00");
        deleted.getMetadata().setDeletionTimestamp("2026-01-01T00:09:00Z");
        assertThat(BlindEnvoys.among(List.of(crashes, deleted), NOW)).isEmpty();
    }

    private static Pod pod(boolean envoy, boolean edge, String state, String changed) {
        return Serialization.unmarshal("""
                ---
                metadata: {name: web-proxy-1}
                status:
                  conditions: [{type: ContainersReady, status: "False", lastTransitionTime: "2026-01-01T%sZ"}]
                  initContainerStatuses: [{name: first-endpoints, ready: true}, {name: envoy, ready: %s}]
                  containerStatuses: [{name: edge, ready: %s, state: {%s}}]
                """.formatted(changed, envoy, edge, state), Pod.class);
    }
}

package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.status.Finding;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatusBuilder;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProxyInspectionTest {

    private final Seen seen = new Seen();

    ProxyInspectionTest() {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080}"));
    }

    @Test
    void aProxyTurnedOffIsNoTrouble() {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080, proxy: {enabled: false}}"));
        assertThat(seen.inspection().proxy().reason()).isEqualTo("ProxyDisabled");
        assertThat(seen.inspection().findings().proxyEndpoint()).isNull();
    }

    @Test
    void aRouteThatTheClusterDoesNotKnowIsSaid() {
        seen.cluster.setSpec(Seen.spec("""
                workload: {name: web}
                port: 8080
                proxy: {expose: {httpRoute: {parentRefs: [{name: public}]}}}
                """));
        assertThat(seen.inspection().proxy().reason()).isEqualTo("ProxyStarting");
        seen.gatewayApi = false;
        assertThat(seen.inspection().proxy().reason()).isEqualTo("GatewayApiNotInstalled");
        assertThat(seen.inspection().mayInject()).isTrue();
    }

    @Test
    void envoysOfThisSpecRun() {
        assertThat(seen(status(2, 2, 2))).isEqualTo(Finding.good("ProxyRuns", "2 of 2 Envoys are ready"));
    }

    @Test
    void envoysOfBeforeServeButHaveNotThisSpec() {
        assertThat(seen(status(3, 2, 1)))
                .isEqualTo(
                        Finding.good(
                                "ProxyRollingOut",
                                "2 of 2 Envoys are ready, 1 made of this spec; see kubectl rollout status deployment/web-proxy"));
        // The last one of before is still there for one that is not ready.
        assertThat(seen(status(3, 2, 2)).reason()).isEqualTo("ProxyRollingOut");
        // The Deployment's controller has not looked yet.
        assertThat(seen(status(2, 2, 2).withObservedGeneration(1L)).message()).contains("0 made of this spec");
    }

    @Test
    void whoRefusesAnEnvoyIsNamed() {
        assertThat(seen(refused(status(2, 2, 0))))
                .isEqualTo(Finding.good(
                        "ProxyRollingOut",
                        "2 of 2 Envoys are ready, 0 made of this spec; pods of deployment/web-proxy are refused: exceeded"
                                + " quota: small; if it is for their CPU or memory, spec.proxy.resources sets requests and"
                                + " limits"));
        var starting = seen(refused(status(0, 0, 0)));
        assertThat(starting.holds()).isFalse();
        assertThat(starting.reason()).isEqualTo("ProxyStarting");
        assertThat(starting.message()).contains("exceeded quota: small", "spec.proxy.resources");
    }

    private Finding seen(DeploymentStatusBuilder status) {
        seen.proxy = Optional.of(new DeploymentBuilder()
                .withNewMetadata()
                .withGeneration(2L)
                .endMetadata()
                .withStatus(status.build())
                .build());
        return seen.inspection().proxy();
    }

    private static DeploymentStatusBuilder status(int pods, int ready, int updated) {
        return new DeploymentStatusBuilder()
                .withObservedGeneration(2L)
                .withReplicas(pods)
                .withReadyReplicas(ready)
                .withUpdatedReplicas(updated);
    }

    private static DeploymentStatusBuilder refused(DeploymentStatusBuilder status) {
        return status.addNewCondition()
                .withType("ReplicaFailure")
                .withStatus("True")
                .withReason("FailedCreate")
                .withMessage("exceeded quota: small")
                .endCondition();
    }
}

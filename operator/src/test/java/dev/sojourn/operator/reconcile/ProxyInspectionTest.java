package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.status.Finding;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatusBuilder;
import java.util.List;
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
                                + " quota: small; if it is for their CPU or memory, spec.proxy.resources and edgeResources set requests and"
                                + " limits"));
        var starting = seen(refused(status(0, 0, 0)));
        assertThat(starting.holds()).isFalse();
        assertThat(starting.reason()).isEqualTo("ProxyStarting");
        assertThat(starting.message()).contains("exceeded quota: small", "spec.proxy.resources");
    }

    /** Those of before serve, and it is no roll-out that only takes its time. */
    @Test
    void anEnvoyThatFindsNoPodWellStopsTheRollOutAndTheStatusSaysWhy() {
        seen.blindEnvoys = List.of("web-proxy-1");
        assertThat(seen(status(3, 2, 1)))
                .isEqualTo(Finding.bad(
                        "ProxyFindsNoPod",
                        "2 of 2 Envoys are ready; that of pod web-proxy-1 runs, and finds none of the application's ready"
                                + " pods well: they take no connection from it at spec.port, or a network policy is in its"
                                + " way; kubectl logs web-proxy-1 -c edge says what a pod answers"));
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080, proxy: {healthCheckPath: /nowhere}}"));
        assertThat(seen(status(3, 2, 1)).message()).contains("spec.proxy.healthCheckPath (/nowhere) must answer 200");
    }

    @Test
    void atTheFirstDeploymentToo() {
        seen.blindEnvoys = List.of("web-proxy-1", "web-proxy-2");
        assertThat(seen(status(2, 0, 2)).reason()).isEqualTo("ProxyFindsNoPod");
    }

    @Test
    void envoysAreLookedAtWhereOneIsNotThereOrNotReady() {
        assertThat(ProxyInspection.isShortOfEnvoys(new DeploymentBuilder().build()))
                .isFalse();
        assertThat(ProxyInspection.isShortOfEnvoys(deployment(status(2, 2, 2)))).isFalse();
        assertThat(ProxyInspection.isShortOfEnvoys(deployment(status(3, 2, 1).withUnavailableReplicas(1))))
                .isTrue();
    }

    private static Deployment deployment(DeploymentStatusBuilder status) {
        return new DeploymentBuilder().withStatus(status.build()).build();
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

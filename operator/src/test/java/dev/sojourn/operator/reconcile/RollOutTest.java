package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetSpecBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RollOutTest {

    private static final String TEMPLATE = """
            metadata: {labels: {sojourn.dev/cluster: web}}
            spec: {containers: [{name: app, ports: [{containerPort: 8080}]}]}
            """;

    private final Seen seen = new Seen();

    @Test
    void aRollingUpdateIsNotReadyBelowTheWantedNumber() {
        seen.pods = List.of(Seen.pod("web-1"), unready("web-2"));
        says("RollingOut", "1 of 2 pods run with the sidecar and are ready");
    }

    @Test
    void aSurgeDoesNotCountAgainstTheWorkload() {
        seen.pods = List.of(Seen.pod("web-1"), Seen.pod("web-2"), unready("web-3"));
        says("Injected", "2 of 2 pods run with the sidecar and are ready");
    }

    @Test
    void podsOfBeforeDoNotHaveThisSpec() {
        seen.pods = List.of(Seen.podOfBefore("web-1"), Seen.podOfBefore("web-2"));
        says(
                "RollingOut",
                "0 of 2 pods have this spec and are ready; web-1, web-2 had their sidecar before it; see kubectl rollout"
                        + " status deployment/web");
        assertThat(seen.inspection().findings().injectedPods()).isEqualTo(2);
        seen.pods = List.of(Seen.podOfBefore("web-2"), Seen.pod("web-3"), Seen.pod("web-4"));
        says("Injected", "3 of 3 pods run with the sidecar and are ready");
    }

    @Test
    void aSurgeThatNeverBecomesReadyIsARollOutThatHangs() {
        seen.pods = List.of(Seen.podOfBefore("web-1"), Seen.podOfBefore("web-2"), unready("web-3"));
        says(
                "RollingOut",
                "0 of 2 pods have this spec and are ready; web-1, web-2 had their sidecar before it; see kubectl rollout"
                        + " status deployment/web");
    }

    /** Whoever takes the workload of before away when this says so would take away the only pods there are. */
    @Test
    void podsOfAnotherWorkloadAreNotThisOnes() {
        var others = Stream.of("before-1", "before-2").map(Seen::podOfAnother).toList();
        seen.pods = others;
        says("RollingOut", "0 of 2 pods run with the sidecar and are ready");
        seen.pods = Stream.concat(others.stream(), Stream.of(Seen.pod("web-1"), Seen.pod("web-2")))
                .toList();
        says("Injected", "2 of 2 pods run with the sidecar and are ready");
    }

    @Test
    void whileASpecIsRefusedPodsAreToHaveTheOneAcceptedLast() {
        var before = InjectionSettings.plain("shop.web", "redis://before:6379", null, null);
        seen.accepted = Optional.of(before);
        seen.cluster.setSpec(Seen.spec("""
                workload: {name: web}
                port: 8080
                store: {external: {url: 'redis://theirs:6379', credentialsSecret: theirs}}
                """));
        seen.missingSecrets = List.of("there is no Secret theirs");
        seen.pods = List.of(Seen.podWith(before, "web-1"), Seen.podWith(before, "web-2"));
        assertThat(seen.refusal()).isPresent();
        says("Injected", "2 of 2 pods run with the sidecar and are ready");
    }

    @Test
    void whoeverPausedTheWorkloadIsTold() {
        seen.workload = Optional.of(Workload.of(Seen.deployment(TEMPLATE)
                .editSpec()
                .withPaused(true)
                .endSpec()
                .withNewStatus()
                .withReplicas(2)
                .endStatus()
                .build()));
        seen.pods = List.of(Seen.podOfBefore("web-1"), Seen.podOfBefore("web-2"));
        says(
                "RollingOut",
                "0 of 2 pods have this spec and are ready; web-1, web-2 had their sidecar before it; deployment/web is"
                        + " paused: kubectl rollout resume deployment/web");
        // Of the first roll-out too: pods of before have no label, and are not seen.
        seen.pods = List.of();
        says(
                "RollingOut",
                "0 of 2 pods run with the sidecar and are ready; deployment/web is paused: kubectl rollout resume"
                        + " deployment/web");
        seen.pods = List.of(Seen.pod("web-1"), Seen.pod("web-2"));
        says("Injected", "2 of 2 pods run with the sidecar and are ready");
    }

    @Test
    void aStatefulSetThatReplacesNoPodsSaysSo() {
        seen.pods = List.of(Seen.podOfBefore("web-0"), Seen.podOfBefore("web-1"));
        seen.workload = Optional.of(stateful(new StatefulSetSpecBuilder()
                .withNewUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()));
        assertThat(seen.inspection().injection().message())
                .endsWith(
                        "statefulset/web replaces no pod by itself (updateStrategy OnDelete): delete its pods, one when"
                                + " the one before is ready again");
    }

    @Test
    void aPartitionThatKeepsPodsIsNamed() {
        seen.pods = List.of(Seen.podOfBefore("web-0"), Seen.pod("web-1"));
        seen.workload = Optional.of(stateful(partition(1)));
        assertThat(seen.inspection().injection().message())
                .startsWith("1 of 2 pods have this spec")
                .endsWith("statefulset/web keeps its pods below number 1 as they are: set its"
                        + " updateStrategy.rollingUpdate.partition to 0");
        seen.workload = Optional.of(stateful(partition(0)));
        assertThat(seen.inspection().injection().message()).endsWith("kubectl rollout status statefulset/web");
    }

    /** Its pods are as they are to be; who follows the advice gives a canary of his own to everybody. */
    @Test
    void whoeverHoldsOthersBackIsNotToldWhereSomeAreMissing() {
        seen.pods = List.of(Seen.pod("web-0"));
        seen.workload = Optional.of(stateful(partition(1)));
        says("RollingOut", "1 of 2 pods run with the sidecar and are ready");
    }

    private void says(String reason, String message) {
        var injection = seen.inspection().injection();
        assertThat(injection.reason()).isEqualTo(reason);
        assertThat(injection.message()).isEqualTo(message);
    }

    private static StatefulSetSpecBuilder partition(int partition) {
        return new StatefulSetSpecBuilder()
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withPartition(partition)
                .endRollingUpdate()
                .endUpdateStrategy();
    }

    private static Workload stateful(StatefulSetSpecBuilder spec) {
        return Workload.of(new StatefulSetBuilder()
                .withNewMetadata()
                .withName("web")
                .endMetadata()
                .withSpec(spec.withReplicas(2)
                        .withTemplate(Serialization.unmarshal(TEMPLATE, PodTemplateSpec.class))
                        .build())
                .build());
    }

    private static InjectedPod unready(String name) {
        return Seen.pod(name, true, null, false, null);
    }
}

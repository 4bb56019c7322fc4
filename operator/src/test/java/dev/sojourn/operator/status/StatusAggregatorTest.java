package dev.sojourn.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusAggregatorTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123Z");
    private static final Finding GOOD = Finding.good("Fine", "all is well");
    private static final Finding BAD = Finding.bad("StoreStarting", "pod web-store-0 is not ready");

    private boolean storeReached;
    private final SessionCluster cluster = Serialization.unmarshal("""
            apiVersion: sojourn.dev/v1alpha1
            kind: SessionCluster
            metadata: {name: web, namespace: shop, generation: 3}
            spec: {workload: {name: web}, port: 8080}
            """, SessionCluster.class);

    @Test
    void allWellIsReady() {
        var status = build(NOON, GOOD, Optional.empty());
        assertThat(condition(status, "Ready").getStatus()).isEqualTo("True");
        assertThat(condition(status, "Ready").getLastTransitionTime()).isEqualTo("2026-11-21T12:00:00Z");
        assertThat(status.observedGeneration()).isEqualTo(3);
        assertThat(status.injected()).isEqualTo("2/3");
    }

    @Test
    void oneBadPartIsWhatReadySays() {
        var ready = condition(build(NOON, BAD, Optional.empty()), "Ready");
        assertThat(ready.getStatus()).isEqualTo("False");
        assertThat(ready.getReason()).isEqualTo("StoreStarting");
        assertThat(ready.getMessage()).isEqualTo("pod web-store-0 is not ready");
    }

    /** Nothing stops; but sessions are not kept. */
    @Test
    void aStoreThatDropsSessionsKeepsNone() {
        cluster.setStatus(build(NOON, GOOD, Optional.empty()));
        var full = Finding.good(StatusAggregator.STORE_FULL, "web-store-0 dropped sessions");
        var status = build(NOON, full, Optional.empty());
        var ready = condition(status, "Ready");
        assertThat(ready.getStatus()).isEqualTo("True");
        assertThat(ready.getReason()).isEqualTo("StoreFull");
        assertThat(ready.getMessage()).isEqualTo("web-store-0 dropped sessions");
        assertThat(Transitions.between(cluster.getStatus(), status)).hasSize(2).allMatch(Transitions::isWarning);
    }

    @Test
    void aRefusalComesBeforeEverythingElse() {
        var status = build(NOON, BAD, Optional.of(Finding.bad("PortNotFound", "spec.port: ...")));
        assertThat(condition(status, "Ready").getReason()).isEqualTo("PortNotFound");
        assertThat(condition(status, "StoreReady").getReason()).isEqualTo("StoreStarting");
    }

    @Test
    void theSameFindingsMakeTheSameStatusWheneverTheyAreMade() {
        cluster.setStatus(build(NOON, GOOD, Optional.empty()));
        assertThat(build(NOON.plusSeconds(3600), GOOD, Optional.empty())).isEqualTo(cluster.getStatus());
    }

    @Test
    void aNewMessageMovesNoTime() {
        cluster.setStatus(build(NOON, BAD, Optional.empty()));
        var later = build(NOON.plusSeconds(60), Finding.bad("StoreStarting", "still not"), Optional.empty());
        assertThat(condition(later, "StoreReady").getMessage()).isEqualTo("still not");
        assertThat(condition(later, "StoreReady").getLastTransitionTime()).isEqualTo("2026-11-21T12:00:00Z");
    }

    @Test
    void aFlipMovesItsTimeAndNoOther() {
        cluster.setStatus(build(NOON, BAD, Optional.empty()));
        var later = build(NOON.plusSeconds(60), GOOD, Optional.empty());
        assertThat(condition(later, "StoreReady").getLastTransitionTime()).isEqualTo("2026-11-21T12:01:00Z");
        assertThat(condition(later, "ProxyReady").getLastTransitionTime()).isEqualTo("2026-11-21T12:00:00Z");
    }

    @Test
    void anErrorKeepsTheOtherConditions() {
        cluster.setStatus(build(NOON, GOOD, Optional.empty()));
        var failed = new StatusAggregator(cluster, NOON).failed(new IllegalStateException("boom"));
        assertThat(condition(failed, "Ready").getReason()).isEqualTo("ReconcileFailed");
        assertThat(condition(failed, "StoreReady").getReason()).isEqualTo("Fine");
        assertThat(failed.injection()).isEqualTo(cluster.getStatus().injection());
    }

    @Test
    void aStoreThatWasReachedOnceIsInUseUntilItIsAnotherOne() {
        storeReached = true;
        cluster.setStatus(build(NOON, GOOD, Optional.empty()));
        storeReached = false;
        cluster.setStatus(build(NOON, BAD, Optional.empty()));
        assertThat(cluster.getStatus().storeInUse()).isTrue();
        var refused = Optional.of(Finding.bad("PortNotFound", "spec.port: ..."));
        cluster.setSpec(Serialization.unmarshal(
                        "---\n{spec: {workload: {name: web}, port: 8080, store: {external: {url: 'redis://other'}}}}",
                        SessionCluster.class)
                .getSpec());
        cluster.setStatus(build(NOON, BAD, refused));
        assertThat(cluster.getStatus().storeInUse()).as("not rolled out").isTrue();
        assertThat(build(NOON, BAD, Optional.empty()).storeInUse()).isFalse();
    }

    @Test
    void aLongMessageFitsTheSchema() {
        var status = build(NOON, Finding.bad("Long", "x".repeat(10_000)), Optional.empty());
        assertThat(condition(status, "StoreReady").getMessage()).hasSizeLessThanOrEqualTo(4096);
    }

    @Test
    void onlyANewReasonIsWorthAnEvent() {
        var before = build(NOON, BAD, Optional.empty());
        var after = build(NOON, Finding.bad("StoreStarting", "still not"), Optional.empty());
        assertThat(Transitions.between(before, after)).isEmpty();
        assertThat(Transitions.between(before, build(NOON, GOOD, Optional.empty())))
                .extracting(Condition::getType)
                .containsExactly("Ready", "StoreReady");
    }

    /** Alerts fire on False. */
    @Test
    void whatWaitsIsUnknownAndWarnsNobodyWhileReadySaysWhy() {
        var waiting = new Finding(Finding.Status.Unknown, "Waiting", "it is made once this is mended: ...");
        var status = build(NOON, waiting, Optional.of(Finding.bad("WorkloadNotFound", "spec.workload: ...")));
        assertThat(condition(status, "StoreReady").getStatus()).isEqualTo("Unknown");
        assertThat(condition(status, "Ready").getStatus()).isEqualTo("False");
        assertThat(Transitions.between(null, status))
                .filteredOn(Transitions::isWarning)
                .extracting(Condition::getReason)
                .containsExactly("WorkloadNotFound");
    }

    private SessionClusterStatus build(Instant now, Finding store, Optional<Finding> refusal) {
        var findings = new Findings(
                store,
                GOOD,
                GOOD,
                2,
                3,
                "redis://store",
                storeReached,
                List.of(),
                "web-proxy.shop.svc:80",
                refusal.isPresent()
                        ? Optional.ofNullable(cluster.getStatus()).map(SessionClusterStatus::injection)
                        : Optional.of(InjectionSettings.of(cluster)));
        return new StatusAggregator(cluster, now).build(findings, refusal);
    }

    private static Condition condition(SessionClusterStatus status, String type) {
        return status.conditions().stream()
                .filter(condition -> type.equals(condition.getType()))
                .findFirst()
                .orElseThrow();
    }
}

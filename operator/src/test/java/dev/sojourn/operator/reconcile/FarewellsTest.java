package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.metrics.SessionClusterMetrics;
import dev.sojourn.operator.reconcile.Farewells.GoingStore;
import dev.sojourn.operator.status.StatusAggregator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FarewellsTest {

    private static final Instant DELETED = Instant.parse("2026-01-01T00:00:00Z");

    private final List<String> told = new ArrayList<>();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Events events = new Events(new KubernetesClientBuilder().build()) {

        @Override
        public void normal(HasMetadata about, String reason, String message) {
            told.add(reason + ": " + message);
        }

        @Override
        public void warning(HasMetadata about, String reason, String message) {
            told.add("Warning " + reason + ": " + message);
        }
    };
    private final Farewells farewells = new Farewells(events, new SessionClusterMetrics(registry));
    private final Seen seen = new Seen();
    private Optional<GoingStore> store = Optional.empty();

    FarewellsTest() {
        seen.cluster.getMetadata().setUid("one's");
    }

    @Test
    void whatIsWaitedForIsToldOnce() {
        assertThat(isOver(DELETED, pod("web-1"), pod("web-2"))).isFalse();
        assertThat(isOver(DELETED.plusSeconds(200), pod("web-2"))).isFalse();
        assertThat(isOver(DELETED.plusSeconds(400), pod("web-2"))).isFalse();
        assertThat(told)
                .containsExactly(
                        "RollingBack: 2 pods still have the sidecar: web-1, web-2; store and proxy stay until they"
                                + " are gone, or none of them goes for 5 minutes");
        assertThat(isOver(DELETED.plusSeconds(420))).isTrue();
        assertThat(told).hasSize(1);
    }

    @Test
    void whoeverPausedTheWorkloadIsTold() {
        seen.workload = Optional.of(Workload.of(Seen.deployment("{spec: {containers: [{name: app}]}}")
                .editSpec()
                .withPaused(true)
                .endSpec()
                .build()));
        assertThat(isOver(DELETED, pod("web-1"))).isFalse();
        assertThat(told.get(0)).endsWith("; deployment/web is paused: kubectl rollout resume deployment/web");
    }

    @Test
    void whatIsTakenFromUnderPodsIsToldToo() {
        assertThat(isOver(DELETED, pod("web-1"))).isFalse();
        assertThat(isOver(DELETED.plus(Farewell.LONGEST), pod("web-1"))).isTrue();
        assertThat(told.get(1))
                .startsWith("Warning RollBackHangs: 1 pods still have the sidecar: web-1; none has gone");
        // One made anew under its name begins anew.
        assertThat(isOver(DELETED.plus(Farewell.LONGEST), pod("web-1"))).isFalse();
    }

    @Test
    void aPodThatMayTakeLongToEndIsAwaited() {
        var ending = DELETED.plusSeconds(1800);
        var pod = new PodBuilder(pod("web-1"))
                .editMetadata()
                .withDeletionTimestamp(ending.toString())
                .endMetadata()
                .build();
        assertThat(isOver(DELETED, pod)).isFalse();
        assertThat(isOver(ending, pod)).isFalse();
        assertThat(isOver(ending.plus(Farewell.LONGEST), pod)).isTrue();
    }

    @Test
    void anotherOfTheSameNameIsAwaitedAnew() {
        assertThat(isOver(DELETED, pod("web-1"))).isFalse();
        seen.cluster.getMetadata().setUid("another's");
        var deletedToo = DELETED.plus(Duration.ofDays(1));
        assertThat(isOver(deletedToo, pod("web-1"))).isFalse();
        assertThat(isOver(deletedToo.plus(Farewell.LONGEST), pod("web-1"))).isTrue();
    }

    /** Who deleted it by mistake has as long as the pods take; its alerts end at once. */
    @Test
    void thatSessionsAreLostIsToldOnceWithTheMend() {
        store = Optional.of(new GoingStore(false));
        assertThat(isOver(DELETED, pod("web-1"))).isFalse();
        assertThat(isOver(DELETED.plusSeconds(10), pod("web-1"))).isFalse();
        assertThat(told.get(0))
                .startsWith("Warning StoreGoes: StatefulSet web-store goes with this SessionCluster, and all sessions")
                .contains("kubectl delete sessioncluster web --cascade=orphan --wait=false");
        assertThat(told).filteredOn(event -> event.contains("StoreGoes")).hasSize(1);
        assertThat(registry.get("sojourn.stores.deleted")
                        .tag("namespace", "shop")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void whereNobodyIsWaitedForThereIsNoMend() {
        store = Optional.of(new GoingStore(false));
        assertThat(isOver(DELETED)).isTrue();
        assertThat(told)
                .containsExactly("Warning StoreGoes: StatefulSet web-store goes with this SessionCluster, and all"
                        + " sessions in it, now");
    }

    @Test
    void aStoreThatIsOrphanedStays() {
        seen.cluster.getMetadata().setUid("of it");
        assertThat(GoingStore.of(seen.cluster, seen.store)).hasValue(new GoingStore(false));
        seen.cluster.getMetadata().setFinalizers(List.of("sojourn.dev/finalizer", "orphan"));
        assertThat(GoingStore.of(seen.cluster, seen.store)).isEmpty();
        seen.cluster.getMetadata().setFinalizers(List.of("sojourn.dev/finalizer"));
        // The garbage collector has been here.
        assertThat(GoingStore.of(seen.cluster, Optional.of(Seen.store()))).isEmpty();
    }

    /** A deletion in the foreground does not wait for the SessionCluster. */
    @Test
    void whatIsBeingDeletedIsSaidToBeLost() {
        seen.cluster.getMetadata().setUid("of it");
        seen.cluster.getMetadata().setFinalizers(List.of("sojourn.dev/finalizer", "foregroundDeletion"));
        assertThat(GoingStore.of(seen.cluster, seen.store)).hasValue(new GoingStore(true));
        store = GoingStore.of(seen.cluster, seen.store);
        assertThat(isOver(DELETED, pod("web-1"))).isFalse();
        assertThat(told)
                .containsExactly(
                        "Warning StoreGoes: StatefulSet web-store goes with this SessionCluster, and all sessions in it,"
                                + " now: it was deleted before its pods could roll back, as --cascade=foreground has it,"
                                + " and nothing keeps it any more",
                        "RollingBack: 1 pods still have the sidecar: web-1; store and proxy go now, for the deletion is"
                                + " one in the foreground");
        assertThat(registry.get("sojourn.stores.deleted").counter().count()).isEqualTo(1);
        seen.cluster.getMetadata().setFinalizers(List.of("sojourn.dev/finalizer"));
        seen.store.ifPresent(set -> set.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z"));
        assertThat(GoingStore.of(seen.cluster, seen.store)).hasValue(new GoingStore(true));
    }

    @Test
    void whatHasGoneBeforeAnybodyLookedIsToldOfToo() {
        assertThat(GoingStore.of(seen.cluster, Optional.empty())).isEmpty();
        accepted("{}");
        assertThat(GoingStore.of(seen.cluster, Optional.empty())).hasValue(new GoingStore(true));
        accepted("{external: {url: 'redis://theirs:6379'}}");
        assertThat(GoingStore.of(seen.cluster, Optional.empty())).isEmpty();
    }

    private void accepted(String store) {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080, store: " + store + "}"));
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        seen.cluster.setStatus(new StatusAggregator(seen.cluster, DELETED)
                .build(seen.inspection().findings(), Optional.empty()));
        assertThat(seen.cluster.getStatus().injection()).isEqualTo(seen.accepted.orElseThrow());
    }

    private boolean isOver(Instant now, Pod... pods) {
        return farewells.isOver(seen.cluster, store, seen.workload.stream().toList(), List.of(pods), now);
    }

    private static Pod pod(String name) {
        return new PodBuilder().withNewMetadata().withName(name).endMetadata().build();
    }
}

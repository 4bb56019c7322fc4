package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.StoreRollout;
import dev.sojourn.operator.store.StoreRollout.RunningPod;
import dev.sojourn.operator.store.shard.ShardReport;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreInspectionTest {

    private final Seen seen = new Seen();

    @BeforeEach
    void replicated() {
        seen.cluster = withStore("Replicated");
        ready(3);
        seen.storeNodes =
                List.of(node("web-store-0", true, 10), node("web-store-1", false, 10), node("web-store-2", false, 10));
    }

    @Test
    void namesThePrimary() {
        assertThat(finding()).isEqualTo(Finding.good("StoreRuns", "3 pods are ready, primary: web-store-0"));
    }

    @Test
    void withoutAPrimaryItIsNotReady() {
        seen.storeNodes = List.of(node("web-store-1", false, 10), node("web-store-2", false, 10));
        assertThat(finding().reason()).isEqualTo("StoreWithoutPrimary");
        assertThat(finding().holds()).isFalse();
    }

    @Test
    void withFewerCopiesItGoesOnButSaysSo() {
        ready(2);
        assertThat(finding().reason()).isEqualTo("StoreDegraded");
        assertThat(finding().holds()).isTrue();
    }

    @Test
    void podsThatAreNotMadeCannotBeAskedWhy() {
        seen.store = Optional.of(made(2, 0));
        assertThat(finding())
                .isEqualTo(Finding.bad(
                        "StoreStarting",
                        "no pod of the store is ready; see kubectl describe statefulset web-store, which has made 2 of 3"
                                + " pods: its events say who refuses the others; if it is for their CPU or memory,"
                                + " spec.store.managed.resources and sentinelResources set requests and limits"));
        seen.store = Optional.of(made(2, 2));
        assertThat(finding().reason()).isEqualTo("StoreDegraded");
        assertThat(finding().message()).contains("see kubectl describe statefulset web-store, which has made 2 of 3");
        seen.store = Optional.of(made(3, 0));
        assertThat(finding().message())
                .isEqualTo("no pod of the store is ready; see kubectl describe of web-store-0 to 2");
        seen.store = Optional.of(made(3, 2));
        assertThat(finding().message()).endsWith("see kubectl get pods");
    }

    @Test
    void whileItRollsItSaysWhomItWaitsFor() {
        var set = new StatefulSetBuilder(seen.store.orElseThrow())
                .editStatus()
                .withUpdateRevision("b")
                .endStatus()
                .build();
        seen.storeRollout = Optional.of(rollout(set, Instant.EPOCH));
        assertThat(finding())
                .isEqualTo(
                        Finding.good(
                                "StoreRolling",
                                "pods of before: web-store-0; one is replaced at a time, while all are ready; waiting for web-store-1"));

        ready(2);
        seen.storeRollout = Optional.of(rollout(set, Instant.EPOCH.plusSeconds(3600)));
        assertThat(finding().reason()).isEqualTo("StoreDegraded");
        assertThat(finding().message()).contains("kubectl describe of web-store-1");
    }

    private static StoreRollout rollout(StatefulSet set, Instant now) {
        return new StoreRollout(
                set, List.of(pod("web-store-0", "a", true), pod("web-store-1", "b", false)), Set.of(), now);
    }

    private static RunningPod pod(String name, String revision, boolean ready) {
        return new RunningPod(name, "uid", revision, ready, Instant.EPOCH, null);
    }

    @Test
    void memoryIsToldOfBeforeSessionsAreDropped() {
        seen.storeNodes = List.of(node("web-store-0", true, 85));
        assertThat(finding().reason()).isEqualTo("StoreFilling");
        assertThat(finding().message()).contains("web-store-0", "spec.store.managed.resources.limits.memory");
    }

    /** At 100 % as at 81 there is little room; only that it drops something tells that users are logged out. */
    @Test
    void oneThatDropsSessionsIsFullAndNoLongerFilling() {
        seen.storeNodes = List.of(node("web-store-0", true, 100));
        assertThat(finding().reason()).isEqualTo("StoreFilling");
        seen.dropping = Set.of("web-store-1", "web-store-0");
        assertThat(finding().reason()).isEqualTo("StoreFull");
        assertThat(finding().holds()).isTrue();
        assertThat(finding().message())
                .startsWith("web-store-0, web-store-1 dropped sessions unused for longest before their time within 15")
                .contains("spec.store.managed.resources.limits.memory");
    }

    @Test
    void oneThatDropsSessionsIsFullWhateverElseItDoes() {
        seen.cluster = withStore("Sharded");
        seen.dropping = Set.of("web-store-0");
        seen.storeNodes = IntStream.range(0, 6)
                .mapToObj(n -> node("web-store-" + n, n < 3, 100))
                .toList();
        ready(6);
        seen.shards = Optional.of(new ShardReport(0, Optional.empty(), 8, 8, Optional.empty()));
        assertThat(finding().reason()).isEqualTo("StoreFull");
        seen.shards = Optional.of(new ShardReport(7, Optional.empty(), 6, 6, Optional.empty()));
        assertThat(finding().reason()).isEqualTo("StoreSlotsUnserved");
    }

    @Test
    void aClusterIsNotWellBeforeItIsWhatTheSpecSays() {
        seen.cluster = withStore("Sharded");
        var nodes = IntStream.range(0, 8)
                .mapToObj(n -> node("web-store-" + n, n < 3 || n == 7, 10))
                .toList();
        ready(8);
        seen.storeNodes = nodes;
        seen.shards = Optional.of(new ShardReport(0, Optional.empty(), 8, 8, Optional.empty()));
        assertThat(finding()).isEqualTo(Finding.good("StoreResharding", "from 8 pods to 6"));

        seen.shards = Optional.of(new ShardReport(0, Optional.empty(), 6, 8, Optional.empty()));
        assertThat(finding().reason()).isEqualTo("StoreResharding");
        assertThat(finding().message()).startsWith("2 pods are to go, once every shard has its copies in the others");

        seen.shards = Optional.of(new ShardReport(0, Optional.empty(), 6, 6, Optional.empty()));
        assertThat(finding())
                .isEqualTo(Finding.good("StoreResharding", "taking away 2 pods that hold nothing any more"));

        ready(6);
        seen.storeNodes = nodes.subList(0, 6);
        assertThat(finding())
                .isEqualTo(
                        Finding.good("StoreRuns", "6 pods are ready, primary: web-store-0, web-store-1, web-store-2"));
    }

    @ParameterizedTest
    @CsvSource({"7, True, true, StoreRuns", "6, True, false, StoreStarting", "7, Unknown, false, StoreStarting"})
    void beforeTheNewLeaderHasAskedThePodsWhatTheOldOneSawHolds(
            long generation, String said, boolean holds, String reason) {
        seen.cluster = withStore("Sharded");
        seen.cluster.getMetadata().setGeneration(7L);
        var condition = new ConditionBuilder()
                .withType("StoreReady")
                .withStatus(said)
                .withReason("StoreRuns")
                .withMessage("6 pods are ready")
                .withObservedGeneration(generation)
                .build();
        seen.cluster.setStatus(new SessionClusterStatus(
                generation, List.of(condition), 2, 2, "2/2", null, true, List.of(), null, null));
        ready(6);
        seen.storeNodes = IntStream.range(0, 6)
                .mapToObj(n -> node("web-store-" + n, n < 3, 10))
                .toList();
        assertThat(finding().holds()).isEqualTo(holds);
        assertThat(finding().reason()).isEqualTo(reason);
    }

    private static SessionCluster withStore(String topology) {
        return Serialization.unmarshal("""
                apiVersion: sojourn.dev/v1alpha1
                kind: SessionCluster
                metadata: {name: web, namespace: shop}
                spec: {workload: {name: web}, port: 8080, store: {managed: {topology: %s}}}
                """.formatted(topology), SessionCluster.class);
    }

    private Finding finding() {
        var managed = Objects.requireNonNull(seen.cluster.getSpec().store().managed());
        return new StoreInspection(seen.cluster, managed, seen.observation()).finding();
    }

    private void ready(int pods) {
        seen.store = Optional.of(new StatefulSetBuilder()
                .withNewStatus()
                .withReadyReplicas(pods)
                .endStatus()
                .build());
    }

    private static StoreNode node(String pod, boolean primary, int percent) {
        return new StoreNode(pod, primary, true, percent, 100, 0, 0, 0, 0, Map.of());
    }

    private static StatefulSet made(int pods, int ready) {
        return new StatefulSetBuilder(Seen.store())
                .withNewStatus()
                .withReplicas(pods)
                .withReadyReplicas(ready)
                .endStatus()
                .build();
    }
}

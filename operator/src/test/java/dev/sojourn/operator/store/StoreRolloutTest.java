package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.store.StoreRollout.RunningPod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Three pods are wanted. */
class StoreRolloutTest {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant LONG_AGO = NOW.minusSeconds(3600);

    private long generationSeen = 2;
    /** As the API server has it while there is none: not at all. */
    private @Nullable Integer updated;

    @Test
    void whoIsWhatTheTemplateSaysStays() {
        assertThat(next(now(0), now(1), now(2))).isEmpty();
    }

    @Test
    void itIsOverWhenAllAreOfTheTemplate() {
        assertThat(StoreRollout.isUnderWay(set())).isTrue();
        updated = 2;
        assertThat(StoreRollout.isUnderWay(set())).isTrue();
        updated = 3;
        assertThat(StoreRollout.isUnderWay(set())).isFalse();
    }

    @Test
    void thePrimaryIsTheLast() {
        assertThat(next(before(0), before(1), before(2))).hasValue("web-store-1");
        assertThat(next(before(0), now(1), before(2))).hasValue("web-store-0");
        assertThat(next(now(0), now(1), before(2))).hasValue("web-store-2");
    }

    @Test
    void noneThatIsReadyGoesWhileAnotherIsNotWhereverThatStands() {
        assertThat(next(unready(now(0)), before(1), before(2))).isEmpty();
        assertThat(next(before(0), before(1), unready(now(2)))).isEmpty();
    }

    @Test
    void noneGoesWhileOneIsMissingOrOnItsWayOut() {
        assertThat(next(before(0), before(1))).isEmpty();
        assertThat(next(leaving(before(0), NOW.plusSeconds(45)), before(1), before(2)))
                .isEmpty();
        assertThat(next(before(0), before(1), before(2), leaving(before(3), NOW.plusSeconds(45))))
                .isEmpty();
    }

    @Test
    void whatIsNotReadyIsMendedByTheNewTemplate() {
        assertThat(next(unready(before(0)), before(1), before(2))).hasValue("web-store-0");
        assertThat(next(unready(before(0)), unready(before(1)), unready(before(2))))
                .hasValue("web-store-2");
    }

    @Test
    void ofThoseThatAreNotReadyTheNextOneGoesWhenTheLastOneIsReadyOrHasHadItsTime() {
        var started = made(unready(now(2)), NOW.minusSeconds(30));
        assertThat(next(unready(before(0)), unready(before(1)), started)).isEmpty();
        assertThat(next(unready(before(0)), unready(before(1)), now(2))).hasValue("web-store-1");
        var stuck = made(unready(now(2)), NOW.minus(StoreRollout.UNTIL_READY));
        assertThat(next(unready(before(0)), unready(before(1)), stuck)).hasValue("web-store-1");
    }

    @Test
    void aPodWhoseNodeIsLostIsNotWaitedForByThoseThatAreNotReady() {
        var leaves = leaving(before(2), NOW.minusSeconds(30));
        assertThat(next(before(0), unready(before(1)), leaves)).isEmpty();
        var lost = leaving(before(2), NOW.minus(StoreRollout.UNTIL_READY));
        assertThat(next(before(0), unready(before(1)), lost)).hasValue("web-store-1");
        assertThat(next(before(0), before(1), lost)).isEmpty();
    }

    @Test
    void whileReplicasMoveOnlyWhatIsNotReadyGoes() {
        assertThat(rollout(before(0), before(1), before(2)).next(true)).isEmpty();
        assertThat(rollout(unready(before(0)), before(1), before(2)).next(true)).isPresent();
    }

    @Test
    void onlyWhatHasHadItsTimeIsLate() {
        var late = NOW.minus(StoreRollout.LATE);
        assertThat(rollout(before(0), made(unready(now(1)), late), made(unready(now(2)), late.plusSeconds(1)))
                        .late())
                .containsExactly("web-store-1");
        assertThat(rollout(leaving(before(0), late), leaving(before(1), NOW.plusSeconds(45)), now(2))
                        .late())
                .containsExactly("web-store-0");
    }

    @Test
    void nothingIsDecidedByTheRevisionOfTheTemplateBefore() {
        generationSeen = 1;
        assertThat(StoreRollout.isUnderWay(set())).isTrue();
        assertThat(next(before(0), before(1), before(2))).isEmpty();
    }

    @Test
    void aPodIsReadAsTheApiServerHasIt() {
        var pod = new PodBuilder()
                .withNewMetadata()
                .withName("web-store-1")
                .withUid("uid-1")
                .addToLabels("controller-revision-hash", "web-store-a")
                .withCreationTimestamp(LONG_AGO.toString())
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        assertThat(RunningPod.of(pod))
                .isEqualTo(new RunningPod("web-store-1", "uid-1", "web-store-a", true, LONG_AGO, null));
        pod.getMetadata().setDeletionTimestamp(NOW.toString());
        assertThat(RunningPod.of(pod))
                .isEqualTo(new RunningPod("web-store-1", "uid-1", "web-store-a", false, LONG_AGO, NOW));
    }

    private Optional<String> next(RunningPod... pods) {
        return rollout(pods).next(false).map(RunningPod::name);
    }

    private StoreRollout rollout(RunningPod... pods) {
        return new StoreRollout(set(), List.of(pods), Set.of("web-store-2"), NOW);
    }

    private StatefulSet set() {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withGeneration(2L)
                .endMetadata()
                .withNewSpec()
                .withReplicas(3)
                .endSpec()
                .withNewStatus()
                .withObservedGeneration(generationSeen)
                .withUpdateRevision("now")
                .withUpdatedReplicas(updated)
                .endStatus()
                .build();
    }

    private static RunningPod now(int ordinal) {
        return pod(ordinal, "now");
    }

    private static RunningPod before(int ordinal) {
        return pod(ordinal, "before");
    }

    private static RunningPod pod(int ordinal, String revision) {
        return new RunningPod("web-store-" + ordinal, "uid-" + ordinal, revision, true, LONG_AGO, null);
    }

    private static RunningPod unready(RunningPod pod) {
        return new RunningPod(pod.name(), pod.uid(), pod.revision(), false, pod.made(), null);
    }

    private static RunningPod made(RunningPod pod, Instant at) {
        return new RunningPod(pod.name(), pod.uid(), pod.revision(), pod.ready(), at, null);
    }

    private static RunningPod leaving(RunningPod pod, Instant endsBy) {
        return new RunningPod(pod.name(), pod.uid(), pod.revision(), false, pod.made(), endsBy);
    }
}

package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.reconcile.SidecarTrouble.Kind;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SidecarTroubleTest {

    private static final String OOM =
            "{terminated: {reason: OOMKilled, exitCode: 137, startedAt: '2026-11-29T09:55:00Z', finishedAt: '2026-11-29T10:00:00Z'}}";
    private static final String ERROR =
            "{terminated: {reason: Error, exitCode: 78, startedAt: '2026-11-29T09:55:00Z', finishedAt: '2026-11-29T10:00:00Z'}}";
    private static final String RUNS = "{running: {startedAt: '2026-11-29T10:00:10Z'}}";
    private static final String LOOP = "{waiting: {reason: CrashLoopBackOff}}";

    @Test
    void oneThatRunsOrIsOnlyBeingMadeIsNoTrouble() {
        assertThat(trouble(RUNS, "{}", 0, "10:01")).isEmpty();
        assertThat(trouble("{waiting: {reason: ContainerCreating}}", "{}", 0, "10:01"))
                .isEmpty();
        var bare = Serialization.unmarshal("---\nmetadata: {name: web-1}\n", Pod.class);
        assertThat(SidecarTrouble.of(bare, Instant.EPOCH)).isEmpty();
    }

    @Test
    void anImageThatCannotBePulledIsSaidWithItsMend() {
        var trouble =
                trouble("{waiting: {reason: ErrImagePull}}", OOM, 9, "10:01").orElseThrow();
        assertThat(trouble.kind()).isEqualTo(Kind.SidecarNotStarting);
        assertThat(trouble.message()).contains("ErrImagePull", "spec.injection.imagePullSecrets");
    }

    @Test
    void whatElseKeepsAContainerFromBeingMadeHasNothingToDoWithItsImage() {
        var trouble = trouble("{waiting: {reason: CreateContainerConfigError}}", "{}", 0, "10:01")
                .orElseThrow();
        assertThat(trouble.kind()).isEqualTo(Kind.SidecarNotStarting);
        assertThat(trouble.message())
                .contains("CreateContainerConfigError", "kubectl describe pod web-1")
                .doesNotContain("imagePullSecrets");
    }

    @Test
    void oneThatIsKilledForItsMemoryNeedsMore() {
        var trouble = trouble(LOOP, OOM, 1, "12:00").orElseThrow();
        assertThat(trouble.kind()).isEqualTo(Kind.SidecarRestarting);
        assertThat(trouble.message())
                .contains(
                        "OOMKilled again and again (restarts: 1, the last end at 2026-11-29T10:00:00Z)",
                        "raise spec.injection.resources.limits.memory",
                        "kubectl logs web-1 -c sojourn --previous")
                .doesNotContain("imagePullSecrets");
    }

    @Test
    void oneThatEndsByItselfHasSaidWhy() {
        var trouble = trouble(LOOP, ERROR, 4, "10:01").orElseThrow();
        assertThat(trouble.kind()).isEqualTo(Kind.SidecarRestarting);
        assertThat(trouble.message())
                .contains("with exit code 78", "kubectl logs web-1 -c sojourn --previous")
                .doesNotContain("limits.memory", "imagePullSecrets");
        assertThat(trouble(LOOP, "{}", 4, "10:01")).isPresent();
    }

    /** It runs each time somebody looks; what it held is gone each time all the same. */
    @Test
    void oneThatRunsAgainIsToldOfForAWhile() {
        assertThat(trouble(RUNS, OOM, 3, "10:09").map(SidecarTrouble::kind)).hasValue(Kind.SidecarRestarting);
        assertThat(trouble(RUNS, ERROR, 3, "10:09")).isPresent();
        assertThat(trouble(RUNS, OOM, 3, "10:10")).isEmpty();
        assertThat(trouble(RUNS, OOM, 2, "10:09")).isEmpty();
    }

    /** Some restarts in the weeks of a pod's life are no loop. */
    @Test
    void oneThatHasRunForLongBeforeItEndedIsNoTrouble() {
        assertThat(trouble(RUNS, OOM.replace("2026-11-29T09:55", "2026-11-02T09:55"), 3, "10:01"))
                .isEmpty();
        assertThat(trouble(RUNS, OOM.replace("startedAt: '2026-11-29T09:55:00Z', ", ""), 3, "10:01"))
                .isEmpty();
    }

    @Test
    void whatAnotherContainerDoesIsNoneOfOurs() {
        var pod = pod("other", LOOP, OOM, 9);
        assertThat(SidecarTrouble.of(pod, Instant.EPOCH)).isEmpty();
    }

    private static Optional<SidecarTrouble> trouble(String state, String last, int restarts, String time) {
        return SidecarTrouble.of(pod("sojourn", state, last, restarts), Instant.parse("2026-11-29T" + time + ":00Z"));
    }

    private static Pod pod(String container, String state, String last, int restarts) {
        return Serialization.unmarshal("""
                ---
                metadata: {name: web-1}
                status:
                  initContainerStatuses:
                    - {name: %s, state: %s, lastState: %s, restartCount: %d}
                """.formatted(container, state, last, restarts), Pod.class);
    }
}

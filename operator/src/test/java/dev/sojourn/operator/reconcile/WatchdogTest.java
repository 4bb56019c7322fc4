package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.WorkloadRef;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two pods are wanted. */
class WatchdogTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final Seen seen = new Seen();
    private Optional<Instant> webhookReadySince = Optional.of(NOW.minus(Watchdog.REACHED_WITHIN));
    private Optional<Watchdog.Eviction> last = Optional.empty();
    private Instant now = NOW;

    @BeforeEach
    void evict() {
        watchdog("Evict");
        seen.pods = List.of(missed("a"), missed("b"));
    }

    @Test
    void onePodIsEvicted() {
        assertThat(next()).hasValue("a");
    }

    @Test
    void byDefaultNoneIs() {
        watchdog("Report");
        assertThat(next()).isEmpty();
    }

    @Test
    void noneIsWhileTheNextOneWouldNotBeInjectedEither() {
        webhookReadySince = Optional.empty();
        assertThat(next()).isEmpty();
    }

    @Test
    void noneIsBeforeTheWebhookCanBeReached() {
        webhookReadySince = Optional.of(NOW);
        assertThat(next()).isEmpty();
        now = NOW.plus(Watchdog.REACHED_WITHIN);
        assertThat(next()).hasValue("a");
    }

    @Test
    void whatIsInjectedOrRefusedOnPurposeStays() {
        seen.pods = List.of(Seen.pod("a"), Seen.pod("b", false, "HostNetwork: ...", true, null));
        assertThat(next()).isEmpty();
    }

    @Test
    void aPodThatNobodyWouldMakeAgainStays() {
        seen.pods = List.of(missed("a", null), missed("b", new WorkloadRef(WorkloadRef.Kind.StatefulSet, "web")));
        assertThat(next()).isEmpty();
    }

    @Test
    void noneIsWhileOneIsMissing() {
        seen.pods = List.of(missed("a"));
        assertThat(next()).isEmpty();
    }

    @Test
    void noneIsWhileOneIsMissingThoughAnotherWorkloadHasPods() {
        seen.pods = List.of(missed("a"), Seen.podOfAnother("before-1"));
        assertThat(next()).isEmpty();
    }

    @Test
    void noneIsWhileAnotherIsNotReady() {
        seen.pods = List.of(missed("a"), Seen.pod("b", true, null, false, null));
        assertThat(next()).isEmpty();
    }

    @Test
    void theOneThatIsNotReadyItselfIs() {
        seen.pods = List.of(missed("a"), Seen.pod("b", false, null, false, null));
        assertThat(next()).hasValue("b");
    }

    @Test
    void theOneEvictedLastIsNotTakenForOneThatStays() {
        evicted("a");
        assertThat(next()).isEmpty();
    }

    @Test
    void theNextOneFollowsWhenTheLastOnesSuccessorServes() {
        evicted("a");
        seen.pods = List.of(missed("b"), Seen.pod("c"));
        assertThat(next()).hasValue("b");
    }

    @Test
    void whereTheSuccessorIsNotInjectedEitherTheRestStayForAWhile() {
        evicted("a");
        seen.pods = List.of(missed("b"), missed("c"));
        assertThat(next()).isEmpty();
        now = NOW.plusSeconds(30);
        assertThat(next()).hasValue("b");
    }

    @Test
    void theWhileIsTwiceAsLongAfterEachInVainButNotForEver() {
        evicted("a");
        for (int pause : new int[] {30, 60, 120, 240, 480, 600, 600}) {
            String successor = "after-" + now.getEpochSecond();
            seen.pods = List.of(missed(successor), missed("b"));
            now = now.plusSeconds(pause - 1);
            assertThat(next()).as("before %d s", pause).isEmpty();
            now = now.plusSeconds(1);
            assertThat(next()).hasValue(successor);
            evicted(successor);
        }
    }

    @Test
    void oneThatHelpedMakesTheNextWhileShort() {
        evicted("a");
        seen.pods = List.of(missed("b"), missed("c"));
        now = NOW.plusSeconds(30);
        evicted("c");
        seen.pods = List.of(missed("b"), Seen.pod("d"));
        evicted("b");
        assertThat(last.orElseThrow().pause()).isEqualTo(Duration.ofSeconds(30));
    }

    private Optional<String> next() {
        return Watchdog.next(seen.cluster, seen.observation(), webhookReadySince, last, now)
                .map(InjectedPod::name);
    }

    private void evicted(String name) {
        var pod = seen.pods.stream().filter(p -> p.name().equals(name)).findFirst();
        last = Optional.of(Watchdog.eviction(pod.orElseThrow(), seen.observation(), last, now));
    }

    private void watchdog(String mode) {
        seen.cluster.setSpec(Serialization.unmarshal(
                        "---\n{spec: {workload: {name: web}, port: 8080, injection: {watchdog: " + mode + "}}}",
                        SessionCluster.class)
                .getSpec());
    }

    private static InjectedPod missed(String name) {
        return Seen.pod(name, false, null, true, null);
    }

    private static InjectedPod missed(String name, @Nullable WorkloadRef workload) {
        return new InjectedPod(name, "uid-of-" + name, "10.0.0.1", workload, null, null, true, null);
    }
}

package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.KnownStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stores are digits: {@code 12} is a sidecar that keeps sessions in 1 and knows 2. */
class StoreMoveTest {

    private static final WorkloadRef WEB = new WorkloadRef(WorkloadRef.Kind.Deployment, "web");
    private static final WorkloadRef BEFORE = new WorkloadRef(WorkloadRef.Kind.StatefulSet, "before");

    @ParameterizedTest
    @CsvSource({
        // The three steps, and back from each.
        "1, 12",
        "12, 21",
        "21, 2",
        "21, 12",
        "12, 1",
        "12, 12",
        // The next move.
        "2, 23",
        // Nobody asks for sessions to move.
        "1, 2",
        "1, 23",
        "12, 3",
    })
    void thesePodsMayRunBesideThose(String there, String wanted) {
        assertThat(hold(wanted, there, there)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, 21, spec.store.next", "12, 2, spec.store.previous to it", "21, 1, spec.store.previous to it"})
    void aStepThatWasLeftOutIsAskedFor(String there, String wanted, String mend) {
        assertThat(hold(wanted, there, there)).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("StepSkipped");
            assertThat(refusal.message()).contains("web-0", mend);
        });
    }

    @Test
    void podsOfTheStepBeforeTheLastOneAreAwaited() {
        assertThat(hold("21", "12", "12", "1", "12", "1")).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("WaitingForPods");
            assertThat(refusal.message())
                    .contains("do not know 2: web-1, web-3", "kubectl rollout status deployment/web");
        });
        assertThat(hold("2", "21", "21", "12")).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("WaitingForPods");
            assertThat(refusal.message()).contains("keep sessions in 1, which is named no more: web-1");
        });
    }

    /** The workload that was named before, or a canary: nobody rolls it, and its status says that all is done. */
    @Test
    void whoeverHasPodsOfAnotherWorkloadIsToldToRollThem() {
        var pods = new ArrayList<>(keepers(BEFORE, "1"));
        assertThat(hold("21", "12", pods)).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("WaitingForPods");
            assertThat(refusal.message())
                    .contains("kubectl rollout restart statefulset/before")
                    .doesNotContain("status");
        });
        pods.addAll(keepers(WEB, "1"));
        assertThat(hold("21", "12", pods))
                .get()
                .satisfies(refusal -> assertThat(refusal.message())
                        .contains(
                                "kubectl rollout status deployment/web", "kubectl rollout restart statefulset/before"));
    }

    @Test
    void noPodsAreInNobodysWay() {
        assertThat(hold("21", "1")).isEmpty();
    }

    @Test
    void whatWasAcceptedMayHaveBeenForgotten() {
        assertThat(hold("21", null, "1")).map(Refusal::reason).hasValue("WaitingForPods");
    }

    private static Optional<Refusal> hold(String wanted, @Nullable String accepted, String... pods) {
        return hold(wanted, accepted, keepers(WEB, pods));
    }

    private static List<StoreMove.Keeper> keepers(WorkloadRef workload, String... pods) {
        return IntStream.range(0, pods.length)
                .mapToObj(i -> new StoreMove.Keeper("web-" + i, workload, stores(pods[i])))
                .toList();
    }

    private static Optional<Refusal> hold(String wanted, @Nullable String accepted, List<StoreMove.Keeper> keepers) {
        return new StoreMove(stores(wanted), Optional.ofNullable(accepted).map(StoreMoveTest::stores), keepers)
                .hold(WEB);
    }

    private static KnownStores stores(String digits) {
        return new KnownStores(digits.substring(0, 1), digits.length() == 1 ? null : digits.substring(1));
    }
}

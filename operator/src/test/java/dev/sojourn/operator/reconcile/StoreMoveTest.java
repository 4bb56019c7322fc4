package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.KnownStores;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stores are letters: {@code AB} is a sidecar that keeps sessions in A and knows B. */
class StoreMoveTest {

    @ParameterizedTest
    @CsvSource({
        // The three steps, and back from each.
        "A, AB",
        "AB, BA",
        "BA, B",
        "BA, AB",
        "AB, A",
        "AB, AB",
        // The next move.
        "B, BC",
        // Nobody asks for sessions to move.
        "A, B",
        "A, BC",
        "AB, C",
    })
    void thesePodsMayRunBesideThose(String there, String wanted) {
        assertThat(hold(wanted, there, there)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"A, BA, spec.store.next", "AB, B, spec.store.previous to it", "BA, A, spec.store.previous to it"})
    void aStepThatWasLeftOutIsAskedFor(String there, String wanted, String mend) {
        assertThat(hold(wanted, there, there)).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("StepSkipped");
            assertThat(refusal.message()).contains("web-0", mend);
        });
    }

    @Test
    void podsOfTheStepBeforeTheLastOneAreAwaited() {
        assertThat(hold("BA", "AB", "AB", "A", "AB", "A")).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("WaitingForPods");
            assertThat(refusal.message())
                    .contains("do not know B: web-1, web-3", "kubectl rollout status deployment/web");
        });
        assertThat(hold("B", "BA", "BA", "AB")).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("WaitingForPods");
            assertThat(refusal.message()).contains("keep sessions in A, which is named no more: web-1");
        });
    }

    @Test
    void noPodsAreInNobodysWay() {
        assertThat(hold("BA", "A")).isEmpty();
    }

    @Test
    void whatWasAcceptedMayHaveBeenForgotten() {
        assertThat(hold("BA", null, "A")).map(Refusal::reason).hasValue("WaitingForPods");
    }

    private static Optional<Refusal> hold(String wanted, @Nullable String accepted, String... pods) {
        List<StoreMove.Keeper> keepers = IntStream.range(0, pods.length)
                .mapToObj(i -> new StoreMove.Keeper("web-" + i, stores(pods[i])))
                .toList();
        return new StoreMove(stores(wanted), Optional.ofNullable(accepted).map(StoreMoveTest::stores), keepers)
                .hold(new WorkloadRef(WorkloadRef.Kind.Deployment, "web"));
    }

    private static KnownStores stores(String letters) {
        return new KnownStores(letters.substring(0, 1), letters.length() == 1 ? null : letters.substring(1));
    }
}

package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.inject.KnownStores;
import dev.sojourn.operator.store.StoreProbe;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DroppedStoreTest {

    private static final String THEIRS = "{external: {url: 'redis://theirs:6379'}}";

    private final Seen seen = new Seen();

    @BeforeEach
    void thereIsAStore() {
        seen.store.ifPresent(set -> set.getMetadata().setUid("1-2-3"));
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreAnswers, "", 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{managed: {topology: Replicated}}", "{managed: {topology: Sharded}}"})
    void aManagedStoreIsNotLeftWithItsSessionsByOneEdit(String before) {
        accepted(before);
        var pod = KnownStores.of(InjectionSettings.of(seen.cluster));
        store(THEIRS);
        seen.keepers = List.of(new StoreMove.Keeper("web-1", null, pod));
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("StepSkipped");
            assertThat(refusal.message())
                    .contains(
                            "spec.store.next",
                            "kubectl annotate",
                            "sessioncluster web sojourn.dev/given-up-store=1-2-3");
        });
        assertThat(seen.inspection().injection().reason()).isEqualTo("StepSkipped");
    }

    /** Of a workload that is scaled to nothing for the night they are in the store too. */
    @Test
    void withoutPodsItIsTheSame() {
        accepted("{}");
        store(THEIRS);
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("StepSkipped");
        accepted("{next: " + THEIRS + "}");
        store(THEIRS);
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("StepSkipped");
    }

    @Test
    void whoGivesUpItsSessionsMayLeaveThisStoreAndNoLaterOne() {
        accepted("{}");
        store(THEIRS);
        giveUp("1-2-3");
        assertThat(seen.refusal()).isEmpty();
        giveUp("0-0-0");
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("StepSkipped");
    }

    @Test
    void theStepsAreGoneAsEver() {
        accepted("{next: " + THEIRS + "}");
        store("{external: {url: 'redis://theirs:6379'}, previous: {managed: true}}");
        assertThat(seen.refusal()).isEmpty();
        accepted("{external: {url: 'redis://theirs:6379'}, previous: {managed: true}}");
        thereIsAPod();
        store(THEIRS);
        assertThat(seen.refusal()).isEmpty();
    }

    /** While there are no pods nothing moves, and the step after the next may be taken at once. */
    @ParameterizedTest
    @ValueSource(strings = {"next: {managed: true}", "previous: {managed: true}"})
    void whereNoPodCanSayThatItIsEmptyTwoEditsAreAsOne(String other) {
        accepted("{external: {url: 'redis://theirs:6379'}, " + other + "}");
        var settings = seen.accepted.orElseThrow();
        store(THEIRS);
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("StepSkipped");
            assertThat(refusal.message())
                    .contains("may have sessions", "no pod is there", "sojourn.dev/given-up-store=1-2-3");
        });
        seen.keepers = List.of(new StoreMove.Keeper("web-1", null, KnownStores.of(settings)));
        assertThat(seen.refusal()).isEmpty();
        seen.keepers = List.of();
        giveUp("1-2-3");
        assertThat(seen.refusal()).isEmpty();
    }

    /** Its pods may be on their way still, and its store there for them. */
    @Test
    void whatWasAcceptedOnceIsNotRefused() {
        accepted("{}");
        var pod = KnownStores.of(InjectionSettings.of(seen.cluster));
        seen.keepers = List.of(new StoreMove.Keeper("web-1", null, pod));
        accepted(THEIRS);
        assertThat(seen.refusal()).isEmpty();
    }

    @Test
    void aStoreThatNoPodHasHeardOfMayGo() {
        store(THEIRS);
        assertThat(seen.refusal()).isEmpty();
    }

    /** The one of a SessionCluster of before is nobody's to delete, and one that has gone has no sessions. */
    @Test
    void whatIsNotDeletedIsNotLost() {
        accepted("{}");
        store(THEIRS);
        seen.store.ifPresent(set -> set.getMetadata().setOwnerReferences(List.of()));
        assertThat(seen.refusal()).isEmpty();
        seen.store = Optional.empty();
        assertThat(seen.refusal()).isEmpty();
    }

    @Test
    void ofAStoreThatIsBroughtAlongSessionsStayWhereTheyAre() {
        accepted(THEIRS);
        store("{external: {url: 'redis://others:6379'}}");
        assertThat(seen.refusal()).isEmpty();
        store("{}");
        assertThat(seen.refusal()).isEmpty();
    }

    private void thereIsAPod() {
        var stores = KnownStores.of(InjectionSettings.of(seen.cluster));
        seen.keepers = List.of(new StoreMove.Keeper("web-1", null, stores));
    }

    private void accepted(String store) {
        store(store);
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
    }

    private void store(String store) {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080, store: " + store + "}"));
    }

    private void giveUp(String uid) {
        seen.cluster.getMetadata().setAnnotations(Map.of("sojourn.dev/given-up-store", uid));
    }
}

package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Primaries that are lost. */
class SuccessionTest {

    private final Led led = new Led();
    private final Paper paper = led.paper;

    @Test
    void whereNobodyIsLeftToVoteTheHeirsArePromoted() {
        paper.start(0, 6);
        led.lead(3, 1);
        paper.fall(0);
        paper.fall(1);
        assertThat(led.next(3, 1)).as("they may come back").isEmpty();
        paper.start(0, 2);
        led.lead(3, 1);
        led.assertWell(3, 1);
        assertThat(paper.lost()).as("slots whose sessions were lost").isZero();
    }

    @Test
    void ofTheHeirsTheOneThatCameFurthestIsPromoted() {
        paper.start(0, 9);
        led.lead(3, 2);
        var view = paper.view();
        var heirs = view.replicasOf(view.present().get(0)).stream()
                .map(ShardView::ordinal)
                .toList();
        assertThat(heirs).hasSize(2);
        paper.fall(0);
        paper.fall(1);
        paper.start(0, 2);
        for (var furthest : heirs) {
            heirs.forEach(heir -> paper.say(heir, heir.equals(furthest) ? 100 : 90, 10));
            assertThat(led.next(3, 2))
                    .map(Step::words)
                    .anyMatch(words -> words.startsWith("shop-store-" + furthest + " becomes primary"));
        }
    }

    /** What it counts is what another shard's primary has written. */
    @Test
    void anHeirThatHasNotCopiedYetIsPromotedOnlyIfThereIsNoOther() {
        paper.start(0, 9);
        led.lead(3, 2);
        var view = paper.view();
        var lost = view.present().get(0);
        var inStep = view.replicasOf(lost).get(0);
        var barred = view.replicasOf(lost).get(1);
        paper.say(ShardView.ordinal(barred), 1_000, 1_000);
        paper.take(new Step.Follow(barred, view.present().get(1)));
        paper.take(new Step.Follow(barred, lost));
        paper.fall(0);
        paper.fall(1);
        paper.start(0, 2);
        assertThat(promoted(3, 2)).contains(inStep.pod()).doesNotContain(barred.pod());
        paper.fall(ShardView.ordinal(inStep));
        assertThat(promoted(3, 2)).contains(barred.pod());
    }

    @Test
    void ofHeirsThatHaveNotCopiedYetNobodyIsElectedSoOneIsPromotedOnceThePrimaryCannotReturn() {
        paper.start(0, 6);
        led.lead(3, 1);
        var lost = paper.view().present().get(0);
        var barred = paper.view().replicasOf(lost).get(0);
        paper.take(new Step.Follow(barred, lost));
        paper.lose(0);
        assertThat(promoted(3, 1)).as("what it has may come back").isEmpty();
        paper.start(0, 1);
        assertThat(promoted(3, 1)).containsExactly(barred.pod());
        led.lead(3, 1);
        led.assertWell(3, 1);
    }

    /** The bar is forgotten, and the server does not stand all the same. */
    @ParameterizedTest
    @CsvSource({"9223372036854775807, true", "100, true", "20, false"})
    void anHeirThatHasHadNoPrimarySinceItWasRestartedOrForLongIsPromotedOnceThePrimaryCannotReturn(
            long alone, boolean isPromoted) {
        paper.start(0, 6);
        led.lead(3, 1);
        var lost = led.member(0);
        var heir = paper.view().replicasOf(lost).get(0);
        paper.leaveAlone(ShardView.ordinal(heir), alone);
        paper.fall(0);
        paper.elect();
        assertThat(promoted(3, 1)).as("what the primary has may come back").isEmpty();
        paper.start(0, 1);
        assertThat(promoted(3, 1)).isEqualTo(isPromoted ? List.of(heir.pod()) : List.of());
        led.lead(3, 1);
        led.assertWell(3, 1);
    }

    @Test
    void whoMayBeElectedIsNotForestalled() {
        paper.start(0, 6);
        led.lead(3, 1);
        paper.fall(0);
        paper.start(0, 1);
        assertThat(promoted(3, 1)).isEmpty();
    }

    private List<String> promoted(int shards, int copies) {
        return led.next(shards, copies).stream()
                .filter(Step.Promote.class::isInstance)
                .map(step -> ((Step.Promote) step).replica().pod())
                .toList();
    }
}

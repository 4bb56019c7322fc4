package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Replicas that are to become primaries. */
class RecruitmentTest {

    private final Led led = new Led();
    private final Paper paper = led.paper;

    /** Moved to those that are primaries already, all sessions would have to have room there. */
    @Test
    void nothingIsMovedBeforeThereAreAsManyPrimariesAsThereShouldBe() {
        paper.start(0, 15);
        led.lead(5, 2);
        led.lead(
                5,
                0,
                () -> assertThat(paper.view().present().stream()
                                .mapToInt(Member::slotCount)
                                .max()
                                .orElseThrow())
                        .isLessThanOrEqualTo(16_384 / 5 + 5));
    }

    @Test
    void aPrimaryThatMayComeBackIsNotReplacedByAnother() {
        paper.start(0, 9);
        led.lead(3, 2);
        var lost = paper.view().present().get(0);
        paper.view().replicasOf(lost).forEach(replica -> paper.lose(ShardView.ordinal(replica)));
        paper.lose(0);
        assertThat(led.next(3, 1)).noneMatch(Step.Free.class::isInstance);
    }
}

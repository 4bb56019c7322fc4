package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Members that are to become primaries, and begin with nothing. */
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

    @Test
    void whatAMemberWithoutSlotsHoldsIsGoneBeforeSlotsAreMovedToIt() {
        paper.start(0, 6);
        led.lead(3, 1);
        paper.start(6, 8);
        paper.remember(6);
        assertThat(emptied(4, 1)).containsExactly("shop-store-6");
        led.lead(4, 1);
        led.assertWell(4, 1);
    }

    /** It refuses to follow anybody, and nobody else would be led. */
    @Test
    void whatAMemberWithoutSlotsHoldsIsGoneBeforeItIsLedToAPrimary() {
        paper.start(0, 6);
        led.lead(3, 1);
        paper.lose(5);
        paper.start(5, 6);
        paper.say(5, 0, 10);
        led.lead(3, 1);
        led.assertWell(3, 1);
    }

    /** They are nowhere else. */
    @Test
    void sessionsThatAreOnTheirWayAreNotTakenForWhatNobodyNeeds() {
        paper.start(0, 6);
        led.lead(3, 1);
        paper.start(6, 8);
        var slot = led.member(0).slots().nextSetBit(0);
        paper.leaveOpen(slot, 0, 6);
        assertThat(led.next(4, 1)).singleElement().isInstanceOfSatisfying(Step.Move.class, move -> {
            assertThat(move.slots()).containsExactly(slot);
            assertThat(move.to().pod()).isEqualTo("shop-store-6");
        });
        paper.fall(0);
        assertThat(emptied(4, 1)).as("while the source is away").isEmpty();
        paper.elect();
        assertThat(emptied(4, 1)).as("whose heir knows nothing of it").isEmpty();
    }

    private List<String> emptied(int shards, int copies) {
        return led.next(shards, copies).stream()
                .filter(Step.Empty.class::isInstance)
                .map(step -> ((Step.Empty) step).primary().pod())
                .toList();
    }
}

package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store that is made smaller. */
class DepartureTest {

    private final Led led = new Led();
    private final Paper paper = led.paper;

    @ParameterizedTest
    @CsvSource({"4, 3, 1", "6, 3, 1", "5, 4, 2"})
    void noShardIsEverWithoutItsCopies(int before, int after, int copies) {
        paper.start(0, before * (1 + copies));
        led.lead(before, copies);
        led.lead(
                after,
                copies,
                () -> assertThat(primaries())
                        .allSatisfy(primary -> assertThat(paper.view().replicasOf(primary))
                                .as("copies of %s", primary.pod())
                                .filteredOn(paper.view()::isInStep)
                                .hasSizeGreaterThanOrEqualTo(copies)));
    }

    @Test
    void aPodThatHoldsNoSlotsStaysUntilItsCopyIsElsewhereToo() {
        paper.start(0, 8);
        led.lead(4, 1);
        assertThat(led.isReadyToLeave(3, 1)).isFalse();
        led.leadUntilItWaits(3, 1, () -> {});
        assertThat(led.isReadyToLeave(3, 1)).as("while the new copies are made").isFalse();
        paper.sync();
        assertThat(led.isReadyToLeave(3, 1)).isTrue();
    }

    @Test
    void itStaysWhileThePodThatShallHaveItsCopyIsAway() {
        paper.start(0, 8);
        led.lead(4, 1);
        var staying = paper.view().present().stream()
                .filter(member -> member.isReplica() && ShardView.ordinal(member) < 6)
                .findFirst()
                .orElseThrow();
        paper.lose(ShardView.ordinal(staying));
        led.lead(3, 1);
        assertThat(led.isReadyToLeave(3, 1)).isFalse();
    }

    @Test
    void whereThereAreNoCopiesNobodyWaitsForThem() {
        paper.start(0, 4);
        led.lead(4, 0);
        assertThat(led.isReadyToLeave(3, 0)).isFalse();
        led.lead(3, 0);
        assertThat(led.isReadyToLeave(3, 0)).isTrue();
    }

    /** It may be that it can be placed only once they are gone. */
    @Test
    void nobodyNeedsThoseThatGoThoughOneThatStaysIsAway() {
        paper.start(0, 4);
        led.lead(4, 0);
        led.lead(3, 0);
        paper.fall(1);
        paper.elect();
        assertThat(paper.view().unreachable().isEmpty()).isFalse();
        assertThat(led.isReadyToLeave(3, 0)).isTrue();
    }

    private List<Member> primaries() {
        return paper.view().present().stream()
                .filter(member -> member.slotCount() > 0)
                .toList();
    }
}

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
        assertThat(led.kept(3, 1)).isGreaterThan(6);
        led.leadUntilItWaits(3, 1, () -> {});
        assertThat(led.kept(3, 1)).as("while the new copies are made").isGreaterThan(6);
        paper.sync();
        assertThat(led.kept(3, 1)).isEqualTo(6);
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
        assertThat(led.kept(3, 1)).isGreaterThan(6);
    }

    @Test
    void whereThereAreNoCopiesNobodyWaitsForThem() {
        paper.start(0, 4);
        led.lead(4, 0);
        assertThat(led.kept(3, 0)).isGreaterThan(3);
        led.lead(3, 0);
        assertThat(led.kept(3, 0)).isEqualTo(3);
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
        assertThat(led.kept(3, 0)).isEqualTo(3);
    }

    /** It may be their room that one waits for that stays, and is to have a copy: the last go as soon as nobody needs them. */
    @Test
    void theLastOnesDoNotWaitForThoseBeforeThem() {
        paper.start(0, 10);
        led.lead(5, 1);
        var away = paper.view().present().stream()
                .filter(member -> member.isReplica() && ShardView.ordinal(member) < 6)
                .mapToInt(ShardView::ordinal)
                .findFirst()
                .orElseThrow();
        paper.lose(away);
        led.lead(3, 1);
        var kept = led.kept(3, 1);
        assertThat(kept).isBetween(7, 9);
        for (var pod = kept; pod < 10; pod++) {
            paper.lose(pod);
        }
        paper.start(away, away + 1);
        led.lead(3, 1);
        assertThat(led.kept(3, 1)).isEqualTo(6);
        assertThat(primaries())
                .hasSize(3)
                .allSatisfy(primary -> assertThat(paper.view().replicasOf(primary))
                        .filteredOn(paper.view()::isInStep)
                        .filteredOn(replica -> ShardView.ordinal(replica) < 6)
                        .isNotEmpty());
    }

    @Test
    void nobodyGoesWhileSlotsAreNotSeen() {
        paper.start(0, 4);
        led.lead(4, 0);
        led.lead(3, 0);
        assertThat(led.kept(3, 0)).isEqualTo(3);
        var seen = paper.view().members().stream()
                .filter(member -> !"shop-store-0".equals(member.pod()))
                .toList();
        var view = new ShardView(List.of(seen), paper.servers());
        assertThat(new Departure(view, new ShardShape(view, led.nodes, 3, 0)).kept())
                .isEqualTo(Departure.UNKNOWN);
    }

    private List<Member> primaries() {
        return paper.view().present().stream()
                .filter(member -> member.slotCount() > 0)
                .toList();
    }
}

package dev.sojourn.operator.store.shard;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardPlanTest {

    private final Led led = new Led();
    private final Paper paper = led.paper;
    private final Map<String, String> nodes = led.nodes;

    @Test
    void waitsUntilEverybodyIsThere() {
        paper.start(0, 5);
        assertThat(next(3, 1)).isEmpty();
    }

    @Test
    void aNewClusterIsDividedEvenlyAndNoReplicaIsOnItsPrimarysNode() {
        paper.start(0, 6);
        for (var i = 0; i < 6; i++) {
            nodes.put("shop-store-" + i, "node-" + i / 2);
        }
        lead(3, 1);
        assertWell(3, 1);
        for (var member : paper.view().present()) {
            if (member.isReplica()) {
                var primary =
                        paper.view().byId(requireNonNull(member.primaryId())).orElseThrow();
                assertThat(nodes.get(member.pod())).isNotEqualTo(nodes.get(primary.pod()));
            }
        }
    }

    @Test
    void anotherShardTakesItsPart() {
        paper.start(0, 6);
        lead(3, 1);
        paper.start(6, 8);
        lead(4, 1);
        assertWell(4, 1);
    }

    @Test
    void podsThatAreToGoAreEmptiedFirst() {
        paper.start(0, 8);
        lead(4, 1);
        lead(3, 1);
        assertThat(slotsBeyond(6)).isZero();
        paper.lose(6);
        paper.lose(7);
        lead(3, 1);
        assertWell(3, 1);
    }

    @Test
    void aMoveThatWasBrokenOffIsFinishedBeforeAnythingElse() {
        paper.start(0, 6);
        lead(3, 1);
        var slot = paper.view().present().get(0).slots().nextSetBit(0);
        paper.leaveOpen(slot, 0, 1);
        paper.start(6, 8);
        assertThat(next(4, 1)).singleElement().isInstanceOfSatisfying(Step.Move.class, move -> {
            assertThat(move.slots()).containsExactly(slot);
            assertThat(move.to().pod()).isEqualTo("shop-store-1");
        });
    }

    @Test
    void aMoveToSomebodyWhoWasReplacedGoesOnToItsHeir() {
        paper.start(0, 6);
        lead(3, 1);
        var slot = paper.view().present().get(0).slots().nextSetBit(0);
        paper.leaveOpen(slot, 0, 1);
        paper.lose(1);
        assertThat(next(3, 1)).singleElement().isInstanceOfSatisfying(Step.Move.class, move -> {
            assertThat(move.to().isPrimary()).isTrue();
            assertThat(move.to().pod()).isNotEqualTo("shop-store-1");
        });
        paper.start(1, 2);
        lead(3, 1);
        assertWell(3, 1);
    }

    @Test
    void aMoveToSomebodyWhoIsGoneIsGivenUpOnceHeCannotReturn() {
        paper.start(0, 3);
        lead(3, 0);
        var slot = paper.view().present().get(0).slots().nextSetBit(0);
        paper.leaveOpen(slot, 0, 1);
        paper.lose(1);
        assertThat(next(3, 0)).noneMatch(Step.Settle.class::isInstance);
        assertThat(next(2, 0))
                .noneMatch(
                        step -> step instanceof Step.Move move && move.slots().contains(slot));
        paper.start(1, 2);
        assertThat(next(3, 0)).singleElement().isInstanceOfSatisfying(Step.Settle.class, settle -> {
            assertThat(settle.at().pod()).isEqualTo("shop-store-0");
            assertThat(settle.slot()).isEqualTo(slot);
        });
    }

    @Test
    void aPodThatIsAwayIsWaitedForWhileItMayComeBack() {
        paper.start(0, 6);
        lead(3, 1);
        paper.lose(5);
        assertThat(next(3, 1)).noneMatch(Step.Forget.class::isInstance);
    }

    @Test
    void aPodThatComesBackEmptyIsSomebodyElse() {
        paper.start(0, 6);
        lead(3, 1);
        paper.lose(0);
        paper.start(0, 1);
        lead(3, 1);
        assertWell(3, 1);
        assertThat(paper.view().members()).hasSize(6);
    }

    @Test
    void aReplicaWhosePrimaryIsLostIsNotLedElsewhereBeforeItIsElected() {
        paper.start(0, 6);
        lead(3, 1);
        paper.fall(0);
        assertThat(next(3, 1)).isEmpty();
        paper.start(0, 1);
        lead(3, 1);
        paper.elect();
        assertThat(paper.view().unserved().isEmpty()).isTrue();
        lead(3, 1);
        assertWell(3, 1);
        assertThat(paper.lost()).as("slots whose sessions were lost").isZero();
    }

    /** Its primary may be lost while the other one has not copied yet. */
    @Test
    void aShardGivesNoCopyAwayBeforeTheOthersAreInStep() {
        paper.start(0, 9);
        lead(3, 2);
        var view = paper.view();
        var rich = view.present().get(0);
        var poor = view.present().get(1);
        view.replicasOf(poor).forEach(replica -> paper.take(new Step.Follow(replica, rich)));
        paper.sync();
        view.replicasOf(rich).forEach(replica -> paper.take(new Step.Follow(replica, rich)));
        assertThat(paper.view().replicasOf(rich)).hasSize(4);
        led.leadUntilItWaits(3, 2, () -> {});
        assertThat(paper.view().replicasOf(rich).stream().filter(paper.view()::isInStep))
                .hasSizeGreaterThanOrEqualTo(2);
        lead(3, 2);
        assertWell(3, 2);
    }

    @Test
    void aNodeThatIsLostLeavesMostOfThePrimaries() {
        paper.start(0, 6);
        for (var i = 0; i < 6; i++) {
            nodes.put("shop-store-" + i, "node-" + i % 3);
        }
        lead(3, 1);
        // The replica on the node of another primary takes over, and the lost pod is its replica then.
        paper.lose(0);
        paper.start(0, 1);
        lead(3, 1);
        assertWell(3, 1);
        assertThat(paper.view().present().stream().filter(Member::isPrimary).map(primary -> nodes.get(primary.pod())))
                .doesNotHaveDuplicates();
    }

    @Test
    void aShardThatWasLostAltogetherIsServedAgain() {
        paper.start(0, 3);
        lead(3, 0);
        paper.lose(1);
        paper.start(1, 2);
        lead(3, 0);
        assertWell(3, 0);
    }

    @ParameterizedTest
    @CsvSource({"5, 2, 5, 0", "3, 2, 5, 1", "3, 1, 6, 0", "3, 2, 9, 0", "6, 0, 3, 1", "5, 2, 3, 0", "3, 2, 6, 0"})
    void shardsAndCopiesChangeTogether(int shards, int copies, int wantedShards, int wantedCopies) {
        paper.start(0, shards * (1 + copies));
        lead(shards, copies);
        change(shards * (1 + copies), wantedShards, wantedCopies);
        assertWell(wantedShards, wantedCopies);
        assertThat(paper.lost()).isZero();
    }

    @RepeatedTest(200)
    void whateverHappensItEndsWell(RepetitionInfo repetition) {
        var random = new Random(repetition.getCurrentRepetition());
        var shards = 3 + random.nextInt(4);
        var copies = random.nextInt(3);
        for (var i = 0; i < 30; i++) {
            nodes.put("shop-store-" + i, "node-" + random.nextInt(4));
        }
        paper.start(0, shards * (1 + copies));
        for (var round = 0; round < 6; round++) {
            lead(shards, copies);
            assertWell(shards, copies);
            var pods = shards * (1 + copies);
            var lostBefore = paper.lost();
            if (random.nextBoolean()) {
                var lost = random.nextInt(pods);
                paper.fall(lost);
                if (random.nextBoolean()) {
                    paper.start(lost, lost + 1);
                    lead(shards, copies);
                    paper.elect();
                } else {
                    paper.elect();
                    lead(shards, copies);
                    paper.start(lost, lost + 1);
                }
                lead(shards, copies);
                assertThat(copies == 0 ? lostBefore : paper.lost()).isEqualTo(lostBefore);
            } else {
                shards = 3 + random.nextInt(4);
                copies = random.nextInt(3);
                change(pods, shards, copies);
                assertThat(paper.lost()).isEqualTo(lostBefore);
            }
        }
    }

    /** Pods come at once, and go as soon as nobody needs them. */
    private void change(int pods, int shards, int copies) {
        var wanted = shards * (1 + copies);
        paper.start(pods, Math.max(pods, wanted));
        var there = pods;
        for (var waits = true; waits; ) {
            led.leadUntilItWaits(shards, copies, () -> {});
            var kept = Math.min(there, led.kept(shards, copies));
            for (var pod = kept; pod < there; pod++) {
                paper.lose(pod);
            }
            there = Math.min(there, kept);
            waits = !paper.isInStep() || !next(shards, copies).isEmpty();
            paper.sync();
        }
        assertThat(there).isEqualTo(Math.min(pods, wanted));
    }

    private List<Step> next(int shards, int copies) {
        return led.next(shards, copies);
    }

    private void lead(int shards, int copies) {
        led.lead(shards, copies);
    }

    private void assertWell(int shards, int copies) {
        led.assertWell(shards, copies);
    }

    private int slotsBeyond(int pods) {
        return paper.view().present().stream()
                .filter(member -> ShardView.ordinal(member) >= pods)
                .mapToInt(Member::slotCount)
                .sum();
    }
}

package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A cluster on paper, and the plan that leads it. */
final class Led {

    /** Far more than any change takes: who needs more goes in a circle. */
    private static final int ENOUGH = 100;

    final Paper paper = new Paper();

    /** The Kubernetes nodes of the pods. */
    final Map<String, String> nodes = new HashMap<>();

    List<Step> next(int shards, int copies) {
        var view = paper.view();
        var shape = new ShardShape(view, nodes, shards, copies);
        return new ShardPlan(view, shape, new Succession(view, shape)).next();
    }

    Member member(int pod) {
        return paper.view().present().stream()
                .filter(member -> ShardView.ordinal(member) == pod)
                .findFirst()
                .orElseThrow();
    }

    /** How many pods have to be there. */
    int kept(int shards, int copies) {
        var view = paper.view();
        return new Departure(view, new ShardShape(view, nodes, shards, copies)).kept();
    }

    void lead(int shards, int copies) {
        lead(shards, copies, () -> {});
    }

    /** @param look after each step, and after each copying */
    void lead(int shards, int copies, Runnable look) {
        leadUntilItWaits(shards, copies, look);
        while (!paper.isInStep()) {
            paper.sync();
            look.run();
            leadUntilItWaits(shards, copies, look);
        }
    }

    /** Replicas that are led elsewhere do not copy meanwhile. */
    void leadUntilItWaits(int shards, int copies, Runnable look) {
        var done = new ArrayList<Step>();
        for (var steps = next(shards, copies); !steps.isEmpty(); steps = next(shards, copies)) {
            for (var step : steps) {
                assertTakesNoLastCopy(step, copies);
                paper.take(step);
            }
            done.addAll(steps);
            assertThat(done.size()).as("steps, the last: " + steps).isLessThan(ENOUGH);
            look.run();
        }
    }

    void assertWell(int shards, int copies) {
        var view = paper.view();
        assertThat(view.unserved().isEmpty()).as("all slots are served").isTrue();
        var primaries =
                view.present().stream().filter(member -> member.slotCount() > 0).toList();
        assertThat(primaries).hasSize(shards);
        assertThat(primaries.stream().map(Member::slotCount).collect(Collectors.toSet()))
                .allSatisfy(count -> assertThat(count).isBetween(16_384 / shards - shards, 16_384 / shards + shards));
        assertThat(primaries)
                .allSatisfy(primary -> assertThat(view.replicasOf(primary)).hasSize(copies));
    }

    /** Of a shard that has one copy, and that beside its primary, there may be none until there is one elsewhere. */
    private void assertTakesNoLastCopy(Step step, int copies) {
        var led = step instanceof Step.Follow follow
                ? follow.replica()
                : step instanceof Step.Free free ? free.replica() : null;
        if (copies > 0 && led != null) {
            var view = paper.view();
            var replica = view.byId(led.id()).orElseThrow();
            var left = view.members().stream()
                    .filter(member -> replica.follows(member) && member.slotCount() > 0 && view.isInStep(replica))
                    .filter(member -> copies > 1 || !isBeside(replica, member))
                    .filter(member -> view.replicasOf(member).stream()
                            .noneMatch(other -> !other.equals(replica) && view.isInStep(other)));
            assertThat(left.map(Member::pod))
                    .as("those that have no copy once " + step.words())
                    .isEmpty();
        }
    }

    private boolean isBeside(Member one, Member other) {
        var node = nodes.get(one.pod());
        return node != null && node.equals(nodes.get(other.pod()));
    }
}

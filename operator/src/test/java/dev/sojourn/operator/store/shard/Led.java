package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
        return new ShardPlan(view, shape, new Succession(view, shape, paper.servers())).next();
    }

    boolean isReadyToLeave(int shards, int copies) {
        var view = paper.view();
        return new Departure(view, new ShardShape(view, nodes, shards, copies), paper.servers()).isReady();
    }

    void lead(int shards, int copies) {
        lead(shards, copies, () -> {});
    }

    /** @param look after each step */
    void lead(int shards, int copies, Runnable look) {
        var done = new ArrayList<Step>();
        for (var steps = next(shards, copies); !steps.isEmpty(); steps = next(shards, copies)) {
            steps.forEach(paper::take);
            done.addAll(steps);
            assertThat(done.size()).as("steps, the last: " + steps).isLessThan(ENOUGH);
            look.run();
        }
    }
}
